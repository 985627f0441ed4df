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
	s := &Scanner{pattern: p, cursors: make([]cursor, len(p.need.texts)), filters: !p.Selective() && !p.exact}
	for _, text := range p.need.texts {
		s.needles = append(s.needles, newNeedle(text, p.need.fold))
	}
	return s
}

// Reset begins a text, which is whole lines.
func (s *Scanner) Reset(text []byte) {
	s.text, s.pos = text, 0
	need := &s.pattern.need
	s.makeFilter()
	s.literal = len(s.needles) > 0 && !need.folds(text) && (!s.filters || need.rare())
	if !s.literal {
		return
	}
	for i := range s.cursors {
		s.cursors[i] = cursor{lower: -1, upper: -1}
		s.needles[i].seek(&s.cursors[i], text, 0)
	}
}

func (s *Scanner) makeFilter() {
	if s.filters && s.filter == nil {
		s.filter = newFilter(s.pattern)
		s.filters = s.filter != nil
	}
}

// mayMatch reports whether a line, which has no line feed, is worth running the
// expression on.
func (s *Scanner) mayMatch(line []byte) bool {
	return s.filter == nil || s.filter.off() || s.filter.line(line)
}

// MatchPart is that of the pattern, but sooner where there is none.
func (s *Scanner) MatchPart(part []byte, first, last bool) (at, end int, ok bool) {
	if s.makeFilter(); !s.mayMatch(part) {
		return 0, 0, false
	}
	return s.pattern.MatchPart(part, first, last)
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
		if !s.mayMatch(s.text[f.Start:f.End]) {
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
