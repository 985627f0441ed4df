package tool

import (
	"strings"
	"unicode"
)

// nearMiss is the declared name that the writer of name probably meant, or "": one
// that differs in case, '_' and '-' alone, else one of at least five letters that is
// one letter off. Decision V-17.
func (n *node) nearMiss(name string) string {
	if len(name) > maxNearMiss {
		return ""
	}
	folded := fold(name)
	for i := range n.props {
		if n.props[i].folded == folded {
			return n.props[i].name
		}
	}
	for i := range n.props {
		if oneOff(n.props[i].folded, folded) {
			return n.props[i].name
		}
	}
	return ""
}

// maxNearMiss bounds the names that are worth a look: nothing longer is a slip.
const maxNearMiss = 128

// fold brings the spellings of one name together: replace_all, replaceAll, Replace-All.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// oneOff reports whether name is declared with one letter put in, left out or changed.
func oneOff(declared, name string) bool {
	a, b := []rune(declared), []rune(name)
	if len(a) < 5 || len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch {
	case len(a) > len(b):
		a = a[1:]
	case len(b) > len(a):
		b = b[1:]
	case len(a) == 0:
		return false
	default:
		a, b = a[1:], b[1:]
	}
	return string(a) == string(b)
}
