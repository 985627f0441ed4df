//go:build linux

package toolfs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// The vectors hold long values in short: by their length, a hash, and their ends.

const (
	longString  = 700 // UTF-16 units
	longLines   = 8
	longEntries = 40
	longStrings = 40
	longArray   = 24
	headUnits   = 80
	tailUnits   = 100
)

// shorten gives a value as the vectors hold it.
func shorten(v any) any {
	switch v := v.(type) {
	case string:
		return shortenString(v)
	case object:
		out := make(object, len(v))
		for i, m := range v {
			out[i] = member{m.name, shorten(m.value)}
		}
		return out
	case []any:
		return shortenArray(v)
	}
	return v
}

// isShortened reports whether o stands for something else, and has no members of its
// own to compare.
func isShortened(o object) bool {
	return len(o) == 1 && strings.HasPrefix(o[0].name, "$")
}

func shortenString(s string) any {
	if len(s) <= longString {
		return s
	}
	units := utf16.Encode([]rune(s))
	if len(units) <= longString {
		return s
	}
	head, tail := units[:headUnits], units[len(units)-tailUnits:]
	if isLead(head[len(head)-1]) {
		head = head[:len(head)-1]
	}
	if isTrail(tail[0]) {
		tail = tail[1:]
	}
	sum := sha256.Sum256([]byte(s))
	return object{{"$str", object{
		{"utf16_len", number(len(units))},
		{"utf8_len", number(len(s))},
		{"sha256", hex.EncodeToString(sum[:])},
		{"head", string(utf16.Decode(head))},
		{"tail", string(utf16.Decode(tail))},
	}}}
}

func isLead(u uint16) bool  { return u >= 0xd800 && u < 0xdc00 }
func isTrail(u uint16) bool { return u >= 0xdc00 && u < 0xe000 }

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

func shortenArray(list []any) any {
	name, text := "", stringify
	switch {
	case len(list) > longLines && all(list, "number", "text"):
		name, text = "$lines", func(v any) string { return join(v.(object), "number", "\t", "text") }
	case len(list) > longEntries && all(list, "name", "type"):
		name, text = "$entries", func(v any) string { return join(v.(object), "type", "\t", "name") }
	case len(list) > longStrings && all(list):
		name, text = "$strings", func(v any) string { return v.(string) }
	case len(list) > longArray:
		name = "$array"
	default:
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = shorten(e)
		}
		return out
	}
	hash := sha256.New()
	for _, e := range list {
		fmt.Fprint(hash, text(e), "\n")
	}
	return object{{name, object{
		{"count", number(len(list))},
		{"first", shorten(list[0])},
		{"last", shorten(list[len(list)-1])},
		{"sha256", hex.EncodeToString(hash.Sum(nil))},
	}}}
}

// all reports whether every element is an object with just these members, or a string
// when there are none.
func all(list []any, names ...string) bool {
	for _, e := range list {
		if _, isString := e.(string); isString && len(names) == 0 {
			continue
		}
		o, ok := e.(object)
		if !ok || len(o) != len(names) || len(names) == 0 {
			return false
		}
		for _, name := range names {
			if _, ok := o.get(name); !ok {
				return false
			}
		}
	}
	return true
}

func join(o object, first, between, second string) string {
	a, _ := o.get(first)
	b, _ := o.get(second)
	return fmt.Sprint(a, between, b)
}

// What is put in is known for many of the long values: they must come out as recorded.
func TestConformanceShorten(t *testing.T) {
	for _, tt := range []struct {
		name string
		long any
		want string
	}{
		{"a string", strings.Repeat("0123456789abcde\n", 1<<16), `{"$str":{"utf16_len":1048576,"utf8_len":1048576,"sha256":"107b265e8f4929e55502f5983fa1aeecf470db365011336380497fbf43603339","head":"0123456789abcde\n0123456789abcde\n0123456789abcde\n0123456789abcde\n0123456789abcde\n","tail":"cde\n0123456789abcde\n0123456789abcde\n0123456789abcde\n0123456789abcde\n0123456789abcde\n0123456789abcde\n"}}`},
		{"characters beyond the BMP", strings.Repeat("😀", 1000), `{"$str":{"utf16_len":2000,"utf8_len":4000,"sha256":"1de38ef75f6a7ffb2c39c1423cb0240c970ef9fd55dd91037bcf42582045435d","head":"` + strings.Repeat("😀", 40) + `","tail":"` + strings.Repeat("😀", 50) + `"}}`},
		{"entries", entries("f%04d.txt", 200), `{"$entries":{"count":200,"first":{"name":"f0001.txt","type":"file"},"last":{"name":"f0200.txt","type":"file"},"sha256":"df1f7fe2057b67161c70301abdf0c2edd5472482ce6f5d3e43bba7d930fbc0d8"}}`},
		{"a string that is just not long", strings.Repeat("x", 700), `"` + strings.Repeat("x", 700) + `"`},
		{"an array that is just not long", entries("%d", 2), `[{"name":"1","type":"file"},{"name":"2","type":"file"}]`},
	} {
		if got := stringify(shorten(tt.long)); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func entries(format string, n int) (list []any) {
	for i := 1; i <= n; i++ {
		list = append(list, object{{"name", fmt.Sprintf(format, i)}, {"type", "file"}})
	}
	return list
}
