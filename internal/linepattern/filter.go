package linepattern

import "unicode/utf8"

// filter finds the lines in which a pattern may match, several times as fast as the
// expressions can: sets of instructions are made once, and where each byte leads from
// there is then looked up. It belongs to one goroutine.
type filter struct {
	program        *program
	set, now, then *threads
	states         []state
	ids            map[string]uint32
	key            []byte
	table          []uint32 // by state and byte the next state, or unknown or match
	start          uint32   // the state at the start of a line
	leaves         leaves   // of idle
	limit          int      // of states
	room           int      // for instructions in all of them, and
	held           int      // how many there are
	patience       int      // how much is done for new states before it must have been worth it
	work, bytes    int      // what was done for new states, and what was looked through
}

// newFilter makes a filter for the pattern, or nil if there is none that is of use.
func newFilter(p *Pattern) *filter {
	g := newProgram(p)
	if g == nil {
		return nil
	}
	d := &filter{program: g, set: newThreads(g), now: newThreads(g), then: newThreads(g), limit: 1000, room: 1 << 20, patience: 500_000}
	d.begin('\n')
	if d.set.matched { // in every line
		return nil
	}
	d.findLeaves()
	return d
}

func (d *filter) begin(before rune) {
	d.set.clear()
	d.set.begin(before)
}

// step finds where a byte leads, and enters it. What the table was before is out of date
// then.
func (d *filter) step(from uint32, b byte) uint32 {
	s := d.states[from>>8]
	rest := append(s.unfinished[:s.n], b)
	d.set.clear()
	d.set.pcs, d.set.context = append(d.set.pcs, s.pcs...), s.context
	before := s.before
	for len(rest) > 0 && utf8.FullRune(rest) {
		r, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		d.work += 1 + d.set.advance(d.now, d.then, before, r)
		if d.then.matched {
			return d.enter(from, b, match)
		}
		d.set, d.then = d.then, d.set
		before = r
	}
	switch {
	case b == '\n':
		return d.enter(from, b, d.start)
	case len(d.states) < d.limit && d.held < d.room:
		return d.enter(from, b, d.intern(before, rest))
	}
	d.set, d.now = d.now, d.set
	d.flush()
	d.set, d.now = d.now, d.set
	return d.intern(before, rest)
}

func (d *filter) enter(from uint32, b byte, to uint32) uint32 {
	if b >= utf8.RuneSelf {
		d.table[from|uint32(b)] = to
		return to
	}
	for _, same := range d.program.classes[d.program.class[b]] {
		d.table[from|uint32(same)] = to
	}
	return to
}
