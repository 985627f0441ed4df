package ignore

import "math/bits"

// states is a set of places in ops, with len(ops) for the end: everywhere that matching
// may have come to. Following all at once is what keeps the time linear.
type states []uint64

// smallStates is for how many words there is room without an allocation.
const smallStates = 4

func words(ops []op) int { return len(ops)/64 + 1 }

// add puts in place k and those that are reached from it without reading anything.
func (s states) add(ops []op, k int) {
	for s[k>>6]&(1<<(k&63)) == 0 {
		s[k>>6] |= 1 << (k & 63)
		if k == len(ops) {
			return
		}
		switch ops[k].kind {
		case opStar, opDeep:
		case opMaybe:
			s.add(ops, k+3)
		default:
			return
		}
		k++
	}
}

func (s states) has(k int) bool { return s[k>>6]&(1<<(k&63)) != 0 }

func (s states) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// run reports whether ops match all of a text.
func run(ops []op, text string) bool {
	var one, two [smallStates]uint64
	now, next := states(one[:]), states(two[:])
	if n := words(ops); n > smallStates {
		now, next = make(states, n), make(states, n)
	}
	now.add(ops, 0)
	for i := 0; i < len(text); i++ {
		clear(next)
		step(ops, now, next, text[i])
		if next.empty() {
			return false
		}
		now, next = next, now
	}
	return now.has(len(ops))
}

// step adds to next where a byte leads from now.
func step(ops []op, now, next states, c byte) {
	for w, word := range now {
		for ; word != 0; word &= word - 1 {
			k := w<<6 | bits.TrailingZeros64(word)
			if k == len(ops) {
				return
			}
			switch o := &ops[k]; o.kind {
			case opByte:
				if c == o.b {
					next.add(ops, k+1)
				}
			case opAny:
				if c != '/' {
					next.add(ops, k+1)
				}
			case opSet:
				if o.set.has(c) {
					next.add(ops, k+1)
				}
			case opStar:
				if c != '/' {
					next.add(ops, k)
				}
			case opDeep:
				next.add(ops, k)
			}
		}
	}
}
