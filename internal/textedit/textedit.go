// Package textedit replaces literal text without touching anything else: matching
// sees LF wherever the text has CRLF, and yet every byte outside the places replaced
// stays what it was. Contract section 8.9; reliability rules of byte-exact edits.
package textedit

import (
	"errors"
	"fmt"
	"iter"
	"strings"
)

// The ways in which an edit is refused, besides *AmbiguousError.
var (
	ErrEmpty    = errors.New("the text to replace is empty")
	ErrSame     = errors.New("the texts are the same")
	ErrNotFound = errors.New("the text to replace does not occur")
)

// AmbiguousError says that the text occurs more than once, and how often, with
// overlapping positions counted.
type AmbiguousError struct{ Count int }

func (e *AmbiguousError) Error() string { return fmt.Sprintf("the text occurs %d times", e.Count) }

// Result is an edited text: Before and After with CRLF as LF, Count the places replaced.
type Result struct {
	Before, After string
	Count         int

	view     *view
	at       []int
	old, new string
}

// Span is a part of a text, from byte From up to To, and what comes in its place.
type Span struct {
	From, To int
	New      string
}

// Spans gives what changes in the text that was given to Apply, with every ending as it
// belongs into the file: in order, without overlap, and never a part of a character.
func (r *Result) Spans() iter.Seq[Span] { return r.view.spans(r.at, r.old, r.new) }

// Apply replaces old by new in text: the one occurrence, or with all set every one
// from left to right without overlap. CRLF in old and new stands for LF.
func Apply(text, old, new string, all bool) (Result, error) {
	asked, given := old, new
	old, new = lf(old), lf(new)
	switch {
	case old == "":
		return Result{}, ErrEmpty
	case old == new:
		return Result{}, ErrSame
	}
	v := newView(text)
	at := matches(v.text, old)
	if len(at) == 0 && asked != old {
		// A CR before a line's ending is text of the line. Copied together with the
		// LF that a line is shown with, it looks like CRLF.
		old, new = asked, given
		at = matches(v.text, old)
	}
	switch {
	case len(at) == 0:
		return Result{}, ErrNotFound
	case all:
	case strings.Contains(v.text[at[0]+1:], old):
		return Result{}, &AmbiguousError{Count: occurrences(v.text, old)}
	}
	r := Result{Before: v.text, Count: len(at), view: v, at: at, old: old, new: new}
	r.After = splice(v.text, at, len(old), new)
	return r, nil
}

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// matches gives the positions that replacement meets, left to right without overlap.
func matches(text, old string) []int {
	var at []int
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(old)
	}
}

// occurrences counts every position of old, overlapping ones too, in time linear in
// the text however periodic old is (Knuth, Morris and Pratt).
func occurrences(text, old string) int {
	border := borders(old)
	n, k := 0, int32(0)
	for i := range len(text) {
		for k > 0 && (int(k) == len(old) || text[i] != old[k]) {
			k = border[k]
		}
		if text[i] == old[k] {
			k++
		}
		if int(k) == len(old) {
			n++
		}
	}
	return n
}

// splice replaces the n bytes at each position.
func splice(text string, at []int, n int, with string) string {
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for _, p := range at {
		b.WriteString(text[from:p])
		b.WriteString(with)
		from = p + n
	}
	b.WriteString(text[from:])
	return b.String()
}
