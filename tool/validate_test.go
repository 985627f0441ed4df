package tool_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

const readParams = `{"type":"object","properties":{"file_path":{"type":"string"},"offset":{"type":"number"},"limit":{"type":"number"}},"required":["file_path"]}`

func TestValidateArgs(t *testing.T) {
	const (
		nested  = `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"required":["c"],"additionalProperties":false},"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}}`
		choices = `{"type":"object","properties":{"mode":{"type":"string","enum":["workspace-write","danger-full-access"]},"any":{"enum":[1,null,{"a":[1,2]}]},"fix":{"const":{"x":1.0}},"one":{"oneOf":[{"type":"string"},{"type":"null"},{"const":"both"}]}}}`
		kinds   = `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"u":{"type":"null"},"a":{"type":"array"},"o":{"type":"object"}}}`
		closed  = `{"type":"object","properties":{"file_path":{"type":"string"}},"required":["x"],"additionalProperties":false}`
	)
	for _, c := range []struct{ rule, schema, in, want string }{
		{"every wrong type is told, in schema order", readParams, `{"limit":"x","file_path":5}`, `"file_path" must be a string; "limit" must be a number`},
		{"what is missing is told in the order required", editParams, `{"file_path":"a"}`, `missing required property "old_string"; missing required property "new_string"`},
		{"null is present", readParams, `{"file_path":"a","offset":null}`, `"offset" must be a number`},
		{"missing comes before wrong", readParams, `{"offset":"x"}`, `missing required property "file_path"; "offset" must be a number`},
		{"kinds", kinds, `{"s":1,"n":"1","i":1.5,"b":0,"u":false,"a":{},"o":[]}`,
			`"s" must be a string; "n" must be a number; "i" must be an integer; "b" must be a boolean; "u" must be null; "a" must be an array; "o" must be an object`},
		{"kinds that are right", kinds, `{"s":"","n":1.5,"i":3.0,"b":false,"u":null,"a":[1],"o":{"x":1}}`, ``},
		{"an integer may be written in any way", kinds, `{"i":1e300}`, ``},
		{"undeclared names are ignored", readParams, `{"file_path":"a","__proto__":{"offset":2},"constructor":1,"path":2}`, ``},
		{"depth first, closed objects last", nested, `{"l":[{"n":1},{"n":"x"},{}],"a":{"z":1,"b":2,"y":2}}`,
			`missing required property "a.c"; "a.b" must be a string; "a.z" is not a declared property (additionalProperties: false); "a.y" is not a declared property (additionalProperties: false); "l[1].n" must be an integer; missing required property "l[2].n"`},
		{"a closed root", closed, `{"filePath":"a"}`, `missing required property "x"; "filePath" is not a declared property (additionalProperties: false)`},
		{"enum", choices, `{"mode":"read-only"}`, `"mode" must be one of ["workspace-write","danger-full-access"]`},
		{"a wrong type is not told as a wrong choice too", choices, `{"mode":null}`, `"mode" must be a string`},
		{"enum of any data", choices, `{"any":{"a":[1.0,2]}}`, ``},
		{"enum of any data, order matters in arrays", choices, `{"any":{"a":[2,1]}}`, `"any" must be one of [1,null,{"a":[1,2]}]`},
		{"enum of any data, arrays of another length", choices, `{"any":{"a":[1,2,3]}}`, `"any" must be one of [1,null,{"a":[1,2]}]`},
		{"enum of any data, one member more", choices, `{"any":{"a":[1,2],"b":1}}`, `"any" must be one of [1,null,{"a":[1,2]}]`},
		{"const", choices, `{"fix":{"x":2}}`, `"fix" must be {"x":1.0}`},
		{"const by value", choices, `{"fix":{"x":1}}`, ``},
		{"oneOf none", choices, `{"one":1}`, `"one" must match exactly one oneOf branch (matched 0)`},
		{"oneOf several", choices, `{"one":"both"}`, `"one" must match exactly one oneOf branch (matched 2)`},
		{"oneOf exactly one", choices, `{"one":null}`, ``},
	} {
		t.Run(c.rule, func(t *testing.T) { validateArgs(t, c.schema, c.in, c.want) })
	}
}

