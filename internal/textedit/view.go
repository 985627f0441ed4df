package textedit

import (
	"iter"
	"sort"
	"strings"
	"unicode/utf8"
)

// view is a text as matching sees it, and where its line feeds were CRLF.
type view struct {
	raw  string
	text string // raw with every CRLF as LF
	crlf []int  // positions in text of the line feeds that raw has as CRLF, ascending
}

func newView(raw string) *view {
	n := strings.Count(raw, "\r\n")
	if n == 0 {
		return &view{raw: raw, text: raw}
	}
	v := &view{raw: raw, crlf: make([]int, 0, n)}
	var b strings.Builder
	b.Grow(len(raw) - n)
	for rest := raw; ; {
		i := strings.Index(rest, "\r\n")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		v.crlf = append(v.crlf, b.Len())
		b.WriteByte('\n')
		rest = rest[i+2:]
	}
	v.text = b.String()
	return v
}

// rawAt is the position in raw of position p in text. The line feed of a CRLF
// stands for both bytes, so that p before it is before the CR.
func (v *view) rawAt(p int) int { return p + sort.SearchInts(v.crlf, p) }

func (v *view) isCRLF(p int) bool {
	i := sort.SearchInts(v.crlf, p)
	return i < len(v.crlf) && v.crlf[i] == p
}

// spans gives what changes in raw when old is replaced by new at each position. What old
// and new begin or end with alike stays as it is, bytes and endings; each line feed
// between takes the ending of the one that it stands for.
func (v *view) spans(at []int, old, new string) iter.Seq[Span] {
	whole := len(old)
	head := commonPrefix(old, new)
	tail := commonSuffix(old[head:], new[head:])
	old, new = old[head:len(old)-tail], new[head:len(new)-tail]
	return func(yield func(Span) bool) {
		for _, start := range at {
			p := start + head
			s := Span{v.rawAt(p), v.rawAt(p + len(old)), v.put(p, old, new, start, start+whole)}
			if !yield(s) {
				return
			}
		}
	}
}

// put is new as it belongs in the place of old at position p of the text, within the
// match from start to stop.
func (v *view) put(p int, old, new string, start, stop int) string {
	if len(v.crlf) == 0 || !strings.Contains(new, "\n") {
		return new
	}
	var b strings.Builder
	next := p // where to look for the next line feed that is replaced
	end := p + len(old)
	crlf, known := false, false
	for {
		i := strings.IndexByte(new, '\n')
		if i < 0 {
			b.WriteString(new)
			return b.String()
		}
		b.WriteString(new[:i])
		if j := strings.IndexByte(v.text[next:end], '\n'); j >= 0 {
			crlf, known = v.isCRLF(next+j), true
			next += j + 1
		} else if !known {
			crlf, known = v.neighbour(p, end, start, stop), true
		}
		if crlf {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
		new = new[i+1:]
	}
}

// neighbour is the ending that belongs to text put at p to end where no line feed is
// replaced: that of a line in the same match, else of the line it stands in, else of
// the line before.
func (v *view) neighbour(p, end, start, stop int) bool {
	if i := strings.LastIndexByte(v.text[start:p], '\n'); i >= 0 {
		return v.isCRLF(start + i)
	}
	if i := strings.IndexByte(v.text[end:stop], '\n'); i >= 0 {
		return v.isCRLF(end + i)
	}
	if i := strings.IndexByte(v.text[stop:], '\n'); i >= 0 {
		return v.isCRLF(stop + i)
	}
	if i := strings.LastIndexByte(v.text[:start], '\n'); i >= 0 {
		return v.isCRLF(i)
	}
	return false
}

// commonPrefix is how many bytes of whole characters two texts begin with alike.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (inside(a, n) || inside(b, n)) {
		n--
	}
	return n
}

// commonSuffix is how many bytes of whole characters two texts end with alike.
func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && inside(a, len(a)-n) {
		n--
	}
	return n
}

func inside(s string, i int) bool { return i < len(s) && !utf8.RuneStart(s[i]) }
