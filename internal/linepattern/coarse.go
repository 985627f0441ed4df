package linepattern

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Selective reports that every match holds a text of some length: then lines are found
// by looking for that, and the expression itself is hardly ever run.
func (p *Pattern) Selective() bool {
	for _, text := range p.need.texts {
		if len(text) < 3 {
			return false
		}
	}
	return len(p.need.texts) > 0
}

// Coarse gives an expression for ripgrep that matches in every line of UTF-8, or of bytes
// that are none, in which the pattern does, and perhaps in more. It is made of
// characters by their codes, or of bytes, and of no class that has a name, so that no
// table of Unicode and no version of one can make it match less. ok is false where it would match in nearly every line.
func (p *Pattern) Coarse() (expr string, ok bool) {
	if p.Selective() {
		return p.need.coarse(), true
	}
	expr = p.expr
	if sensitive(expr) {
		expr = unicodeClasses(expr)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || p.plain.MatchString("") {
		return "", false
	}
	c := coarse{ok: true}
	c.tree(tree)
	return c.String(), c.ok && !matchesAll(tree)
}

func (l literals) coarse() string {
	var c coarse
	for i, text := range l.texts {
		if i > 0 {
			c.WriteByte('|')
		}
		if l.fold {
			c.WriteString("(?i:")
		}
		c.bytes(text)
		if l.fold {
			c.WriteByte(')')
		}
	}
	return c.String()
}

// coarse writes an expression of bytes.
type coarse struct {
	strings.Builder
	ok bool
}

func (c *coarse) tree(t *syntax.Regexp) {
	switch t.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		// The edges of words differ: they are looked at afterwards.
	case syntax.OpBeginLine, syntax.OpBeginText:
		c.WriteString(`(?m:^)`)
	case syntax.OpEndLine, syntax.OpEndText:
		c.WriteString(`\r?(?m:$)`)
	case syntax.OpLiteral:
		for _, r := range t.Rune {
			c.literal(r, t.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		setOf(t).write(c)
	case syntax.OpCapture:
		c.group(t.Sub, "")
	case syntax.OpConcat:
		for _, sub := range t.Sub {
			c.tree(sub)
		}
	case syntax.OpAlternate:
		c.group(t.Sub, "|")
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		c.repeat(t)
	default:
		c.ok = false
	}
}

func (c *coarse) group(subs []*syntax.Regexp, between string) {
	c.WriteString("(?:")
	for i, sub := range subs {
		if i > 0 {
			c.WriteString(between)
		}
		c.tree(sub)
	}
	c.WriteByte(')')
}

func (c *coarse) repeat(t *syntax.Regexp) {
	switch op := t.Sub[0].Op; {
	case t.Op != syntax.OpStar && t.Op != syntax.OpPlus:
		c.group(t.Sub, "")
	case op == syntax.OpCharClass || op == syntax.OpAnyChar || op == syntax.OpAnyCharNotNL:
		// However many characters, it is however many bytes.
		s := setOf(t.Sub[0])
		s.single = true
		s.write(c)
	default:
		c.group(t.Sub, "")
	}
	switch t.Op {
	case syntax.OpStar:
		c.WriteByte('*')
	case syntax.OpPlus:
		c.WriteByte('+')
	case syntax.OpQuest:
		c.WriteByte('?')
	default:
		fmt.Fprintf(c, "{%d,", t.Min)
		if t.Max >= 0 {
			fmt.Fprint(c, t.Max)
		}
		c.WriteByte('}')
	}
}

// literal writes one character. What stands for bytes that are no text is any of those.
func (c *coarse) literal(r rune, fold bool) {
	if r != utf8.RuneError && (!fold || unicode.SimpleFold(r) == r) {
		c.bytes(string(r))
		return
	}
	var s set
	s.add(r, r)
	if fold {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			s.add(f, f)
		}
	}
	s.write(c)
}

func (c *coarse) bytes(text string) {
	for _, b := range []byte(text) {
		if b < utf8.RuneSelf {
			fmt.Fprintf(c, `\x%02X`, b)
		} else {
			fmt.Fprintf(c, `(?-u:\x%02X)`, b)
		}
	}
}
