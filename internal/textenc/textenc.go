// Package textenc decides what is text, and turns the bytes of a file into text and back:
// strict UTF-8 with or without a byte order mark, UTF-16 with one, and, for files without
// one, an encoding that somebody has named; without a NUL near its start. It guesses
// nothing, replaces nothing, and what it cannot decode or encode is an error. Contract
// section 8.5.
package textenc

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SampleSize is how many bytes at the start of a file decide, by a NUL byte among
// them, that it is binary.
const SampleSize = 8192

// The reasons for which content is no text, as messages name them.
const (
	Binary      = "binary file"
	InvalidUTF8 = "invalid UTF-8 text"
)

// BOM is the UTF-8 byte order mark.
const BOM = "\xef\xbb\xbf"

// HasNUL reports a NUL byte in the sample at the start of data.
func HasNUL(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), SampleSize)], 0) >= 0
}

// Unfinished is the number of bytes at the end of data that begin a character but
// do not finish it: 0 to 3.
func Unfinished(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		tail := data[len(data)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Blank reports whether s is empty or holds nothing but white space and line
// terminators as ECMAScript counts them: the byte order mark is one, U+0085 is not.
func Blank(s string) bool {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
	}) == ""
}

// Invalid is why data as a whole is no text that can be edited (a NUL byte
// anywhere, or bytes that are no UTF-8), or "" when it is text.
func Invalid(data []byte) string {
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return Binary
	case !utf8.Valid(data):
		return InvalidUTF8
	}
	return ""
}
