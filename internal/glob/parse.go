package glob

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// kind is what a token matches.
type kind uint8

const (
	text       kind = iota // itself
	anyChar                // ?
	star                   // *
	doubleStar             // ** as a component: any directories, none included
	class                  // [...]
	choice                 // {...}
	slash
)

// token is a piece of a pattern.
type token struct {
	kind    kind
	text    string   // of text; of a class, as an expression
	choices []tokens // of a choice
}

type tokens []token

const maxNesting = 32

var (
	errUnclosedClass  = errors.New("unclosed character class; missing ']'")
	errUnclosedChoice = errors.New("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)")
	errUnopened       = errors.New("unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)")
	errDangling       = errors.New(`dangling '\'`)
	errNested         = fmt.Errorf("alternates nested more than %d deep", maxNesting)
)

// parser reads one pattern.
type parser struct {
	rest  string
	depth int
	// starts reports that what comes is at the start of a component.
	starts bool
}

func parse(pattern string) (tokens, error) {
	p := parser{rest: pattern, starts: true}
	list, err := p.sequence()
	if err == nil && p.rest != "" {
		err = errUnopened
	}
	return list, err
}

// sequence reads up to the end, or to what ends an alternative.
func (p *parser) sequence() (list tokens, err error) {
	for p.rest != "" {
		c := p.rest[0]
		if c == '}' || c == ',' && p.depth > 0 {
			return list, nil
		}
		started := p.starts
		p.starts = false
		var t token
		switch c {
		case '/':
			p.rest, p.starts = p.rest[1:], true
			t.kind = slash
		case '?':
			p.rest = p.rest[1:]
			t.kind = anyChar
		case '*':
			t = p.stars(started)
		case '[':
			t, err = p.class()
		case '{':
			t, err = p.choice(started)
		default:
			t, err = p.character()
		}
		if err != nil {
			return nil, err
		}
		if n := len(list); t.kind == text && n > 0 && list[n-1].kind == text {
			list[n-1].text += t.text
			continue
		}
		list = append(list, t)
	}
	return list, nil
}

// stars reads a run of stars: those that are a whole component span directories.
func (p *parser) stars(started bool) token {
	rest := strings.TrimLeft(p.rest, "*")
	n := len(p.rest) - len(rest)
	p.rest = rest
	ends := rest == "" || rest[0] == '/' || p.depth > 0 && (rest[0] == ',' || rest[0] == '}')
	if n >= 2 && started && ends {
		return token{kind: doubleStar}
	}
	return token{kind: star}
}

func (p *parser) character() (token, error) {
	if p.rest[0] == '\\' {
		if p.rest = p.rest[1:]; p.rest == "" {
			return token{}, errDangling
		}
	}
	_, n := utf8.DecodeRuneInString(p.rest)
	t := token{kind: text, text: p.rest[:n]}
	p.rest = p.rest[n:]
	return t, nil
}

func (p *parser) choice(started bool) (t token, err error) {
	if p.depth++; p.depth > maxNesting {
		return t, errNested
	}
	t.kind = choice
	for p.rest != "" && p.rest[0] != '}' {
		p.rest, p.starts = p.rest[1:], started
		list, err := p.sequence()
		if err != nil {
			return t, err
		}
		t.choices = append(t.choices, list)
	}
	if p.rest == "" {
		return t, errUnclosedChoice
	}
	p.rest, p.starts = p.rest[1:], false
	p.depth--
	return t, nil
}

// class reads a character class into an expression; no class ever matches a slash.
func (p *parser) class() (token, error) {
	rest := p.rest[1:]
	negated := rest != "" && (rest[0] == '!' || rest[0] == '^')
	if negated {
		rest = rest[1:]
	}
	var b strings.Builder
	for first := true; ; first = false {
		if rest == "" {
			return token{}, errUnclosedClass
		}
		if rest[0] == ']' && !first {
			break
		}
		low, after, err := classChar(rest)
		if err != nil {
			return token{}, err
		}
		high := low
		if len(after) > 1 && after[0] == '-' && after[1] != ']' {
			if high, after, err = classChar(after[1:]); err != nil {
				return token{}, err
			}
		}
		if low > high {
			return token{}, fmt.Errorf("invalid range; '%c' > '%c'", low, high)
		}
		rest = after
		for _, r := range withoutSlash(low, high) {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, r[0], r[1])
		}
	}
	p.rest = rest[1:]
	switch {
	case negated:
		return token{kind: class, text: `[^/` + b.String() + `]`}, nil
	case b.Len() == 0:
		return token{kind: class, text: `[^\x00-\x{10ffff}]`}, nil
	}
	return token{kind: class, text: `[` + b.String() + `]`}, nil
}

func classChar(s string) (r rune, rest string, err error) {
	if s[0] == '\\' {
		if s = s[1:]; s == "" {
			return 0, "", errUnclosedClass
		}
	}
	r, n := utf8.DecodeRuneInString(s)
	return r, s[n:], nil
}

func withoutSlash(low, high rune) (ranges [][2]rune) {
	if low > '/' || high < '/' {
		return [][2]rune{{low, high}}
	}
	if low < '/' {
		ranges = append(ranges, [2]rune{low, '/' - 1})
	}
	if high > '/' {
		ranges = append(ranges, [2]rune{'/' + 1, high})
	}
	return ranges
}

// text gives the text of a list that is nothing else.
func (list tokens) text() (string, bool) {
	switch {
	case len(list) == 0:
		return "", true
	case len(list) == 1 && list[0].kind == text:
		return list[0].text, true
	}
	return "", false
}

// spans reports that a list can match a slash.
func (list tokens) spans() bool {
	for _, t := range list {
		if t.kind == doubleStar || t.kind == slash {
			return true
		}
		for _, c := range t.choices {
			if c.spans() {
				return true
			}
		}
	}
	return false
}

// split gives the components of a pattern.
func split(list tokens) (components []tokens) {
	from := 0
	for i, t := range list {
		if t.kind == slash {
			components = append(components, list[from:i])
			from = i + 1
		}
	}
	return append(components, list[from:])
}

// afterDoubleStar gives the last component of a pattern "**/component".
func afterDoubleStar(components []tokens) (tokens, bool) {
	if len(components) != 2 || len(components[0]) != 1 || components[0][0].kind != doubleStar || components[1].spans() {
		return nil, false
	}
	return components[1], true
}

// write writes a list as an expression.
func write(b *strings.Builder, list tokens) {
	for i := 0; i < len(list); i++ {
		t := list[i]
		switch t.kind {
		case text:
			b.WriteString(regexp.QuoteMeta(t.text))
		case anyChar:
			b.WriteString(`[^/]`)
		case star:
			b.WriteString(`[^/]*`)
		case class:
			b.WriteString(t.text)
		case slash:
			b.WriteByte('/')
		case doubleStar:
			if i+1 < len(list) { // a slash follows, and goes with it
				b.WriteString(`(?:.*/)?`)
				i++
			} else {
				b.WriteString(`.+`)
			}
		case choice:
			for j, c := range t.choices {
				b.WriteString([]string{"(?:", "|"}[min(j, 1)])
				write(b, c)
			}
			b.WriteByte(')')
		}
	}
}
