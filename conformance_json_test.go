//go:build linux

package toolfs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// JSON as the vectors hold it: nil, bool, json.Number, string, []any, or an object
// that keeps the order of its members.

type member struct {
	name  string
	value any
}

type object []member

func (o object) get(name string) (value any, ok bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

func (o object) sorted() object {
	return slices.SortedFunc(slices.Values(o), func(a, b member) int { return strings.Compare(a.name, b.name) })
}

// absent stands for a member that one side of a comparison does not have.
type absent struct{}

func parseJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := parseValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the value: %v", err)
	}
	return v, nil
}

func parseValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name.(string), v})
		}
		_, err := d.Token()
		return o, err
	}
	return t, nil
}

// stringify writes what ECMAScript's JSON.stringify writes, by its own code: what is
// compared with it comes from the library's.
func stringify(v any) string {
	var b strings.Builder
	writeJSON(&b, v)
	return b.String()
}

func writeJSON(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		writeString(b, v)
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, e)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, m.name)
			b.WriteByte(':')
			writeJSON(b, m.value)
		}
		b.WriteByte('}')
	case nil:
		b.WriteString("null")
	case absent:
		b.WriteString("absent")
	default:
		fmt.Fprint(b, v)
	}
}

var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

func writeString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		if short, ok := shortEscapes[r]; ok {
			b.WriteString(short)
		} else if r < ' ' {
			fmt.Fprintf(b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// mapStrings gives the value with f done to every string in it, names included.
func mapStrings(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = mapStrings(e, f)
		}
		return out
	case object:
		out := make(object, len(v))
		for i, m := range v {
			out[i] = member{f(m.name), mapStrings(m.value, f)}
		}
		return out
	}
	return v
}

// difference is one place where an outcome is not the recorded one. At names it from
// the step or the vector down, members and indexes parted by dots.
type difference struct {
	at           string
	golden, ours any
}

// compare collects the differences. Members of objects must come in the same order,
// except those of objects whose order means nothing.
func compare(at string, golden, ours any) []difference {
	switch g := golden.(type) {
	case object:
		if o, ok := ours.(object); ok && !isShortened(g) {
			return compareObjects(at, g, o)
		}
	case []any:
		// The entries of a listing read better together.
		if o, ok := ours.([]any); ok && len(o) == len(g) && !strings.HasSuffix(at, ".entries") {
			var all []difference
			for i := range g {
				all = append(all, compare(fmt.Sprintf("%s.%d", at, i), g[i], o[i])...)
			}
			return all
		}
	}
	if stringify(golden) == stringify(ours) {
		return nil
	}
	return []difference{{at, golden, ours}}
}

func compareObjects(at string, golden, ours object) (all []difference) {
	var common, order []string
	for _, m := range golden {
		v, ok := ours.get(m.name)
		if !ok {
			v = absent{}
		} else {
			common = append(common, m.name)
		}
		all = append(all, compare(at+"."+m.name, m.value, v)...)
	}
	for _, m := range ours {
		if _, ok := golden.get(m.name); ok {
			order = append(order, m.name)
		} else {
			all = append(all, difference{at + "." + m.name, absent{}, m.value})
		}
	}
	if !slices.Equal(common, order) {
		all = append(all, difference{at + ".(order)", strings.Join(common, " "), strings.Join(order, " ")})
	}
	return all
}
