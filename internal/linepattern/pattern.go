// Package linepattern finds the lines of a text that a regular expression matches.
//
// The syntax is what RE2 and ripgrep have in common, and means what it means to
// ripgrep: \d, \w, \s and classes are of Unicode, no match crosses a line, "$" comes
// before the carriage return of a line that ends in one. What the two would read
// differently is refused, with words that say what to write instead. Every search takes
// time linear in the text.
package linepattern

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Pattern is a compiled expression. It never changes: safe for concurrent use.
type Pattern struct {
	plain   *regexp.Regexp // right for ASCII, and for everything unless unicode is set
	unicode *regexp.Regexp // for text that is not ASCII, where that makes a difference
	edges   edges          // what unicode leaves to be looked at
	need    literals       // a match holds one of them
	exact   bool           // a match is one of them
	anchors anchors
}

// Compile compiles an expression. Its error is for the model.
func Compile(expr string) (*Pattern, error) {
	if err := differs(expr); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, worded(expr, err)
	}
	if err := oneLine(tree); err != nil {
		return nil, err
	}
	p := &Pattern{need: required(tree), anchors: anchorsOf(tree)}
	p.exact = tree.Op == syntax.OpLiteral && p.need.only(tree)
	if p.plain, err = compile(tree); err != nil {
		return nil, worded(expr, err)
	}
	if sensitive(expr) {
		if err := p.compileUnicode(expr); err != nil {
			return nil, worded(expr, err)
		}
	}
	return p, nil
}

// compile makes the expression of a tree that no newline can be part of.
func compile(tree *syntax.Regexp) (*regexp.Regexp, error) {
	return regexp.Compile(`(?m)` + withinLine(tree).String())
}

func (p *Pattern) compileUnicode(expr string) error {
	tree, err := syntax.Parse(unicodeClasses(expr), syntax.Perl)
	if err != nil {
		return err
	}
	tree, p.edges = withoutEdges(tree)
	p.unicode, err = compile(tree)
	return err
}

// find gives the first match in text, which is one line or several. A match never
// crosses a line.
func (p *Pattern) find(text []byte) (at, end int, ok bool) {
	if p.unicode == nil || isASCII(text) {
		loc := p.plain.FindIndex(text)
		if loc == nil {
			return 0, 0, false
		}
		return loc[0], loc[1], true
	}
	for from := 0; from <= len(text); {
		loc := p.unicode.FindIndex(text[from:])
		if loc == nil {
			return 0, 0, false
		}
		at, end = from+loc[0], from+loc[1]
		if p.edges.hold(text, at, end) {
			return at, end, true
		}
		_, n := utf8.DecodeRune(text[at:])
		from = at + max(n, 1)
	}
	return 0, 0, false
}

// Match gives the first match in one line, which has no line feed.
func (p *Pattern) Match(line []byte) (at, end int, ok bool) { return p.find(line) }

// matchIn gives the first match in the line of text that begins at from and ends before
// to.
func (p *Pattern) matchIn(text []byte, from, to int) (at, end int, ok bool) {
	at, end, ok = p.find(text[from:to])
	return from + at, from + end, ok
}

func isASCII(text []byte) bool {
	for len(text) >= 8 {
		if word(text)&highBits != 0 {
			return false
		}
		text = text[8:]
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lineEnd is where the line of text that holds byte i ends: before its line feed.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}
