package linediff

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// anchored aligns the texts by the lines that both have exactly once, in near linear
// time. It reads the changes off the library's unified text by the counts in the
// headers of its chunks, so that no content can pass for a header.
func (p *pair) anchored() []change {
	old := p.old.all[p.old.starts[p.same]:]
	new := p.new.all[p.new.starts[p.same]:]
	rest := diff.Diff("", []byte(old), "", []byte(new))
	for range 3 {
		_, rest, _ = bytes.Cut(rest, []byte("\n")) // diff, ---, +++
	}
	var changes []change
	for len(rest) > 0 {
		var header []byte
		header, rest, _ = bytes.Cut(rest, []byte("\n"))
		x, y := parseHeader(header)
		open := false // the last change may still grow
		for x.count > 0 || y.count > 0 {
			kind := rest[0]
			rest = afterLine(rest)
			c := change{x.at, x.at, y.at, y.at}
			if kind != '+' {
				x.at, x.count = x.at+1, x.count-1
				c.oldTo++
			}
			if kind != '-' {
				y.at, y.count = y.at+1, y.count-1
				c.newTo++
			}
			switch {
			case kind == ' ':
				open = false
			case open:
				last := &changes[len(changes)-1]
				last.oldTo, last.newTo = c.oldTo, c.newTo
			default:
				changes = append(changes, c)
				open = true
			}
		}
	}
	for i := range changes {
		changes[i] = changes[i].shift(p.same)
	}
	return changes
}

// span is where one side of a chunk stands, counted from 0, and how many of its lines
// are still to come.
type span struct{ at, count int }

// parseHeader reads "@@ -a,b +c,d @@".
func parseHeader(line []byte) (x, y span) {
	var numbers [4]int
	i := 0
	for _, b := range line {
		switch {
		case b >= '0' && b <= '9':
			numbers[i] = numbers[i]*10 + int(b-'0')
		case b == ',' || b == '+':
			i++
		}
	}
	return newSpan(numbers[0], numbers[1]), newSpan(numbers[2], numbers[3])
}

// newSpan makes a span of a header's numbers: an empty side names the line before.
func newSpan(start, count int) span {
	if count > 0 {
		start--
	}
	return span{start, count}
}

// afterLine drops a line of a chunk, and the remark that it lacks its line feed.
func afterLine(rest []byte) []byte {
	_, rest, _ = bytes.Cut(rest, []byte("\n"))
	if len(rest) > 0 && rest[0] == '\\' {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return rest
}
