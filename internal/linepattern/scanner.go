package linepattern

import "bytes"

// Scanner looks through texts, one after another, with buffers of its own. It belongs
// to one goroutine.
type Scanner struct {
	pattern *Pattern
	text    []byte
	lower   []byte // text, if the literals are of either case
	folded  []byte // the buffer of lower
	needles [][]byte
	hits    []int // of each needle, where it is next; -1 for nowhere
	literal bool  // the literals decide where to look
	pos     int
}

// NewScanner makes a scanner for the pattern.
func (p *Pattern) NewScanner() *Scanner {
	s := &Scanner{pattern: p, hits: make([]int, len(p.need.texts))}
	for _, text := range p.need.texts {
		s.needles = append(s.needles, []byte(text))
	}
	return s
}

// Reset begins a text, which is whole lines.
func (s *Scanner) Reset(text []byte) {
	s.text, s.pos = text, 0
	need := &s.pattern.need
	s.literal = len(need.texts) > 0 && !need.folds(text)
	if !s.literal {
		return
	}
	s.lower = text
	if need.fold {
		s.folded = fold(s.folded, text)
		s.lower = s.folded
	}
	for i := range s.hits {
		s.hits[i] = 0
		s.seek(i)
	}
}

// seek finds the next place of a literal, at pos or behind it.
func (s *Scanner) seek(i int) {
	if s.hits[i] = bytes.Index(s.lower[s.pos:], s.needles[i]); s.hits[i] >= 0 {
		s.hits[i] += s.pos
	}
}

// Found is a line with a match: without its line feed it is text[Start:End]. The match
// is text[At:Until].
type Found struct{ Start, End, At, Until int }

// Next gives the next line with a match. stop is asked now and then, and ends the
// search.
func (s *Scanner) Next(stop func() bool) (f Found, ok bool) {
	if s.literal {
		return s.byLiteral(stop)
	}
	return s.byExpression(stop)
}

func (s *Scanner) byLiteral(stop func() bool) (f Found, ok bool) {
	for n := 1; ; n++ {
		hit, which := s.nearest()
		if hit < 0 || n%256 == 0 && stop() {
			return f, false
		}
		f.Start = bytes.LastIndexByte(s.text[s.pos:hit], '\n') + 1 + s.pos
		f.End = lineEnd(s.text, hit)
		s.pos = min(f.End+1, len(s.text))
		if s.pattern.exact {
			f.At, f.Until = hit, hit+len(s.needles[which])
			return f, true
		}
		if f.At, f.Until, ok = s.pattern.matchIn(s.text, f.Start, f.End); ok {
			return f, true
		}
	}
}

func (s *Scanner) nearest() (hit, which int) {
	hit = -1
	for i, at := range s.hits {
		if at >= 0 && at < s.pos {
			s.seek(i)
			at = s.hits[i]
		}
		if at >= 0 && (hit < 0 || at < hit) {
			hit, which = at, i
		}
	}
	return hit, which
}

// pieceSize is how much is given to the expression at once, so that a search can end.
const pieceSize = 32 << 10

// byExpression lets the expression look through whole pieces. A piece that is not ASCII
// is looked at line by line, since that makes a difference for most lines of few.
func (s *Scanner) byExpression(stop func() bool) (f Found, ok bool) {
	for s.pos < len(s.text) {
		if stop() {
			return f, false
		}
		to := len(s.text)
		if to-s.pos > pieceSize {
			to = s.pos + pieceSize
			if n := bytes.LastIndexByte(s.text[s.pos:to], '\n'); n >= 0 {
				to = s.pos + n + 1
			} else {
				to = lineEnd(s.text, to)
			}
		}
		if s.pattern.unicode != nil && !isASCII(s.text[s.pos:to]) {
			to = min(lineEnd(s.text, s.pos)+1, to)
		}
		// Without its last line feed, behind which no line begins.
		piece := bytes.TrimSuffix(s.text[s.pos:to], []byte{'\n'})
		at, until, found := s.pattern.matchIn(s.text, s.pos, s.pos+len(piece))
		if !found {
			s.pos = to
			continue
		}
		f = Found{At: at, Until: until}
		f.Start = bytes.LastIndexByte(s.text[s.pos:at], '\n') + 1 + s.pos
		f.End = lineEnd(s.text, at)
		s.pos = min(f.End+1, len(s.text))
		return f, true
	}
	return f, false
}
