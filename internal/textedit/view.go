package textedit

import (
	"sort"
	"strings"
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

// splice replaces old at each position of text by new, in raw. What old and new
// begin or end with alike stays as it is, bytes and endings; each line feed between
// takes the ending of the one that it stands for.
func (v *view) splice(at []int, old, new string) string {
	whole := len(old)
	head := commonPrefix(old, new)
	tail := commonSuffix(old[head:], new[head:])
	old, new = old[head:len(old)-tail], new[head:len(new)-tail]
	var b strings.Builder
	b.Grow(len(v.raw) + len(at)*len(new))
	from := 0
	for _, start := range at {
		p := start + head
		b.WriteString(v.raw[from:v.rawAt(p)])
		v.put(&b, p, old, new, start, start+whole)
		from = v.rawAt(p + len(old))
	}
	b.WriteString(v.raw[from:])
	return b.String()
}

// put writes new in the place of old at position p of the text, within the match
// from start to stop.
func (v *view) put(b *strings.Builder, p int, old, new string, start, stop int) {
	next := p // where to look for the next line feed that is replaced
	end := p + len(old)
	crlf, known := false, false
	for {
		i := strings.IndexByte(new, '\n')
		if i < 0 {
			b.WriteString(new)
			return
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

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}
