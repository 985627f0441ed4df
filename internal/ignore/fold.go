package ignore

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// foldRune is the one rune that stands for all cases of r.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if least < utf8.RuneSelf {
		return foldRune(least)
	}
	return least
}

// fold is a text with each character folded; bytes that are none stay.
func fold(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf && (s[i] < 'A' || s[i] > 'Z') {
		i++
	}
	if i == len(s) {
		return s
	}
	b := append(make([]byte, 0, len(s)), s[:i]...)
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, s[i])
		} else {
			b = utf8.AppendRune(b, foldRune(r))
		}
		i += n
	}
	return string(b)
}

// foldOps makes runes, folded, of the bytes that are characters.
func foldOps(ops []op) []op {
	folded := make([]op, 0, len(ops))
	for i := 0; i < len(ops); {
		if ops[i].kind != opByte {
			folded = append(folded, ops[i])
			i++
			continue
		}
		var char [utf8.UTFMax]byte
		n := 0
		for n < len(char) && i+n < len(ops) && ops[i+n].kind == opByte {
			char[n] = ops[i+n].b
			n++
		}
		if r, size := utf8.DecodeRune(char[:n]); r == utf8.RuneError && size == 1 {
			folded = append(folded, ops[i])
			i++
		} else {
			folded = append(folded, op{kind: opRune, r: foldRune(r)})
			i += size
		}
	}
	return folded
}

// runFold is run for ops that fold case. A rune in the ops meets a character of the text
// in any case; everything else sees, byte by byte, each way in which the character could
// have been written.
func runFold(ops []op, text string) bool {
	var room [4 * smallStates]uint64
	all, n := states(room[:]), words(ops)
	if n > smallStates {
		all = make(states, 4*n)
	}
	now, next, a, b := all[:n], all[n:2*n], all[2*n:3*n], all[3*n:4*n]
	now.add(ops, 0)
	for i := 0; i < len(text); {
		clear(next)
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			step(ops, now, next, text[i])
		} else {
			stepRune(ops, now, next, foldRune(r))
			for other := unicode.SimpleFold(r); ; other = unicode.SimpleFold(other) {
				// Were an ASCII letter a longer one here, "??" would match "s".
				if r >= utf8.RuneSelf || other < utf8.RuneSelf {
					stepBytes(ops, now, next, a, b, other)
				}
				if other == r {
					break
				}
			}
		}
		if next.empty() {
			return false
		}
		now, next = next, now
		i += size
	}
	return now.has(len(ops))
}

// stepRune adds to next where a folded rune leads from now as a whole.
func stepRune(ops []op, now, next states, folded rune) {
	for w, word := range now {
		for ; word != 0; word &= word - 1 {
			k := w<<6 | bits.TrailingZeros64(word)
			if k < len(ops) && ops[k].kind == opRune && ops[k].r == folded {
				next.add(ops, k+1)
			}
		}
	}
}

// stepBytes adds to next where the bytes of a rune lead from now; a and b are for use.
func stepBytes(ops []op, now, next, a, b states, r rune) {
	var buf [utf8.UTFMax]byte
	char := utf8.AppendRune(buf[:0], r)
	copy(a, now)
	for _, c := range char {
		clear(b)
		step(ops, a, b, c)
		a, b = b, a
	}
	for w := range next {
		next[w] |= a[w]
	}
}
