package linepattern

import "bytes"

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
