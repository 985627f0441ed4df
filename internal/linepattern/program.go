package linepattern

import (
	"regexp/syntax"
	"unicode/utf8"
)

// program is all expressions of a pattern at once, as instructions, of which a set is
// where a match may have got to. Edges of words that are looked at apart are not in it,
// so it matches in every line in which the pattern does, and seldom in more.
type program struct {
	insts   []syntax.Inst
	starts  []uint32
	classes [][]byte              // ASCII by what no instruction tells apart
	class   [utf8.RuneSelf]uint16 // which of classes a byte is in
	begins  bool                  // something depends on where a line begins
	context bool                  // something depends on what came before
}

// maxInsts is how long a program may be: with more of it the sets are too large.
const maxInsts = 10_000

// newProgram makes the program of a pattern, or nil if it would be too long.
func newProgram(p *Pattern) *program {
	g := &program{}
	ok := g.add(p.plain.String())
	for i := range p.unicode {
		ok = ok && g.add(p.unicode[i].re.String())
	}
	if !ok {
		return nil
	}
	g.classify()
	return g
}

// add appends the instructions of one expression, of which package regexp runs the same.
func (g *program) add(expr string) bool {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return false
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(g.insts)+len(prog.Inst) > maxInsts {
		return false
	}
	base := uint32(len(g.insts))
	g.starts = append(g.starts, base+uint32(prog.Start))
	for _, inst := range prog.Inst {
		inst.Out += base
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			inst.Arg += base
		case syntax.InstEmptyWidth:
			g.begins = g.begins || syntax.EmptyOp(inst.Arg)&atBegin != 0
			g.context = g.context || syntax.EmptyOp(inst.Arg)&(atBegin|atEdge) != 0
		}
		g.insts = append(g.insts, inst)
	}
	return true
}

// classify finds the bytes of ASCII that lead from every set to the same one, so that
// a step is only made for one of each class.
func (g *program) classify() {
	count := uint16(3)
	for b := range g.class {
		switch {
		case b == '\n':
			g.class[b] = 0
		case syntax.IsWordChar(rune(b)):
			g.class[b] = 1
		default:
			g.class[b] = 2
		}
	}
	seen := map[*rune]bool{} // repetitions share their characters
	for i := range g.insts {
		inst := &g.insts[i]
		if !consumes(inst) || seen[&inst.Rune[0]] {
			continue
		}
		seen[&inst.Rune[0]] = true
		split := map[uint16]uint16{}
		for b := range g.class {
			if !inst.MatchRune(rune(b)) {
				continue
			}
			if _, ok := split[g.class[b]]; !ok {
				split[g.class[b]] = count
				count++
			}
			g.class[b] = split[g.class[b]]
		}
		count = g.renumber()
	}
	g.classes = make([][]byte, count)
	for b, c := range g.class {
		g.classes[c] = append(g.classes[c], byte(b))
	}
}

// renumber leaves no numbers of classes unused.
func (g *program) renumber() (count uint16) {
	numbers := map[uint16]uint16{}
	for b, c := range g.class {
		if _, ok := numbers[c]; !ok {
			numbers[c] = count
			count++
		}
		g.class[b] = numbers[c]
	}
	return count
}

// consumes reports an instruction for a character, of which there is one that fits.
func consumes(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return len(inst.Rune) > 0
	}
	return false
}

const (
	atBegin = syntax.EmptyBeginLine | syntax.EmptyBeginText
	atEdge  = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
)
