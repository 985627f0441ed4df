// Package quote renders names and paths so that none can falsify the text around
// it: a listing, an envelope, a message. Contract section 12.1.6.
package quote

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is s itself, unless s could be read as something else in a listing: then it
// is a JSON string in which every "</" is "<\/".
func Name(s string) string {
	if s != "" && (s[0] == '"' || s[len(s)-1] == '@' || strings.IndexByte(s, '\\') >= 0) || Forges(s) {
		return JSON(s)
	}
	return s
}

// Path is s itself, unless s could forge an envelope or a message.
func Path(s string) string {
	if Forges(s) {
		return JSON(s)
	}
	return s
}

// Forges reports whether s holds what can forge the text around it: a control
// character, an invisible or direction-changing one, a line separator, bytes that
// are no UTF-8, or "</".
func Forges(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '<' && i+1 < len(s) && s[i+1] == '/', c < 0x20, c == 0x7f:
			return true
		case c < utf8.RuneSelf:
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || invisible(r) {
			return true
		}
		i += n
	}
	return false
}

// JSON is s as a JSON string literal, the way ECMAScript's JSON.stringify writes
// it, with everything that Forges names escaped as well. A byte that is not UTF-8
// becomes \xNN, which no JSON string holds: two such names stay different.
func JSON(s string) string {
	b := make([]byte, 0, len(s)+16)
	b = append(b, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, '\\', 'x', hex[s[i]>>4], hex[s[i]&15])
			i++
			continue
		}
		b = appendRune(b, r)
		i += n
	}
	b = append(b, '"')
	return strings.ReplaceAll(string(b), "</", `<\/`)
}

const hex = "0123456789abcdef"

func appendRune(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\t':
		return append(b, `\t`...)
	case '\n':
		return append(b, `\n`...)
	case '\f':
		return append(b, `\f`...)
	case '\r':
		return append(b, `\r`...)
	}
	switch {
	case r < 0x20 || invisible(r):
		return appendEscape(b, r)
	default:
		return utf8.AppendRune(b, r)
	}
}

func appendEscape(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		b = appendEscape(b, 0xd800+r>>10)
		return appendEscape(b, 0xdc00+r&0x3ff)
	}
	digits := strconv.FormatInt(int64(r), 16)
	b = append(b, `\u0000`[:6-len(digits)]...)
	return append(b, digits...)
}

// invisible covers the Unicode categories Cc, Cf, Zl and Zp.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
