package tool_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

// show is args as JSON text, with each number as its value and the text it came as.
func show(a tool.Args) string { return string(tool.AppendJSON(nil, a)) }

func TestDecodeArgs(t *testing.T) {
	for _, c := range []struct{ rule, in, want string }{
		{"empty text is {}", "", `{}`},
		{"white space is {}", " \t\r\n", `{}`},
		{"an empty object", " { } ", `{}`},
		{"order is kept", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"of duplicates the last value stands in the first place", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"duplicates spelt differently are duplicates", `{"a":1,"\u0061":3}`, `{"a":3}`},
		{"every kind", `{"a":[null,true,false,1.50,"x",{"y":[]}]}`, `{"a":[null,true,false,1.50,"x",{"y":[]}]}`},
		{"numbers keep their text", `{"a":1e0,"b":9007199254740993}`, `{"a":1e0,"b":9007199254740993}`},
		{"underflow is no overflow", `{"a":1e-999}`, `{"a":1e-999}`},
		{"escapes", `{"a":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000x"}`, `{"a":"\"\\/\b\f\n\r\té😀\u0000x"}`},
		{"an escaped backslash before u is no escape", `{"a":"\\ud83d"}`, `{"a":"\\ud83d"}`},
		{"a replacement character that was sent is text", `{"a":"\ufffd` + "\ufffd" + `"}`, "{\"a\":\"\ufffd\ufffd\"}"},
		{"__proto__ is a name like any other", `{"__proto__":{"x":1}}`, `{"__proto__":{"x":1}}`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			args, err := tool.DecodeArgs([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "args", show(args), c.want)
		})
	}
}

func TestDecodeArgsNumberValue(t *testing.T) {
	args, err := tool.DecodeArgs([]byte(`{"a":2.0}`))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := args.Number("a")
	same(t, "a", a, tool.Number{Value: 2, Text: "2.0"})
}

func TestDecodeArgsRefuses(t *testing.T) {
	const notObject = `invalid arguments: "arguments" must be an object`
	half := func(labels ...string) string {
		var list []string
		for _, l := range labels {
			list = append(list, `"`+l+`" must be valid Unicode text: it holds half of a surrogate pair`)
		}
		return "invalid arguments: " + strings.Join(list, "; ")
	}
	const lossless = "tool execution arguments must be losslessly JSON-serializable"
	for _, c := range []struct{ rule, in, want string }{
		{"bad syntax", `{bad`, notObject},
		{"a bad end", `{"a":1`, notObject},
		{"text after the object", `{} {}`, notObject},
		{"a trailing comma", `{"a":1,}`, notObject},
		{"a raw control character", "{\"a\":\"\n\"}", notObject},
		{"a bad escape", `{"a":"\x"}`, notObject},
		{"a byte order mark", "\ufeff{}", notObject},
		{"null", `null`, notObject},
		{"a string", `"f"`, notObject},
		{"an array", `[]`, notObject},
		{"a number", `3`, notObject},
		{"an array with half a pair", `["\ud83d"]`, notObject},
		{"overflow", `{"a":1e999}`, lossless},
		{"negative zero", `{"a":-0}`, lossless},
		{"negative zero in any form", `{"a":[-0.0e5]}`, lossless},
		{"negative overflow, deep", `{"a":[{"b":-1e999}]}`, lossless},
		{"overflow under no object", `[1e999]`, lossless},
		{"overflow outweighs half a pair", `{"a":"\ud83d","b":1e999}`, lossless},
		{"bad syntax outweighs overflow", `{"a":1e999`, notObject},
		{"bad syntax outweighs half a pair", `{"a":"\ud83d"`, notObject},
		{"a high half", `{"a":"x\ud83d"}`, half("a")},
		{"a low half", `{"a":"\udc00x"}`, half("a")},
		{"a high half before another escape", `{"a":"\ud83d\n"}`, half("a")},
		{"two high halves and a low one", `{"a":"\ud83d\ud83d\ude00"}`, half("a")},
		{"halves in the wrong order", `{"a":"\ude00\ud83d"}`, half("a")},
		{"bytes that are no UTF-8", "{\"a\":\"\xff\"}", half("a")},
		{"bytes that are no UTF-8 beside an escape", "{\"a\":\"\\n\xff\"}", half("a")},
		{"an encoded surrogate", "{\"a\":\"\xed\xa0\xbd\"}", half("a")},
		{"deep down", `{"a":{"b":[0,"\ud83d"]}}`, half("a.b[1]")},
		{"in a name", `{"x\ud83d":1}`, half("x\ufffd")},
		{"in a value that a duplicate replaces", `{"a":"\ud83d","a":"x"}`, half("a")},
		{"all are told", `{"a":"\ud83d","b":"\ud83d"}`, half("a", "b")},
		{"nested too deep", deep(513), `invalid arguments: "arguments" must not be nested deeper than 512 levels`},
		{"objects nested too deep", strings.Repeat(`{"a":`, 513) + `0` + strings.Repeat(`}`, 513), `invalid arguments: "arguments" must not be nested deeper than 512 levels`},
		{"far too deep", strings.Repeat(`{"a":`, 1_000_000), `invalid arguments: "arguments" must not be nested deeper than 512 levels`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			args, err := tool.DecodeArgs([]byte(c.in))
			errorText(t, err, c.want)
			if len(args.Members()) != 0 {
				t.Error("arguments came with an error")
			}
			var coded tool.Coded
			if errors.As(err, &coded) == errors.Is(err, tool.ErrNotLossless) {
				t.Error("an overflow is uncoded, everything else is coded")
			}
		})
	}
}

// deep is an object whose data is nested n levels deep.
func deep(n int) string {
	return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
}

func TestDecodeArgsDepthLimit(t *testing.T) {
	if _, err := tool.DecodeArgs([]byte(deep(512))); err != nil {
		t.Error(err)
	}
}

func TestDecodeArgsDoesNotAliasItsInput(t *testing.T) {
	in := []byte(`{"name":"value","e":"a\nb"}`)
	args, err := tool.DecodeArgs(in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range in {
		in[i] = 'X'
	}
	same(t, "args", show(args), `{"name":"value","e":"a\nb"}`)
}

func TestDecodeArgsManyNames(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `,"n%d":%d`, i%1000, i)
	}
	args, err := tool.DecodeArgs([]byte("{" + b.String()[1:] + "}"))
	if err != nil {
		t.Fatal(err)
	}
	members := args.Members()
	if len(members) != 1000 {
		t.Fatalf("%d members, want 1000", len(members))
	}
	for i, m := range members {
		if want := fmt.Sprintf("n%d", i); m.Name != want || m.Value.(tool.Number).Value != float64(2000+i) {
			t.Fatalf("member %d is %v, want %s: %d", i, m, want, 2000+i)
		}
	}
}

func TestDecodeArgsManyBadStringsMakeABoundedMessage(t *testing.T) {
	_, err := tool.DecodeArgs([]byte(`{"a":[` + strings.Repeat(`"\ud83d",`, 5000) + `0]}`))
	if err == nil || !strings.HasSuffix(err.Error(), "; and 4900 more") {
		t.Errorf("error = %.80v", err)
	}
}
