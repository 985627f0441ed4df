package linepattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The classes of ripgrep, to be put between brackets. Its letters of a word are what
// Unicode calls alphabetic, which here are letters, marks, numbers that are letters,
// and the letters in circles and squares.
const (
	digits = `\p{Nd}`
	words  = `\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}`
	spaces = `\t-\r\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
)

// sensitive reports an expression that means something else for text that is not ASCII
// than RE2 takes it for.
func sensitive(expr string) bool {
	for t := range pieces(expr) {
		if t.escape() && strings.IndexByte("dDwWsSbB", t.rest[1]) >= 0 {
			return true
		}
	}
	return false
}

// unicodeClasses writes the classes out.
func unicodeClasses(expr string) string {
	var b strings.Builder
	for t := range pieces(expr) {
		set := ""
		if t.escape() {
			set = map[byte]string{'d': digits, 'w': words, 's': spaces}[t.rest[1]|0x20]
		}
		negated := t.size > 1 && t.rest[1]&0x20 == 0
		switch {
		case set == "":
			b.WriteString(t.text())
		case t.inClass && negated:
			b.WriteString(complement(set))
		case t.inClass:
			b.WriteString(set)
		case negated:
			b.WriteString("[^" + set + "]")
		default:
			b.WriteString("[" + set + "]")
		}
	}
	return b.String()
}

// complement is what is not in a set, to be put between brackets.
func complement(set string) string {
	tree, err := syntax.Parse("[^"+set+"]", syntax.Perl)
	if err != nil || tree.Op != syntax.OpCharClass {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(tree.Rune); i += 2 {
		fmt.Fprintf(&b, `\x{%x}-\x{%x}`, tree.Rune[i], tree.Rune[i+1])
	}
	return b.String()
}

// branch is an expression, or one alternative of it, and what it leaves to be looked at.
type branch struct {
	re    *regexp.Regexp
	edges edges
}

// find gives the first match in text.
func (b *branch) find(text []byte) (at, end int, ok bool) {
	for from := 0; from <= len(text); {
		loc := b.re.FindIndex(text[from:])
		if loc == nil {
			return 0, 0, false
		}
		at, end = from+loc[0], from+loc[1]
		if b.edges.hold(text, at, end) {
			return at, end, true
		}
		_, n := utf8.DecodeRune(text[at:])
		from = at + max(n, 1)
	}
	return 0, 0, false
}

// edges says that a match must begin or end at the edge of a word. RE2 knows words of
// ASCII only; where "\b" is at either end of an expression, which is nearly always, it
// is looked at here, in each alternative. Elsewhere a letter that is not ASCII is no part of a word.
type edges struct{ start, end bool }

func withoutEdges(tree *syntax.Regexp) (*syntax.Regexp, edges) {
	var e edges
	if tree.Op != syntax.OpConcat {
		return tree, e
	}
	sub := tree.Sub
	if len(sub) > 1 && sub[0].Op == syntax.OpWordBoundary {
		e.start, sub = true, sub[1:]
	}
	if n := len(sub); n > 1 && sub[n-1].Op == syntax.OpWordBoundary {
		e.end, sub = true, sub[:n-1]
	}
	rest := *tree
	rest.Sub = sub
	return &rest, e
}

func (e edges) hold(text []byte, at, end int) bool {
	return (!e.start || isEdge(text, at)) && (!e.end || isEdge(text, end))
}

func isEdge(text []byte, i int) bool {
	before, _ := utf8.DecodeLastRune(text[:i])
	behind, _ := utf8.DecodeRune(text[i:])
	return isWord(before) != isWord(behind)
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (r == '\u200c' || r == '\u200d' || unicode.In(r, unicode.L, unicode.M, unicode.Nl, unicode.Nd, unicode.Pc, unicode.Other_Alphabetic))
}
