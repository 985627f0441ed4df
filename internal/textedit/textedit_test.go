package textedit

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestApply(t *testing.T) {
	tests := []struct {
		name           string
		text, old, new string
		all            bool
		want           string
		count          int
	}{
		{"a unique match is replaced", "a\nb\nc\n", "b", "B", false, "a\nB\nc\n", 1},
		{"every byte outside the match stays", "a\r\nb\nc\r\r\nd", "b", "B", false, "a\r\nB\nc\r\r\nd", 1},
		{"LF matches CRLF and text put in takes CRLF", "a\r\nb\r\nc\r\n", "a\nb", "a\nB", false, "a\r\nB\r\nc\r\n", 1},
		{"CRLF in the needle matches LF", "a\nb\nc\n", "a\r\nb", "x\r\ny", false, "x\ny\nc\n", 1},
		{"a new line takes the ending of its line", "a\r\nb\r\n", "b", "b\nc", false, "a\r\nb\r\nc\r\n", 1},
		{"a new line at the end takes the ending of the line before", "a\r\nb", "b", "b\nc", false, "a\r\nb\r\nc", 1},
		{"each replaced ending keeps its kind", "a\r\nb\nc\r\nd\n", "a\nb\nc\n", "A\nB\nC\n", false, "A\r\nB\nC\r\nd\n", 1},
		{"a mixed file stays mixed", "1\n2\r\n3\n4\r\n", "3\n4", "3\nx\n4", false, "1\n2\r\n3\nx\n4\r\n", 1},
		{"a text without any ending takes LF", "abc", "b", "\r\n", false, "a\nc", 1},
		{"all from left to right without overlap", "aaaaa", "aa", "b", true, "bba", 2},
		{"all over CRLF", "x\r\nx\r\n", "x\n", "y\nz\n", true, "y\r\nz\r\ny\r\nz\r\n", 2},
		{"deleting a whole line takes its CRLF along", "a\r\nb\r\nc\r\n", "b\n", "", false, "a\r\nc\r\n", 1},
		{"nothing is interpreted", "x", "x", `$& $1 $$ \n %s`, false, `$& $1 $$ \n %s`, 1},
		{"a CR before the ending is text", "a\r\r\nb\r\n", "a\r\nb", "A\r\nb", false, "A\r\r\nb\r\n", 1},
		{"a lone CR is text", "a\rb\n", "a\rb", "c", false, "c\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Apply(tt.text, tt.old, tt.new, tt.all)
			if err != nil || raw(r) != tt.want || r.Count != tt.count {
				t.Errorf("got %q, %d, %v; want %q, %d", raw(r), r.Count, err, tt.want, tt.count)
			}
		})
	}
}

// raw is the text as it is after the spans are replaced.
func raw(r Result) string {
	if r.view == nil {
		return ""
	}
	text, at := "", 0
	for s := range r.Spans() {
		text += r.view.raw[at:s.From] + s.New
		at = s.To
	}
	return text + r.view.raw[at:]
}

func TestApplyRefuses(t *testing.T) {
	many := func(n int) func(error) bool {
		return func(err error) bool {
			e, ok := errors.AsType[*AmbiguousError](err)
			return ok && e.Count == n
		}
	}
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	tests := []struct {
		name           string
		text, old, new string
		want           func(error) bool
	}{
		{"an empty needle", "a", "", "b", is(ErrEmpty)},
		{"no change", "a", "a", "a", is(ErrSame)},
		{"a change of nothing but CRLF", "a\r\n", "a\r\n", "a\n", is(ErrSame)},
		{"no match", "a", "b", "c", is(ErrNotFound)},
		{"two matches", "ab ab", "ab", "c", many(2)},
		{"overlapping matches", "aaa", "aa", "b", many(2)},
		{"a periodic text in linear time", strings.Repeat("a", 200_000), strings.Repeat("a", 100_000), "b", many(100_001)},
		{"periods of periods", "abaabaaba", "abaaba", "x", many(2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Apply(tt.text, tt.old, tt.new, false); !tt.want(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// pieces makes texts in which endings of every kind meet matches of every kind.
func pieces() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "\n", "\r\n", "\r", "é", " "}), 0, 24).Draw(t, "pieces"), "")
	})
}

// Whatever is edited, what matching saw is what a plain replacement of the LF view
// gives, and the bytes before the first and after the last match are untouched.
func TestApplyChangesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, old, new := pieces().Draw(t, "text"), pieces().Draw(t, "old"), pieces().Draw(t, "new")
		checkEdit(t, text, old, new, rapid.Bool().Draw(t, "all"))
	})
}

// bare drops every CR before an LF: a lone one that an edit puts there looks like part
// of an ending afterwards.
func bare(s string) string {
	for strings.Contains(s, "\r\n") {
		s = lf(s)
	}
	return s
}

type failer interface{ Fatalf(string, ...any) }

func checkEdit(t failer, text, old, new string, all bool) {
	r, err := Apply(text, old, new, all)
	view, o, n := lf(text), lf(old), lf(new)
	if !strings.Contains(view, o) {
		o, n = old, new
	}
	overlapping := 0
	for i := range len(view) {
		if o != "" && strings.HasPrefix(view[i:], o) {
			overlapping++
		}
	}
	if err != nil {
		if e, ok := errors.AsType[*AmbiguousError](err); ok && e.Count != overlapping {
			t.Fatalf("%d matches counted, there are %d", e.Count, overlapping)
		}
		return
	}
	if !all && overlapping != 1 {
		t.Fatalf("accepted with %d matches", overlapping)
	}
	if want := strings.ReplaceAll(view, o, n); r.Before != view || r.After != want || bare(raw(r)) != bare(want) {
		t.Fatalf("before %q after %q raw %q; want %q, %q", r.Before, r.After, raw(r), view, want)
	}
	first, last := strings.Index(view, o), strings.LastIndex(view, o)
	v := newView(text)
	if head := text[:v.rawAt(first)]; !strings.HasPrefix(raw(r), head) {
		t.Fatalf("%q does not begin with %q", raw(r), head)
	}
	if all {
		return
	}
	if tail := text[v.rawAt(last+len(o)):]; !strings.HasSuffix(raw(r), tail) {
		t.Fatalf("%q does not end with %q", raw(r), tail)
	}
}

func FuzzApply(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nb", "a\nB", false)
	f.Add("aaa", "aa", "b", true)
	f.Add("1\n2\r\n3\n4\r\n", "3\n4", "3\nx\n4", false)
	f.Fuzz(func(t *testing.T, text, old, new string, all bool) { checkEdit(t, text, old, new, all) })
}
