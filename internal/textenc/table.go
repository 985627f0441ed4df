package textenc

import (
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// table is an encoding of one, two or more bytes a character, with what its units of one
// and two bytes mean. It is made of a decoder that never fails but writes U+FFFD; here
// that counts as a failure, unless the bytes really stand for U+FFFD.
type table struct {
	from  transform.Transformer // neither has a state
	to    transform.Transformer
	one   [256]rune
	two   *[128][256]rune   // by the first byte less 0x80; nil when there are none
	pairs map[string]string // units of more than one character, as text
}

// What a table holds where there is no character.
const (
	none   = -1 - iota // no unit begins so
	longer             // a unit that begins so has more bytes
	pair               // more than one character; see pairs
)

// newTable takes some milliseconds for an encoding of more than one byte a character.
func newTable(enc encoding.Encoding) *table {
	t := &table{from: enc.NewDecoder(), to: enc.NewEncoder()}
	for c := range t.one {
		t.one[c] = t.mean([]byte{byte(c)})
		if c < utf8.RuneSelf || t.one[c] != longer {
			continue
		}
		if t.two == nil {
			t.two = new([128][256]rune)
		}
		for c2 := range 256 {
			t.two[c-utf8.RuneSelf][c2] = t.mean([]byte{byte(c), byte(c2)})
		}
	}
	return t
}

// mean is the character that a unit stands for, or why there is none.
func (t *table) mean(unit []byte) rune {
	text, err := t.text(unit)
	switch {
	case errors.Is(err, transform.ErrShortSrc):
		return longer
	case err != nil:
		return none
	}
	r, n := utf8.DecodeRuneInString(text)
	if n == len(text) {
		return r
	}
	if t.pairs == nil {
		t.pairs = map[string]string{}
	}
	t.pairs[string(unit)] = text
	return pair
}

var errNone = errors.New("no unit of this encoding")

// text is what a unit, which is whole or too short, stands for.
func (t *table) text(unit []byte) (string, error) {
	var buf [16]byte
	n, used, err := t.from.Transform(buf[:], unit, false)
	text := string(buf[:n])
	switch {
	case used == 0 && err != nil:
		return "", err
	case used != len(unit) || n == 0:
		return "", errNone
	case text == "\ufffd":
		if n, _, err := t.to.Transform(buf[:], []byte(text), true); err != nil || string(buf[:n]) != string(unit) {
			return "", errNone
		}
	case strings.Contains(text, "\ufffd"):
		return "", errNone
	}
	return text, nil
}

func (t *table) decode(dst, src []byte) (out []byte, n int, ok bool) {
	for n < len(src) {
		c := src[n]
		r, size := t.one[c], 1
		if r == longer && n+1 < len(src) {
			r, size = t.two[c-utf8.RuneSelf][src[n+1]], 2
		}
		switch {
		case r >= 0 && r < utf8.RuneSelf && len(dst) < cap(dst):
			dst = append(dst, byte(r))
		case r >= 0 && cap(dst)-len(dst) >= utf8.RuneLen(r):
			dst = utf8.AppendRune(dst, r)
		case r >= 0:
			return dst, n, true
		case r == longer && size == 1:
			return dst, n, true
		case r == none:
			return dst, n, false
		default:
			var text string
			if text, size, ok = t.long(src[n:]); size == 0 || !ok || cap(dst)-len(dst) < len(text) {
				return dst, n, ok
			}
			dst = append(dst, text...)
		}
		n += size
	}
	return dst, n, true
}

// long decodes a unit of more than two bytes, or of more than one character; its size is
// 0 when it is not there whole.
func (t *table) long(src []byte) (text string, size int, ok bool) {
	if text, ok := t.pairs[string(src[:2])]; ok {
		return text, 2, true
	}
	for size = 3; size <= len(src); size++ {
		text, err := t.text(src[:size])
		if err == nil {
			return text, size, true
		}
		if !errors.Is(err, transform.ErrShortSrc) {
			return "", 0, false
		}
	}
	return "", 0, true
}

// encode makes only units that decode to what they were made of: some encoders have
// neighbours for characters that the encoding does not have.
func (t *table) encode(dst []byte, text string) (out []byte, n int) {
	if c := text[0]; c < utf8.RuneSelf && t.one[c] == rune(c) {
		return append(dst, c), 1
	}
	for unit, characters := range t.pairs {
		if strings.HasPrefix(text, characters) {
			return append(dst, unit...), len(characters)
		}
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && n < 2 {
		return dst, 0
	}
	var unit, back [8]byte
	size, _, err := t.to.Transform(unit[:], []byte(text[:n]), true)
	if err != nil {
		return dst, 0
	}
	again, used, ok := t.decode(back[:0], unit[:size])
	if !ok || used != size || string(again) != text[:n] {
		return dst, 0
	}
	return append(dst, unit[:size]...), n
}
