package approval

import (
	"strings"
	"unicode"
)

// maxJustification is how many characters of a model's sentence a person is shown.
const maxJustification = 500

// Clean makes a model's text fit to be shown to a person who decides by it: nothing in it
// can move a cursor, hide, turn the direction of what follows, or start a line of its
// own, and it is not longer than a sentence may be.
func Clean(text string) string {
	var b strings.Builder
	n := 0
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = b.Len() > 0
			continue
		}
		if unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp) {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		if n++; n > maxJustification {
			return b.String() + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}
