package tool

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const notText = "must be valid Unicode text: it holds half of a surrogate pair"

// unquote decodes a JSON string literal whose syntax was checked, with one copy. ok is
// false when it holds half of a surrogate pair or bytes that are no UTF-8.
func unquote(literal []byte) (s string, ok bool) {
	rest := literal[1 : len(literal)-1]
	ok = utf8.Valid(rest)
	i := bytes.IndexByte(rest, '\\')
	if i < 0 {
		return string(rest), ok
	}
	var b strings.Builder
	b.Grow(len(rest))
	for ; i >= 0; i = bytes.IndexByte(rest, '\\') {
		b.Write(rest[:i])
		c := rest[i+1]
		rest = rest[i+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			var r rune
			r, rest = unescapeRune(rest)
			ok = ok && !utf16.IsSurrogate(r)
			b.WriteRune(r)
			continue
		}
		b.WriteByte(c)
	}
	b.Write(rest)
	return b.String(), ok
}

// unescapeRune decodes what follows \u, both escapes of a surrogate pair together. Half
// of a pair is returned as it is.
func unescapeRune(b []byte) (r rune, rest []byte) {
	r, rest = hex4(b), b[4:]
	if utf16.IsSurrogate(r) && len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(rest[2:])); pair != utf8.RuneError {
			return pair, rest[6:]
		}
	}
	return r, rest
}

func hex4(b []byte) (r rune) {
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}
