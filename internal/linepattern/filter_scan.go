package linepattern

import (
	"bytes"
	"strings"
)

// off reports that it is no help: new states are needed again and again.
func (d *filter) off() bool { return d.work > d.patience+d.bytes }

// next gives where in text, which is whole lines, the first line in which the pattern may
// match is: any place in it, or its end. It is -1 if there is none.
func (d *filter) next(text []byte) int {
	at, state := d.scan(text, d.start)
	if at < 0 && text[len(text)-1] != '\n' && d.endsIn(state) {
		return len(text)
	}
	return at
}

// line reports whether the pattern may match in a line, which has no line feed.
func (d *filter) line(text []byte) bool {
	at, state := d.scan(text, d.start)
	return at >= 0 || d.endsIn(state)
}

func (d *filter) endsIn(state uint32) bool {
	to := d.table[state|'\n']
	if to == unknown {
		to = d.step(state, '\n')
	}
	return to == match
}

// scan follows text from a state on, up to the byte with which something matches, or to
// the end, which is -1.
func (d *filter) scan(text []byte, state uint32) (at int, last uint32) {
	i, table := 0, d.table
	defer func() { d.bytes += i }()
	for ; i < len(text); i++ {
		if state == idle {
			n := d.leaves.skip(text[i:])
			if n < 0 {
				i = len(text)
				break
			}
			i += n
		}
		to := table[state|uint32(text[i])]
		for to > idle && i+1 < len(text) {
			state = to
			i++
			to = table[state|uint32(text[i])]
		}
		if to == unknown {
			if d.off() {
				return i, state
			}
			to = d.step(state, text[i])
			table = d.table
		}
		if to == match {
			return i, state
		}
		state = to
	}
	return -1, state
}

// leaves is the bytes that lead away from the idle state.
type leaves struct {
	few    bool // there are so few that it is worth looking for them first
	beyond bool // none is of ASCII
	single []byte
	bytes  [256]bool
}

// findLeaves finds the bytes that lead away from the idle state, and has it only if they
// are few.
func (d *filter) findLeaves() {
	d.leaves.few = true
	d.flush()
	l, frequency := leaves{few: true, beyond: true}, 0
	for b := range l.bytes {
		if d.step(idle, byte(b)) == idle {
			continue
		}
		l.bytes[b] = true
		l.single = append(l.single, byte(b))
		if b < 0x80 {
			l.beyond = false
			frequency += perThousand(byte(b))
		}
	}
	l.few = frequency < 150
	d.leaves, d.work = l, 0
	d.flush()
}

// perThousand is about how many of the bytes of a text of code this one is.
func perThousand(b byte) int {
	switch {
	case b == ' ':
		return 120
	case strings.IndexByte("etaoinsr", b) >= 0:
		return 45
	case 'a' <= b && b <= 'z':
		return 15
	case strings.IndexByte("\t\n", b) >= 0:
		return 35
	case strings.IndexByte("().,_/", b) >= 0:
		return 12
	}
	return 3
}

func (l *leaves) skip(text []byte) int {
	switch {
	case len(l.single) == 1:
		return bytes.IndexByte(text, l.single[0])
	case l.beyond:
		return firstBeyond(text)
	}
	for i, b := range text {
		if l.bytes[b] {
			return i
		}
	}
	return -1
}

// firstBeyond is where the first byte beyond ASCII is.
func firstBeyond(text []byte) int {
	i := 0
	for i+8 <= len(text) && word(text[i:])&highBits == 0 {
		i += 8
	}
	for ; i < len(text); i++ {
		if text[i] >= 0x80 {
			return i
		}
	}
	return -1
}
