//go:build linux

package cases_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// TestRoundTrip: lines that read showed, joined by line feeds, are found by edit,
// whatever the file is made of; and the edit changes their bytes and no others.
func TestRoundTrip(t *testing.T) {
	t.Run("UTF-8", func(t *testing.T) { roundTrip(t, func(text string) string { return text }) })
	t.Run("UTF-16", func(t *testing.T) {
		roundTrip(t, func(text string) string {
			var raw []byte
			for _, unit := range utf16.Encode([]rune("\ufeff" + strings.TrimPrefix(text, "\ufeff"))) {
				raw = binary.BigEndian.AppendUint16(raw, unit)
			}
			return string(raw)
		})
	})
}

func roundTrip(t *testing.T, stored func(text string) string) {
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		content := texts().Draw(rt, "content")
		w.file("f", stored(content))
		lines := w.lines("f")
		if len(lines) == 0 {
			return
		}
		first := rapid.IntRange(0, len(lines)-1).Draw(rt, "first")
		last := rapid.IntRange(first, len(lines)-1).Draw(rt, "last")
		old := strings.Join(lines[first:last+1], "\n")
		new := rapid.SampledFrom([]string{"", "replaced", "$1\\1", "é😀"}).Draw(rt, "new")
		if old == "" || old == new {
			return
		}
		found, n := places(content, old)
		all := rapid.Bool().Draw(rt, "all") || n != 1
		a := edit("f", old, new)
		if all {
			a = editAll("f", old, new)
		}
		r := w.run("edit", a)
		if r.IsError {
			rt.Fatalf("read shows %q of %q, and edit says: %v", lines[first:last+1], content, r.Content)
		}
		want, at := "", 0
		for _, p := range found {
			want += content[at:p.from] + new
			at = p.to
		}
		want += content[at:]
		got, err := os.ReadFile(w.path("f"))
		if err != nil || string(got) != stored(want) {
			rt.Fatalf("%q of %q is replaced by %q, all %v: %q (%v), not %q", old, content, new, all, got, err, want)
		}
	})
}

// A carriage return before the two that end a line belongs to the line.
func TestRoundTripOfALineThatEndsWithACarriageReturn(t *testing.T) {
	w := newWorld(t)
	w.file("f", "one\r\r\ntwo\r\nthree\r\n")
	lines := w.lines("f")
	w.ok("edit", edit("f", strings.Join(lines[:2], "\n"), "replaced"))
	w.holds("f", "replaced\r\nthree\r\n")
}

// texts are small files of all kinds of characters and endings. Two carriage returns
// before a line feed are the case above.
func texts() *rapid.Generator[string] {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "b", " ", "\t", "  x", "x  ", "é", "e\u0301", "日本", "😀", "👩\u200d👩", "\ufeff", "\u2028", "\u0085", "\u202e", "\x1b", "\x7f", `\n`, "1: ", "</content>", "(End of file", `"`, "$&", "<", "\r"}),
		rapid.StringN(0, 6, 24),
	)
	ending := rapid.SampledFrom([]string{"\n", "\r\n", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n"})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		if rapid.Bool().Draw(t, "mark") {
			b.WriteString("\ufeff")
		}
		kinds := rapid.SliceOfN(ending, 1, 3).Draw(t, "endings")
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			for range rapid.IntRange(0, 3).Draw(t, "words") {
				b.WriteString(word.Draw(t, "word"))
			}
			b.WriteString(rapid.SampledFrom(kinds).Draw(t, "ending"))
		}
		b.WriteString(word.Draw(t, "end"))
		text := strings.ReplaceAll(strings.ToValidUTF8(b.String(), "?"), "\x00", "0")
		for strings.Contains(text, "\r\r\n") {
			text = strings.ReplaceAll(text, "\r\r\n", "\r\n")
		}
		return text
	})
}

// span is where a byte of the text, as an edit sees it, is in the file's bytes: the line
// feed of a CRLF stands for both.
type span struct{ from, to int }

// visible is a file's text without a mark at its beginning and with every CRLF as LF.
func visible(content string) (text []byte, spans []span) {
	for i := len(content) - len(strings.TrimPrefix(content, "\ufeff")); i < len(content); {
		n := 1
		if strings.HasPrefix(content[i:], "\r\n") {
			n = 2
		}
		text, spans = append(text, content[i+n-1]), append(spans, span{i, i + n})
		i += n
	}
	return text, spans
}

// places are where old is in a file's bytes, from left to right without overlap, and
// the number of places that there are with overlap.
func places(content, old string) (found []span, overlapping int) {
	text, spans := visible(content)
	for i, next := 0, 0; i+len(old) <= len(text); i++ {
		if string(text[i:i+len(old)]) != old {
			continue
		}
		overlapping++
		if i >= next {
			next = i + len(old)
			found = append(found, span{spans[i].from, spans[next-1].to})
		}
	}
	return found, overlapping
}
