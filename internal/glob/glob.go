// Package glob compiles the glob patterns of the search tools. Their syntax is that of
// a .gitignore line: * and ? stay within a name, ** as a whole component spans
// directories, [a-z] and [!a-z] are classes, {a,b} are alternatives, \ takes the next
// character literally. A pattern without a slash is one of base names; with one it is
// anchored where the search starts.
//
// A pattern becomes a regular expression that runs in linear time, whatever it is: no
// alternative is ever multiplied out.
package glob

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// MaxLength is how many bytes a pattern may have.
const MaxLength = 4096

// Pattern is a compiled pattern. It never changes: safe for concurrent use.
type Pattern struct {
	negated bool
	names   bool     // it is of base names
	prefix  []string // the literal components that it begins with
	literal bool     // prefix is all there is
	depth   int      // components that a path can have, 0 for any number
	simple  simple
	whole   *regexp.Regexp // nil when simple is enough
}

// Error is a pattern that is none.
type Error struct{ Pattern, Reason string }

// Error says what is wrong.
func (e *Error) Error() string { return "error parsing glob '" + e.Pattern + "': " + e.Reason }

var errClimbs = errors.New(`".." leads out of the directory that is searched; give that directory as path instead`)

// Compile compiles a pattern. A leading "!" matches whatever the rest does not; leading
// "./" are dropped; a trailing slash means everything below.
func Compile(pattern string) (*Pattern, error) {
	if len(pattern) > MaxLength {
		return nil, &Error{pattern[:64] + "…", fmt.Sprintf("it has more than %d bytes", MaxLength)}
	}
	p := &Pattern{}
	rest, negated := strings.CutPrefix(pattern, "!")
	p.negated = negated
	rest, anchored := start(rest)
	if below, ok := strings.CutSuffix(rest, "/"); ok {
		if !anchored && !strings.Contains(below, "/") {
			below = "**/" + below
		}
		rest = below + "/**"
	}
	if rest == "" && anchored {
		rest = "**"
	}
	p.names = !anchored && !strings.Contains(rest, "/")
	if err := p.compile(rest); err != nil {
		return nil, &Error{pattern, err.Error()}
	}
	return p, nil
}

// start drops what only says that a pattern is a path from where the search starts.
func start(pattern string) (rest string, anchored bool) {
	rest = pattern
	for strings.HasPrefix(rest, "./") || strings.HasPrefix(rest, "/") {
		rest = strings.TrimPrefix(rest, ".")
		rest, anchored = strings.TrimLeft(rest, "/"), true
	}
	return rest, anchored
}

func (p *Pattern) compile(text string) error {
	tokens, err := parse(text)
	if err != nil {
		return err
	}
	components := split(tokens)
	for _, c := range components {
		if name, ok := c.text(); ok && name == ".." {
			return errClimbs
		}
	}
	if !p.names && !p.negated {
		p.anchor(components)
	}
	if p.names && p.simple.recognise(tokens) {
		return nil
	}
	if base, ok := afterDoubleStar(components); ok && p.simple.recognise(base) {
		p.names = true
		return nil
	}
	var b strings.Builder
	b.WriteString(`^(?s:`)
	write(&b, tokens)
	b.WriteString(`)$`)
	p.whole, err = regexp.Compile(b.String())
	return err
}

// anchor finds what the shape of the pattern says of every path that matches it.
func (p *Pattern) anchor(components []tokens) {
	p.depth = len(components)
	literal := true
	for _, c := range components {
		name, ok := c.text()
		if literal = literal && ok && name != "" && name != "."; literal {
			p.prefix = append(p.prefix, name)
		}
		if c.spans() {
			p.depth = 0
		}
	}
	p.literal = literal
}

// Prefix is the directories that every match lies in, and Literal whether they and the
// last of them as a file are all that can match.
func (p *Pattern) Prefix() (components []string, literal bool) { return p.prefix, p.literal }

// Depth is how many components a matching path has at most, 0 when there is no bound.
func (p *Pattern) Depth() int { return p.depth }

// Negated reports a pattern that begins with "!".
func (p *Pattern) Negated() bool { return p.negated }

// Match reports whether a relative path matches; its base name begins at byte base.
func (p *Pattern) Match(path string, base int) bool {
	return p.positive(path, base) != p.negated
}

func (p *Pattern) positive(path string, base int) bool {
	if p.names {
		path = path[base:]
	}
	if p.whole == nil {
		return p.simple.match(path)
	}
	return p.whole.MatchString(path)
}
