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
	expr    string
	plain   *regexp.Regexp // right for ASCII, and for everything unless unicode is set
	unicode []branch       // for text that is not ASCII, where that makes a difference
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
	p := &Pattern{expr: expr, need: required(tree), anchors: anchorsOf(tree)}
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
	trees := []*syntax.Regexp{tree}
	if tree.Op == syntax.OpAlternate {
		trees = tree.Sub
	}
	for _, t := range trees {
		var b branch
		t, b.edges = withoutEdges(t)
		if b.re, err = compile(t); err != nil {
			return err
		}
		p.unicode = append(p.unicode, b)
	}
	return nil
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
	for i := range p.unicode {
		from, to, found := p.unicode[i].find(text)
		if found && (!ok || from < at) {
			at, end, ok = from, to, true
		}
	}
	return at, end, ok
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