func validateArgs(t *testing.T, schema, in, want string) {
	t.Helper()
	args, err := tool.DecodeArgs([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	got := tool.MustParseSchema([]byte(schema)).ValidateArgs(args)
	same(t, "violations", strings.Join(got, "; "), want)
	if (got == nil) != (want == "") {
		t.Error("valid is nil, and only that")
	}
}

func TestValidateArgsNearMiss(t *testing.T) {
	const params = `{"type":"object","properties":{"replace_all":{"type":"boolean"},"file_path":{"type":"string"},"path":{"type":"string"},"limit":{"type":"number"},"tab":{"type":"object","properties":{"depth":{}}}}}`
	miss := func(name, meant string) string {
		return fmt.Sprintf(`"%s" is not a declared property (did you mean "%s"?)`, name, meant)
	}
	for _, c := range []struct{ rule, in, want string }{
		{"camel case", `{"replaceAll":true}`, miss("replaceAll", "replace_all")},
		{"Pascal case", `{"ReplaceAll":true}`, miss("ReplaceAll", "replace_all")},
		{"kebab case", `{"replace-all":true}`, miss("replace-all", "replace_all")},
		{"no separator", `{"filepath":"a"}`, miss("filepath", "file_path")},
		{"a short name in another case", `{"PATH":"a"}`, miss("PATH", "path")},
		{"also when the name itself is given", `{"replace_all":true,"replaceAll":false}`, miss("replaceAll", "replace_all")},
		{"a letter too many", `{"limits":1}`, miss("limits", "limit")},
		{"a letter too many in front", `{"xlimit":1}`, miss("xlimit", "limit")},
		{"a letter too few", `{"limt":1}`, miss("limt", "limit")},
		{"a wrong letter", `{"limid":1}`, miss("limid", "limit")},
		{"a wrong letter in camel case", `{"filePaths":1}`, miss("filePaths", "file_path")},
		{"each is told, in the order given", `{"limits":1,"filePath":"a"}`, miss("limits", "limit") + "; " + miss("filePath", "file_path")},
		{"after what is declared", `{"filePath":"a","path":1}`, `"path" must be a string; ` + miss("filePath", "file_path")},
		{"two letters off is another name", `{"limitss":1,"lmiti":1}`, ``},
		{"a short name one letter off is another name", `{"paths":1,"pat":1,"bath":1}`, ``},
		{"another name altogether", `{"encoding":"x","file":1,"":1,"_":1}`, ``},
		{"only at the root", `{"tab":{"Depth":1,"depths":1}}`, ``},
		{"a name too long for a slip", `{"` + strings.Repeat("_", 200) + `limit":1}`, ``},
	} {
		t.Run(c.rule, func(t *testing.T) { validateArgs(t, params, c.in, c.want) })
	}
}

func TestValidateValue(t *testing.T) {
	schema := tool.MustParseSchema([]byte(`{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"},"n":{"type":"integer"},"lines":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":true}},"before":{"oneOf":[{"type":"string"},{"type":"null"}]}},"required":["path"]}`))
	lines := func(list ...any) tool.Array {
		return tool.Array{Len: len(list), At: func(i int) any { return list[i] }}
	}
	object := func(name string, v any) tool.Object {
		return tool.Object{{Name: "path", Value: "p"}, {Name: name, Value: v}}
	}
	const lossless = "value is not lossless JSON"
	for _, c := range []struct {
		rule string
		in   any
		want string
	}{
		{"valid", object("lines", lines(tool.Object{{Name: "text", Value: "x"}})), ``},
		{"a nested value shows itself", object("lines", lines(data{tool.Object{{Name: "text", Value: text("x")}}})), ``},
		{"the root", "x", `"value" must be an object`},
		{"null", nil, `"value" must be an object`},
		{"members are labelled with the root", tool.Object{{Name: "n", Value: 1.5}, {Name: "x", Value: 1}},
			`missing required property "value.path"; "value.n" must be an integer; "value.x" is not a declared property (additionalProperties: false)`},
		{"elements", object("lines", lines(tool.Object{}, "x")), `missing required property "value.lines[0].text"; "value.lines[1]" must be an object`},
		{"ints and doubles are numbers", object("n", 3.0), ``},
		{"oneOf", object("before", 1), `"value.before" must match exactly one oneOf branch (matched 0)`},
		{"another Go type", object("path2", struct{}{}), lossless},
		{"another Go type where the schema expects data", object("n", int64(1)), lossless},
		{"not a number", object("n", math.NaN()), lossless},
		{"infinity in what is not declared", object("lines", lines(tool.Object{{Name: "text", Value: ""}, {Name: "more", Value: lines(math.Inf(1))}})), lossless},
		{"another Go type in a branch", object("before", []string{"x"}), lossless},
		{"another Go type deep below a branch", object("before", lines(lines([]string{"x"}))), lossless},
	} {
		t.Run(c.rule, func(t *testing.T) {
			same(t, "violations", strings.Join(schema.ValidateValue(c.in), "; "), c.want)
		})
	}
}

func TestValidateValueEndsOnEndlessData(t *testing.T) {
	var endless tool.Array
	endless = tool.Array{Len: 1, At: func(int) any { return endless }}
	same(t, "violations", tool.MustParseSchema([]byte(`{}`)).ValidateValue(endless), []string{"value is not lossless JSON"})
}

func TestValidateManyViolationsMakeABoundedMessage(t *testing.T) {
	s := tool.MustParseSchema([]byte(`{"type":"array","items":{"type":"string"}}`))
	got := s.ValidateValue(tool.Array{Len: 1000, At: func(int) any { return 1 }})
	if len(got) != 101 || got[99] != `"value[99]" must be a string` || got[100] != "and 900 more" {
		t.Errorf("%d violations, the last %q", len(got), got[len(got)-1])
	}
}

func TestValidateDoesNotCopyStrings(t *testing.T) {
	s := tool.MustParseSchema([]byte(readParams))
	args, err := tool.DecodeArgs([]byte(`{"file_path":"` + strings.Repeat("x", 1<<20) + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.ValidateArgs(args)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
		t.Errorf("%d bytes", n)
	}
}
