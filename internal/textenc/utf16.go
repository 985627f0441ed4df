package textenc

import (
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Codec is UTF-16, strictly: half of a surrogate pair is no text.
type utf16Codec struct{ big bool }

func (c utf16Codec) unit(src []byte) rune {
	if c.big {
		return rune(src[0])<<8 | rune(src[1])
	}
	return rune(src[1])<<8 | rune(src[0])
}

func (c utf16Codec) decode(dst, src []byte) (out []byte, n int, ok bool) {
	for len(src)-n >= 2 {
		r, size := c.unit(src[n:]), 2
		if utf16.IsSurrogate(r) {
			if r >= 0xdc00 {
				return dst, n, false
			}
			if len(src)-n < 4 {
				return dst, n, true
			}
			if r, size = utf16.DecodeRune(r, c.unit(src[n+2:])), 4; r == utf8.RuneError {
				return dst, n, false
			}
		}
		if cap(dst)-len(dst) < utf8.RuneLen(r) {
			return dst, n, true
		}
		dst = utf8.AppendRune(dst, r)
		n += size
	}
	return dst, n, true
}

func (c utf16Codec) encode(dst []byte, text string) (out []byte, n int) {
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && n < 2 {
		return dst, 0
	}
	if r < 0x10000 {
		return c.put(dst, r), n
	}
	high, low := utf16.EncodeRune(r)
	return c.put(c.put(dst, high), low), n
}

func (c utf16Codec) put(dst []byte, unit rune) []byte {
	if c.big {
		return append(dst, byte(unit>>8), byte(unit))
	}
	return append(dst, byte(unit), byte(unit>>8))
}

// noCodec is an encoding that is recognised, and not read.
type noCodec struct{}

func (noCodec) decode(dst, src []byte) (out []byte, n int, ok bool) { return dst, 0, len(src) == 0 }
func (noCodec) encode(dst []byte, _ string) (out []byte, n int)     { return dst, 0 }
