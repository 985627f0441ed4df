package linepattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

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

// flush forgets all states but the first ones.
func (d *filter) flush() {
	d.states = append(d.states[:0], state{}, state{})
	d.held = 0
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
	d.held += len(s.pcs)
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
