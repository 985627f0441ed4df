package tool_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

// FuzzDecodeArgs holds DecodeArgs against encoding/json: the same texts are accepted,
// with the same meaning, but for what is refused on purpose; and what AppendJSON
// writes reads back as the same.
func FuzzDecodeArgs(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `null`, `{"a":1,"a":2}`, `{"a":[1,{"b":-0}],"c":"\ud83d\ude00\n"}`, `{"a":"\ud83d"}`, `{"a":1e999}`, "{\"a\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		args, err := tool.DecodeArgs(in)
		var std map[string]any
		stdErr := json.Unmarshal(in, &std)
		if err != nil {
			if stdErr == nil && std != nil && !refusedOnPurpose(err) {
				t.Fatalf("%q is an object for encoding/json: %v", in, err)
			}
			return
		}
		if len(args.Members()) == 0 && strings.Trim(string(in), " \t\r\n") == "" {
			return
		}
		if stdErr != nil {
			t.Fatalf("%q is accepted, but not by encoding/json: %v", in, stdErr)
		}
		if got := plain(args.Members()); !reflect.DeepEqual(got, any(std)) {
			t.Fatalf("%q\n got %v\nwant %v", in, got, std)
		}
		again, err := tool.DecodeArgs(tool.AppendJSON(nil, args))
		if err != nil || !reflect.DeepEqual(plain(again.Members()), any(std)) {
			t.Fatalf("%q does not survive: %v", in, err)
		}
	})
}

func refusedOnPurpose(err error) bool {
	return errors.Is(err, tool.ErrNotLossless) || strings.Contains(err.Error(), "surrogate") || strings.Contains(err.Error(), "nested")
}

// plain is data as encoding/json decodes it.
func plain(v any) any {
	switch v := v.(type) {
	case tool.Number:
		f, _ := strconv.ParseFloat(v.Text, 64)
		if f != v.Value {
			panic("a number's text is not its value")
		}
		return v.Value + 0
	case tool.Array:
		list := make([]any, v.Len)
		for i := range list {
			list[i] = plain(v.At(i))
		}
		return list
	case tool.Object:
		m := map[string]any{}
		for _, e := range v {
			m[e.Name] = plain(e.Value)
		}
		return m
	}
	return v
}
