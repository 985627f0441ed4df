package linepattern

import (
	"regexp/syntax"
	"slices"
)

// withinLine gives the tree in which nothing matches a line feed, and lines begin and
// end where a text does and at line feeds, before which there may be a carriage return.
func withinLine(tree *syntax.Regexp) *syntax.Regexp {
	t := *tree
	t.Sub = make([]*syntax.Regexp, len(tree.Sub))
	for i, sub := range tree.Sub {
		t.Sub[i] = withinLine(sub)
	}
	switch t.Op {
	case syntax.OpAnyChar:
		t.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		t.Op = syntax.OpBeginLine
	case syntax.OpEndText, syntax.OpEndLine:
		return lineEndTree()
	case syntax.OpCharClass:
		if t.Rune = without(tree.Rune, '\n'); len(t.Rune) == 0 {
			t.Op = syntax.OpNoMatch
		}
	}
	return &t
}

func lineEndTree() *syntax.Regexp {
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
		{Op: syntax.OpQuest, Sub: []*syntax.Regexp{{Op: syntax.OpLiteral, Rune: []rune{'\r'}}}},
		{Op: syntax.OpEndLine},
	}}
}

// without takes a character out of pairs of first and last characters.
func without(ranges []rune, r rune) (rest []rune) {
	for pair := range slices.Chunk(ranges, 2) {
		low, high := pair[0], pair[1]
		if r < low || r > high {
			rest = append(rest, low, high)
			continue
		}
		if low < r {
			rest = append(rest, low, r-1)
		}
		if r < high {
			rest = append(rest, r+1, high)
		}
	}
	return rest
}

// anchors says what of a pattern depends on where a line begins and ends.
type anchors struct{ begin, end, word bool }

func anchorsOf(tree *syntax.Regexp) (a anchors) {
	switch tree.Op {
	case syntax.OpBeginLine, syntax.OpBeginText:
		a.begin = true
	case syntax.OpEndLine, syntax.OpEndText:
		a.end = true
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		a.word = true
	}
	for _, sub := range tree.Sub {
		s := anchorsOf(sub)
		a = anchors{a.begin || s.begin, a.end || s.end, a.word || s.word}
	}
	return a
}

// MatchPart gives a match in a part of a line that is too long to be held: its first or
// last part, or one in between. What cannot be decided without the rest is no match.
func (p *Pattern) MatchPart(part []byte, first, last bool) (at, end int, ok bool) {
	if p.anchors.begin && !first || p.anchors.end && !last {
		return 0, 0, false
	}
	at, end, ok = p.find(part)
	if ok && p.anchors.word && (at == 0 && !first || end == len(part) && !last) {
		return 0, 0, false
	}
	return at, end, ok
}
