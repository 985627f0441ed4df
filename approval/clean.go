package approval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/quote"
)

// maxJustification is how many characters of a model's sentence a person is shown.
const maxJustification = 500

// Visible is text that a person is shown as it would be stored: what cannot be seen, or
// would change how the rest is seen, stands there as an escape. Lines stay lines.
func Visible(text string) string {
	if !quote.Forges(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRuneInString(text[i:])
		part := text[i : i+n]
		if part != "\n" && part != "\t" && quote.Forges(part) {
			part = strings.Trim(quote.JSON(part), `"`)
		}
		b.WriteString(part)
		i += n
	}
	return b.String()
}

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
			return strings.TrimRight(b.String(), " ") + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}
