package tool_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/tool"
)

func TestAppendJSON(t *testing.T) {
	two := tool.Array{Len: 2, At: func(i int) any { return i }}
	for _, c := range []struct {
		rule string
		in   any
		want string
	}{
		{"null", nil, `null`},
		{"booleans", tool.Array{Len: 2, At: func(i int) any { return i == 0 }}, `[true,false]`},
		{"an int", -7, `-7`},
		{"a number keeps its text", tool.Number{Value: 2, Text: "2.0"}, `2.0`},
		{"a number without text", tool.Number{Value: 2}, `2`},
		{"a double", 0.1, `0.1`},
		{"negative zero", math.Copysign(0, -1), `0`},
		{"a large double", 1e20, `100000000000000000000`},
		{"a larger one", 1e21, `1e+21`},
		{"a small one", 1e-6, `0.000001`},
		{"a smaller one", 1.5e-7, `1.5e-7`},
		{"a very small one", 1e-10, `1e-10`},
		{"not a number", math.NaN(), `null`},
		{"infinity", math.Inf(1), `null`},
		{"not data", struct{}{}, `null`},
		{"an empty array", tool.Array{}, `[]`},
		{"an empty object", tool.Object{}, `{}`},
		{"an object in order", tool.Object{{Name: "b", Value: two}, {Name: "a\n", Value: nil}}, `{"b":[0,1],"a\n":null}`},
		{"a value", text("x"), `"x"`},
		{"a value inside", tool.Object{{Name: "v", Value: text("x")}}, `{"v":"x"}`},
		{"escapes", "\"\\\b\t\n\f\r\x00\x1f\x7f", `"\"\\\b\t\n\f\r\u0000\u001f` + "\x7f\""},
		{"no escape for HTML", "</a>&'\u2028\u2029", "\"</a>&'\u2028\u2029\""},
		{"bytes that are no UTF-8", "a\xff\xfeb\xed\xa0\xbd", "\"a\ufffd\ufffdb\ufffd\ufffd\ufffd\""},
		{"text beyond ASCII", "naïve 😀", `"naïve 😀"`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			same(t, "text", string(tool.AppendJSON([]byte("<"), c.in)), "<"+c.want)
		})
	}
}

// Every special byte is found wherever it stands beside runs of any length.
func TestAppendJSONFindsEverySpecialByte(t *testing.T) {
	for b := range 256 {
		for at := range 20 {
			s := strings.Repeat("é", at%3) + strings.Repeat("x", at) + string([]byte{byte(b)}) + strings.Repeat("y", 19-at)
			var got string
			if err := json.Unmarshal(tool.AppendJSON(nil, s), &got); err != nil || got != strings.ToValidUTF8(s, "\ufffd") {
				t.Fatalf("byte %#x at %d: %q, %v", b, at, got, err)
			}
		}
	}
}

func TestAppendJSONStringIsWhatEncodingJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
		if rapid.Bool().Draw(t, "text") {
			s = rapid.String().Draw(t, "s")
		}
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		// encoding/json escapes three characters that ECMAScript does not.
		w := strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029", `\ufffd`, "\ufffd").Replace(strings.TrimSuffix(want.String(), "\n"))
		got := tool.AppendJSON(nil, s)
		if string(got) != w || !utf8.Valid(got) {
			t.Fatalf("%q\n got %s\nwant %s", s, got, w)
		}
	})
}
