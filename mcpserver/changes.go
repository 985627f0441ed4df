package mcpserver

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/card"
)

// What a person is shown of a change at most. More is not read; how much is missing is
// said, and the answer holds for all of it.
const (
	maxLines = 60
	maxLine  = 200 // characters
)

// changes writes a request's diff, a line for each line.
func changes(b *strings.Builder, r approval.Request) {
	var lines []string
	cut := r.Cut
	for i, d := range r.Diffs {
		if i > 0 {
			lines = append(lines, "…")
		}
		lines = append(lines, diffLines(d)...)
		cut = cut || d.Truncated
	}
	more := max(0, len(lines)-maxLines)
	for _, line := range lines[:len(lines)-more] {
		b.WriteString(visible(line, maxLine) + "\n")
	}
	switch {
	case len(lines) == 0 && !cut:
		b.WriteString("(no line of text)\n")
	case cut:
		b.WriteString("(THERE IS MORE, which is too long to be shown)\n")
	case more > 0:
		fmt.Fprintf(b, "(%d MORE LINES, which are too many to be shown)\n", more)
	}
}

// diffLines is one changed place: what its two sides begin and end with in common is its
// context.
func diffLines(d card.FileDiff) []string {
	fresh := split(d.NewText)
	if d.OldText == nil {
		return marked(nil, "+", fresh)
	}
	old := split(*d.OldText)
	before, after := 0, 0
	for before < min(len(old), len(fresh)) && old[before] == fresh[before] {
		before++
	}
	for after < min(len(old), len(fresh))-before && old[len(old)-1-after] == fresh[len(fresh)-1-after] {
		after++
	}
	lines := marked(nil, " ", old[:before])
	lines = marked(lines, "-", old[before:len(old)-after])
	lines = marked(lines, "+", fresh[before:len(fresh)-after])
	return marked(lines, " ", old[len(old)-after:])
}

func marked(lines []string, mark string, texts []string) []string {
	for _, text := range texts {
		lines = append(lines, mark+text)
	}
	return lines
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// visible is text of somebody else's, on one line: what moves a cursor, hides or turns
// the direction of what follows is written out, and what is beyond limit characters left
// out.
func visible(text string, limit int) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(text); n++ {
		if n == limit {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}
