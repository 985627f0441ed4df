package tool_test

import (
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

const editParams = `{"type":"object","properties":{"file_path":{"type":"string","description":"Path to edit, resolved by the filesystem backend."},"old_string":{"type":"string"},"new_string":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["file_path","old_string","new_string"]}`

func TestSchemaJSONIsTheTextGiven(t *testing.T) {
	for _, c := range []struct{ rule, in, want string }{
		{"compact text stays", editParams, editParams},
		{"white space goes", "{ \"type\" :\n\t\"string\" }", `{"type":"string"}`},
		{"key order stays", `{"description":"x","type":"string"}`, `{"description":"x","type":"string"}`},
		{"spelling of strings and numbers stays", `{"enum":["\u0061</b>",1.0]}`, `{"enum":["\u0061</b>",1.0]}`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, err := tool.ParseSchema([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "text", string(s.JSON()), c.want)
			s.JSON()[0] = 'X'
			same(t, "text after a caller changed its copy", string(s.JSON()), c.want)
		})
	}
}

func TestParseSchemaRefuses(t *testing.T) {
	for _, c := range []struct{ rule, in, want string }{
		{"an unknown keyword", `{"type":"number","minimum":1}`, "schema: minimum is not a supported keyword"},
		{"an unknown keyword inside", `{"properties":{"a":{"items":{"pattern":"x"}}}}`, "schema: properties.a.items.pattern is not a supported keyword"},
		{"an unknown keyword in a branch", `{"oneOf":[{},{"$ref":"x"}]}`, "schema: oneOf[1].$ref is not a supported keyword"},
		{"a schema that is no object", `true`, "schema: the root must be an object"},
		{"an unknown type", `{"type":"text"}`, "schema: type must be one of string, number, integer, boolean, null, array, object"},
		{"a list of types", `{"type":["string","null"]}`, "schema: type must be one of string, number, integer, boolean, null, array, object"},
		{"oneOf with one branch", `{"oneOf":[{}]}`, "schema: oneOf must be an array of at least two schemas"},
		{"properties that are no object", `{"properties":[]}`, "schema: properties must be an object"},
		{"a property that is no schema", `{"properties":{"a":1}}`, "schema: properties.a must be an object"},
		{"required that is no list", `{"required":"a"}`, "schema: required must be an array of names"},
		{"required with a number", `{"required":[1]}`, "schema: required[0] must be a string"},
		{"required twice", `{"required":["a","a"]}`, "schema: required[1] must not be given twice"},
		{"additionalProperties that is a schema", `{"additionalProperties":{}}`, "schema: additionalProperties must be a boolean"},
		{"an empty enum", `{"enum":[]}`, "schema: enum must be an array that is not empty"},
		{"a description that is no text", `{"description":1}`, "schema: description must be a string"},
		{"examples that are no list", `{"examples":1}`, "schema: examples must be an array"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := tool.ParseSchema([]byte(c.in))
			errorText(t, err, c.want)
		})
	}
	for _, in := range []string{``, `{`, `{"type":"string","type":"number"}`, "{\"title\":\"\xff\"}", `{"const":1e999}`, `{} {}`} {
		if _, err := tool.ParseSchema([]byte(in)); err == nil || !strings.HasPrefix(err.Error(), "schema is no JSON: ") {
			t.Errorf("ParseSchema(%q) = %v", in, err)
		}
	}
}

func TestParseSchemaTakesAnnotations(t *testing.T) {
	in := `{"type":"string","description":"d","title":"t","default":{"x":null},"examples":[1,"x"]}`
	s := tool.MustParseSchema([]byte(in))
	if got := s.ValidateValue("anything"); got != nil {
		t.Errorf("annotations do not validate: %q", got)
	}
}

func TestMustParseSchemaPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	tool.MustParseSchema([]byte(`{"minLength":1}`))
}
