package linepattern

import (
	"bytes"
	"encoding/binary"
	"strings"
)

const highBits = 0x8080808080808080

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// needle finds one text. Of one that counts in either case it looks for the rarest byte,
// in both cases, since there is no fast way to look for the whole.
type needle struct {
	text         []byte // in lower case, if fold
	fold         bool
	rare         int // where the rarest byte is in text, and
	second       int // the one to look at next
	lower, upper byte
}

// byFrequency is the letters and some marks of code and prose, the rarest first.
const byFrequency = "jzqkwyvhbgmupfdlcxoisnarte"

func newNeedle(text string, fold bool) needle {
	n := needle{text: []byte(text), fold: fold}
	best, next := 1<<10, 1<<10
	for i, c := range n.text {
		rank := strings.IndexByte(byFrequency, c) + 1 // 0: no letter
		if rank == 0 {
			rank = 12
		}
		switch {
		case rank < best:
			n.second, next = n.rare, best
			n.rare, best = i, rank
		case rank < next:
			n.second, next = i, rank
		}
	}
	n.lower = n.text[n.rare]
	n.upper = n.lower
	if 'a' <= n.lower && n.lower <= 'z' {
		n.upper -= 'a' - 'A'
	}
	return n
}

// cursor is where a needle is next, in a text that is looked through from start to end.
type cursor struct {
	at           int // -1: nowhere any more
	lower, upper int // where either case of the rarest byte is next
}

const nowhere = int(^uint(0) >> 1)

// seek moves the cursor to the first place of the needle at from or behind it.
func (n *needle) seek(c *cursor, text []byte, from int) {
	if !n.fold {
		c.at = indexFrom(text, from, func(b []byte) int { return bytes.Index(b, n.text) })
		return
	}
	for from += n.rare; ; from++ {
		if c.lower < from {
			c.lower = byteFrom(text, from, n.lower)
		}
		if c.upper < from && n.upper != n.lower {
			c.upper = byteFrom(text, from, n.upper)
		}
		from = c.lower
		if n.upper != n.lower {
			from = min(c.lower, c.upper)
		}
		if from == nowhere {
			c.at = -1
			return
		}
		if start := from - n.rare; start+len(n.text) <= len(text) && n.is(text[start:]) {
			c.at = start
			return
		}
	}
}

func indexFrom(text []byte, from int, index func([]byte) int) int {
	if from > len(text) {
		return -1
	}
	i := index(text[from:])
	if i < 0 {
		return -1
	}
	return from + i
}

func byteFrom(text []byte, from int, b byte) int {
	if from >= len(text) {
		return nowhere
	}
	i := bytes.IndexByte(text[from:], b)
	if i < 0 {
		return nowhere
	}
	return from + i
}

// is reports that text begins with the needle, in whatever case.
func (n *needle) is(text []byte) bool {
	if foldByte(text[n.second]) != n.text[n.second] {
		return false
	}
	for i, c := range n.text {
		if foldByte(text[i]) != c {
			return false
		}
	}
	return true
}

func foldByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
