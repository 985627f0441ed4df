package ignore

import "strings"

// subject is what patterns are matched against.
type subject struct {
	path, base             string
	foldedPath, foldedBase string // if there are patterns that fold case

	first [4]byte // of the text that a pattern of each form is matched against
	last  [4]byte
}

// form says against which text of a subject a pattern is matched.
type form uint8

const (
	formBase form = 1 << iota // the last name, not the path
	formFold                  // folded
)

// key is what tells most patterns from most paths at a glance: the first and the last
// byte of what the pattern matches, or 0 where that can be any.
type key struct {
	form        form
	first, last byte
}

func newSubject(path string, folds bool) subject {
	s := subject{path: path, base: lastName(path)}
	s.edge(0, s.path)
	s.edge(formBase, s.base)
	if folds {
		s.foldedPath = fold(path)
		s.foldedBase = lastName(s.foldedPath)
		s.edge(formFold, s.foldedPath)
		s.edge(formFold|formBase, s.foldedBase)
	}
	return s
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func (s *subject) edge(f form, text string) {
	if text != "" {
		s.first[f], s.last[f] = text[0], text[len(text)-1]
	}
}

// may reports whether the pattern with this key may match.
func (s *subject) may(k key) bool {
	f := k.form & (formBase | formFold)
	return (k.last == 0 || k.last == s.last[f]) && (k.first == 0 || k.first == s.first[f])
}

func (p *Pattern) key() key {
	k := key{form: p.form}
	if g := &p.glob; g.head != "" {
		k.first = g.head[0]
	}
	switch g := &p.glob; {
	case g.glue == glueNone:
		k.last = g.head[len(g.head)-1]
	case g.tail != "":
		k.last = g.tail[len(g.tail)-1]
	}
	return k
}

// matches reports whether the pattern matches the subject.
func (p *Pattern) matches(s *subject) bool {
	switch p.form {
	case 0:
		return p.glob.match(s.path)
	case formBase:
		return p.glob.match(s.base)
	case formFold:
		return p.glob.matchFold(s.path, s.foldedPath)
	default:
		return p.glob.matchFold(s.base, s.foldedBase)
	}
}
