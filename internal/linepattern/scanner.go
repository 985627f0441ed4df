package linepattern

import "bytes"

// Scanner looks through texts, one after another. It belongs to one goroutine.
type Scanner struct {
	pattern *Pattern
	text    []byte
	pos     int
	literal bool    // needles decide where to look
	filter  *filter // nil: not made, or of no use
	filters bool    // there may be one
	needles []needle
	cursors []cursor // of each needle
}

// NewScanner makes a scanner for the pattern.
func (p *Pattern) NewScanner() *Scanner {
	s := &Scanner{pattern: p, cursors: make([]cursor, len(p.need.texts)), filters: !p.Selective()}
	for _, text := range p.need.texts {
		s.needles = append(s.needles, newNeedle(text, p.need.fold))
	}
	return s
}

// Reset begins a text, which is whole lines.
func (s *Scanner) Reset(text []byte) {
	s.text, s.pos = text, 0
	need := &s.pattern.need
	s.literal = len(s.needles) > 0 && !need.folds(text) && (!s.filters || s.pattern.exact || need.rare())
	if s.filters && s.filter == nil && !s.pattern.exact {
		s.filter = newFilter(s.pattern)
		s.filters = s.filter != nil
	}
	if !s.literal {
		return
	}
	for i := range s.cursors {
		s.cursors[i] = cursor{lower: -1, upper: -1}
		s.needles[i].seek(&s.cursors[i], text, 0)
	}
}

// Found is a line with a match: without its line feed it is text[Start:End]. The match
// is text[At:Until].
type Found struct{ Start, End, At, Until int }

// Next gives the next line with a match. stop is asked now and then, and ends the
// search.
func (s *Scanner) Next(stop func() bool) (f Found, ok bool) {
	switch {
	case s.literal:
		return s.byLiteral(stop)
	case s.filter != nil && !s.filter.off():
		return s.byFilter(stop)
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
			f.At, f.Until = hit, hit+len(s.needles[which].text)
			return f, true
		}
		if s.filter != nil && !s.filter.off() && !s.filter.line(s.text[f.Start:f.End]) {
			continue
		}
		if f.At, f.Until, ok = s.pattern.matchIn(s.text, f.Start, f.End); ok {
			return f, true
		}
	}
}

// nearest is the first place of any needle at pos or behind it, -1 for none.
func (s *Scanner) nearest() (hit, which int) {
	hit = -1
	for i := range s.cursors {
		c := &s.cursors[i]
		if c.at >= 0 && c.at < s.pos {
			s.needles[i].seek(c, s.text, s.pos)
		}
		if c.at >= 0 && (hit < 0 || c.at < hit) {
			hit, which = c.at, i
		}
	}
	return hit, which
}

// pieceSize is how much is given to the expression at once, so that a search can end.
const pieceSize = 32 << 10

// piece is where whole lines end, of which there are not too many bytes.
func (s *Scanner) piece() (to int) {
	if len(s.text)-s.pos <= pieceSize {
		return len(s.text)
	}
	to = s.pos + pieceSize
	if n := bytes.LastIndexByte(s.text[s.pos:to], '\n'); n >= 0 {
		return s.pos + n + 1
	}
	return min(lineEnd(s.text, to)+1, len(s.text))
}

// byFilter runs the expression on lines that the filter lets pass.
func (s *Scanner) byFilter(stop func() bool) (f Found, ok bool) {
	for s.pos < len(s.text) {
		if stop() {
			return f, false
		}
		for to := s.piece(); s.pos < to; {
			hit := s.filter.next(s.text[s.pos:to])
			if hit < 0 {
				s.pos = to
				break
			}
			hit += s.pos
			f.Start = bytes.LastIndexByte(s.text[s.pos:hit], '\n') + 1 + s.pos
			f.End = lineEnd(s.text, hit)
			s.pos = min(f.End+1, len(s.text))
			if f.At, f.Until, ok = s.pattern.matchIn(s.text, f.Start, f.End); ok {
				return f, true
			}
		}
		if s.filter.off() {
			return s.byExpression(stop)
		}
	}
	return f, false
}

// byExpression lets the expression look through whole pieces. A piece that is not ASCII
// is looked at line by line, since that makes a difference for most lines of few.
func (s *Scanner) byExpression(stop func() bool) (f Found, ok bool) {
	for s.pos < len(s.text) {
		if stop() {
			return f, false
		}
		to := s.piece()
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
