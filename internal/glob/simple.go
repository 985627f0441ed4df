package glob

import "strings"

// simple is a pattern of names of the most common kind, which needs no expression: text
// with at most one star before it and one behind.
type simple struct {
	text        string
	before, end bool // a star is there
}

func (s *simple) recognise(list tokens) bool {
	if n := len(list); n > 0 && list[0].kind == star {
		s.before, list = true, list[1:]
	}
	if n := len(list); n > 0 && list[n-1].kind == star {
		s.end, list = true, list[:n-1]
	}
	text, ok := list.text()
	s.text = text
	return ok
}

func (s *simple) match(name string) bool {
	switch {
	case s.before && s.end:
		return strings.Contains(name, s.text)
	case s.before:
		return strings.HasSuffix(name, s.text)
	case s.end:
		return strings.HasPrefix(name, s.text)
	}
	return name == s.text
}
