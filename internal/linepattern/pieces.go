package linepattern

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// piece is where a character, an escape or the like begins in an expression.
type piece struct {
	rest    string // the expression from there on
	size    int    // how many bytes it has
	inClass bool
}

func (t piece) escape() bool { return t.rest[0] == '\\' && t.size > 1 }

func (t piece) text() string { return t.rest[:t.size] }

// pieces walks through an expression without checking it.
func pieces(expr string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		class, first := false, false
		for rest := expr; rest != ""; {
			t := piece{rest: rest, inClass: class, size: pieceSizeOf(rest, class)}
			if rest[0] == ']' && class && !first {
				class, t.inClass = false, false
			} else if !class && rest[0] == '[' {
				class, first = true, true
				if strings.HasPrefix(rest, "[^") {
					t.size = 2
				}
				rest = rest[t.size:]
				if !yield(t) {
					return
				}
				continue
			}
			first = false
			if !yield(t) {
				return
			}
			rest = rest[t.size:]
		}
	}
}

// pieceSizeOf takes an escape, a named class and any other character as one.
func pieceSizeOf(rest string, class bool) int {
	switch {
	case rest[0] == '\\' && len(rest) > 1:
		_, n := utf8.DecodeRuneInString(rest[1:])
		return 1 + n
	case class && strings.HasPrefix(rest, "[:"):
		if end := strings.Index(rest, ":]"); end >= 0 {
			return end + 2
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	return n
}
