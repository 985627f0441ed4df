package linepattern

import "regexp/syntax"

// threads is a set of instructions: those for characters, and those whose condition
// depends on what comes next.
type threads struct {
	program *program
	pcs     []uint32
	in      []uint32 // by instruction, the round in which it was added
	round   uint32
	stack   []uint32
	matched bool // a match ends here
	context bool // what comes next may not decide alone
}

func newThreads(g *program) *threads { return &threads{program: g, in: make([]uint32, len(g.insts))} }

func (t *threads) clear() {
	t.pcs, t.matched, t.context = t.pcs[:0], false, false
	t.round++
	if t.round == 0 { // it went round: what was added then is not added now
		clear(t.in)
		t.round = 1
	}
}

// add adds an instruction, or those to which it leads without a character. holds is
// which conditions hold; of those that are not in known it cannot be said yet.
func (t *threads) add(pc uint32, holds, known syntax.EmptyOp) {
	t.stack = append(t.stack[:0], pc)
	for len(t.stack) > 0 {
		pc := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		if t.in[pc] == t.round {
			continue
		}
		t.in[pc] = t.round
		switch inst := &t.program.insts[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			t.stack = append(t.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			t.stack = append(t.stack, inst.Out)
		case syntax.InstMatch:
			t.matched = true
		case syntax.InstFail:
		case syntax.InstEmptyWidth:
			switch need := syntax.EmptyOp(inst.Arg); {
			case need&^known != 0:
				t.pcs = append(t.pcs, pc)
				t.context = t.program.context
			case need&^holds == 0:
				t.stack = append(t.stack, inst.Out)
			}
		default:
			t.pcs = append(t.pcs, pc)
		}
	}
}

const allConditions = ^syntax.EmptyOp(0)

// begin adds where a match may begin, behind the character before.
func (t *threads) begin(before rune) {
	holds := syntax.EmptyOpContext(before, ' ') & atBegin
	for _, pc := range t.program.starts {
		t.add(pc, holds, atBegin)
	}
}

// advance makes next what the set becomes by a character; now is room for a set. It gives
// how much there was to do.
func (t *threads) advance(now, next *threads, before, r rune) (work int) {
	holds := syntax.EmptyOpContext(before, r)
	now.clear()
	for _, pc := range t.pcs {
		now.add(pc, holds, allConditions)
	}
	next.clear()
	if next.matched = now.matched; next.matched {
		return len(t.pcs)
	}
	after := syntax.EmptyOpContext(r, ' ') & atBegin
	for _, pc := range now.pcs {
		if inst := &t.program.insts[pc]; consumes(inst) && inst.MatchRune(r) {
			next.add(inst.Out, after, atBegin)
		}
	}
	next.begin(r)
	return len(t.pcs) + len(now.pcs) + len(next.pcs)
}
