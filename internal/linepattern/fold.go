package linepattern

import "encoding/binary"

const (
	ones     = 0x0101010101010101
	highBits = 0x80 * ones
)

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// fold appends to dst the text with its ASCII letters in lower case, eight at a time.
func fold(dst, text []byte) []byte {
	if cap(dst) < len(text) {
		dst = make([]byte, len(text))
	}
	dst = dst[:len(text)]
	i := 0
	for ; i+8 <= len(text); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], foldWord(word(text[i:])))
	}
	for ; i < len(text); i++ {
		dst[i] = foldByte(text[i])
	}
	return dst
}

// foldWord adds 0x20 to each byte that is an upper-case letter. Without their high
// bits, bytes can be compared by additions that do not carry into the next one.
func foldWord(x uint64) uint64 {
	low := x &^ highBits
	fromA := low + (0x80-'A')*ones
	aboveZ := low + (0x7f-'Z')*ones
	upper := (fromA &^ aboveZ) &^ x & highBits
	return x | upper>>2
}

func foldByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
