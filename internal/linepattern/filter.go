package linepattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

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
	patience       int      // how much is done for new states before it must have been worth it
	work, bytes    int      // what was done for new states, and what was looked through
}

// state is where matches may have got to.
type state struct {
	pcs        []uint32
	context    bool
	before     rune // a character of the kind of the last one, where that counts
	unfinished [utf8.UTFMax]byte
	n          int // how much of unfinished there is
}

// A state is its number times 256, so that with a byte it is an index of the table. All
// up to idle needs attention.
const (
	unknown = 0
	match   = 1
	idle    = 256 // no match has begun, and most bytes change nothing
	first   = 512
)

// newFilter makes a filter for the pattern, or nil if there is none that is of use.
func newFilter(p *Pattern) *filter {
	g := newProgram(p)
	if g == nil {
		return nil
	}
	d := &filter{program: g, set: newThreads(g), now: newThreads(g), then: newThreads(g), limit: 1000, patience: 500_000}
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

// flush forgets all states but the first ones.
func (d *filter) flush() {
	d.states = append(d.states[:0], state{}, state{})
	d.ids = map[string]uint32{}
	d.table = append(d.table[:0], make([]uint32, first)...)
	if d.leaves.few {
		d.begin(' ')
		d.identify(' ', nil)
		d.states[idle>>8] = d.made(' ', nil)
		d.ids[string(d.key)] = idle
	}
	d.begin('\n')
	d.start = d.intern('\n', nil)
}

// kind gives a character that counts for one before a place.
func (d *filter) kind(r rune) rune {
	switch {
	case syntax.IsWordChar(r):
		return 'a'
	case r == '\n' && d.program.begins:
		return '\n'
	}
	return ' '
}

// identify makes the key of the set.
func (d *filter) identify(before rune, unfinished []byte) {
	slices.Sort(d.set.pcs)
	d.key = d.key[:0]
	if d.set.context {
		d.key = append(d.key, byte(d.kind(before)))
	}
	d.key = append(d.key, unfinished...)
	d.key = append(d.key, 0xff) // in no key before: an unfinished character has no such byte
	for _, pc := range d.set.pcs {
		d.key = binary.LittleEndian.AppendUint16(d.key, uint16(pc))
	}
}

func (d *filter) made(before rune, unfinished []byte) state {
	s := state{pcs: slices.Clone(d.set.pcs), context: d.set.context, before: d.kind(before)}
	s.n = copy(s.unfinished[:], unfinished)
	return s
}

// intern gives the state of the set.
func (d *filter) intern(before rune, unfinished []byte) uint32 {
	if len(d.set.pcs) == 0 {
		unfinished = nil // nothing can match in this line any more
	}
	d.identify(before, unfinished)
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	id := uint32(len(d.states)) << 8
	d.states = append(d.states, d.made(before, unfinished))
	d.table = append(d.table, make([]uint32, 256)...)
	d.ids[string(d.key)] = id
	return id
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
	case len(d.states) < d.limit:
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
