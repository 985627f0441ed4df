package linepattern

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// Error is an expression that is refused; its text says what to write instead.
type Error struct{ Reason string }

// Error is the reason.
func (e *Error) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// MaxLength is how many bytes an expression may have.
const MaxLength = 16 << 10

// differs refuses what RE2 and ripgrep read differently, and what neither has but
// models write.
func differs(expr string) error {
	if len(expr) > MaxLength {
		return refuse("it has more than %d bytes", MaxLength)
	}
	for t := range pieces(expr) {
		if err := t.differs(); err != nil {
			return err
		}
	}
	return nil
}

func (t piece) differs() error {
	switch {
	case t.escape():
		return t.escapeDiffers()
	case t.inClass && t.rest[0] == '[' && t.size == 1:
		return refuse(`a "[" inside a character class; write "\["`)
	case t.inClass:
		for _, op := range []string{"&&", "--", "~~"} {
			if strings.HasPrefix(t.rest, op) {
				return refuse(`%q inside a character class is a set operation in ripgrep; put "\" before each of the two, or write the class without it`, op)
			}
		}
	case strings.HasPrefix(t.rest, "(?"):
		return groupDiffers(t.rest[2:])
	case strings.HasPrefix(t.rest, "{,"):
		return refuse(`"{,n}" is no repetition; write "{0,n}", or "\{" for the character`)
	}
	return nil
}

func (t piece) escapeDiffers() error {
	c := t.rest[1]
	switch {
	case c == 'Q' || c == 'E':
		return refuse(`"\%c" does not quote text; put "\" before each special character instead`, c)
	case '0' <= c && c <= '9':
		return refuse(`"\%c": there are no backreferences and no octal codes; write "\x{...}" for the character with a code`, c)
	case c == '<' || c == '>':
		return refuse(`"\%c" is the edge of a word to some and a character to others; write "\b" for the edge, "%c" for the character`, c, c)
	case c == 'A':
		return refuse(`"\A" is not known; write "^" for the start of a line`)
	case c == 'z' || c == 'Z':
		return refuse(`"\%c" is not known; write "$" for the end of a line`, c)
	case c == 'b' && strings.HasPrefix(t.rest[2:], "{"):
		return refuse(`"\b{" is not known; write "\b" for the edge of a word`)
	case c == 'u' || c == 'U':
		return refuse(`"\%c" is not known; write "\x{...}" for the character with a code`, c)
	case (c == 'p' || c == 'P') && strings.HasPrefix(t.rest[2:], "{^"):
		return refuse(`"\%c{^" is not known; write "\P{...}" for what is not in a class`, c)
	case c == 'n' && !t.inClass:
		return errNewline
	}
	return nil
}

var errNewline = &Error{`a match lies within one line, so there is no "\n" to find; search for one of the lines and read around it`}

func groupDiffers(rest string) error {
	for _, look := range []string{"=", "!", "<=", "<!"} {
		if strings.HasPrefix(rest, look) {
			return refuse(`"(?%s" looks around, which is not supported; search for the text itself, and look at the lines found`, look)
		}
	}
	flags := rest[:len(rest)-len(strings.TrimLeft(rest, "imsUxuR-"))]
	if i := strings.IndexAny(flags, "xuR"); i >= 0 {
		return refuse(`the flag %q is not supported; leave it out`, flags[i:i+1])
	}
	return nil
}

// oneLine refuses a tree that must match a line feed.
func oneLine(tree *syntax.Regexp) error {
	if tree.Op == syntax.OpLiteral {
		for _, r := range tree.Rune {
			if r == '\n' {
				return errNewline
			}
		}
	}
	for _, sub := range tree.Sub {
		if err := oneLine(sub); err != nil {
			return err
		}
	}
	return nil
}

// worded says what is wrong with an expression in words that help.
func worded(expr string, err error) error {
	e, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return &Error{err.Error()}
	}
	switch e.Code {
	case syntax.ErrMissingParen:
		return refuse(`unclosed group; write "\(" to search for the character`)
	case syntax.ErrUnexpectedParen:
		return refuse(`unopened group; write "\)" to search for the character`)
	case syntax.ErrMissingBracket:
		return refuse(`unclosed character class; write "\[" to search for the character`)
	case syntax.ErrMissingRepeatArgument:
		return refuse(`nothing to repeat before "%s"; write "\%s" to search for the character`, e.Expr, e.Expr)
	case syntax.ErrTrailingBackslash:
		return refuse(`a "\" at the end; write "\\" to search for the character`)
	case syntax.ErrInvalidEscape:
		return refuse(`"%s" is not known; write the character without "\" to search for it`, e.Expr)
	case syntax.ErrInvalidRepeatSize:
		return refuse(`"%s" repeats too often; at most 1000 times is possible`, e.Expr)
	}
	return refuse(`%s in "%s"`, e.Code, e.Expr)
}
