// Package linediff finds the places where two texts differ, line by line, as hunks
// with three lines of context. Contract section 13.4.
//
// Ordinary edits get the shortest script of changes. Texts that differ too much for
// that are aligned by the lines that both have exactly once, so that the time stays
// near linear however different they are.
package linediff

import "strings"

// Context is how many unchanged lines a hunk shows before and after its changes.
// Changes that at most twice as many unchanged lines separate share a hunk.
const Context = 3

// DefaultMaxBytes is the most that the texts of all hunks together take by default.
const DefaultMaxBytes = 256 << 10

// Hunk is one changed place: its lines on either side with their context, joined by
// line feeds and without a final one. Lines are parted at line feeds only.
type Hunk struct {
	// OldStart and NewStart are the 1-based numbers of the first line on either
	// side, or 1 where the side's whole text is empty.
	OldStart, NewStart int
	// OldLines and NewLines count the lines on either side that the hunk covers.
	OldLines, NewLines int
	// OldText is nil when OldLines is 0.
	OldText *string
	NewText string
	// Truncated says that the hunk stands for all that changed from its start on,
	// and that the texts hold only the first of the lines it covers.
	Truncated bool
}

// Options bounds the work; the zero value has the defaults.
type Options struct {
	// MaxBytes is the most that the texts of all hunks may take together: 0 is
	// DefaultMaxBytes, below 0 is no bound. Where they would take more, the result
	// is one truncated hunk.
	MaxBytes int
}

// Hunks gives the hunks with default options.
func Hunks(before, after string) []Hunk { return Options{}.Hunks(before, after) }

// Hunks gives the hunks that lead from before to after, in order; none when the
// texts are equal. A text that only gains or loses its final line feed has a hunk
// whose sides look alike.
func (o Options) Hunks(before, after string) []Hunk {
	if before == after {
		return nil
	}
	limit := o.MaxBytes
	switch {
	case limit == 0:
		limit = DefaultMaxBytes
	case limit < 0:
		limit = len(before) + len(after)
	}
	p := newPair(before, after)
	changes, ok := p.shortest()
	if !ok {
		changes = p.anchored()
	}
	groups := group(changes)
	size := 0
	for _, g := range groups {
		c := p.widen(g)
		size += p.old.size(c.oldFrom, c.oldTo) + p.new.size(c.newFrom, c.newTo)
		if size > limit {
			return []Hunk{p.truncated(groups[0], limit)}
		}
	}
	hunks := make([]Hunk, len(groups))
	for i, g := range groups {
		hunks[i] = p.hunk(p.widen(g))
	}
	return hunks
}

// change is a place where lines differ: [oldFrom, oldTo) became [newFrom, newTo),
// counted from 0.
type change struct{ oldFrom, oldTo, newFrom, newTo int }

func (c change) shift(n int) change {
	return change{c.oldFrom + n, c.oldTo + n, c.newFrom + n, c.newTo + n}
}

// group joins the changes that share a hunk.
func group(changes []change) []change {
	groups := changes[:1:1]
	for _, c := range changes[1:] {
		if last := &groups[len(groups)-1]; c.oldFrom-last.oldTo <= 2*Context {
			last.oldTo, last.newTo = c.oldTo, c.newTo
		} else {
			groups = append(groups, c)
		}
	}
	return groups
}

// widen adds the context.
func (p *pair) widen(c change) change {
	before := min(Context, c.oldFrom)
	after := min(Context, p.old.len()-c.oldTo)
	return change{c.oldFrom - before, c.oldTo + after, c.newFrom - before, c.newTo + after}
}

func (p *pair) hunk(c change) Hunk {
	h := Hunk{
		OldStart: c.oldFrom + 1, OldLines: c.oldTo - c.oldFrom,
		NewStart: c.newFrom + 1, NewLines: c.newTo - c.newFrom,
		NewText: p.new.join(c.newFrom, c.newTo),
	}
	if h.OldLines > 0 {
		old := p.old.join(c.oldFrom, c.oldTo)
		h.OldText = &old
	}
	return h
}

// truncated gives the hunk that stands for everything from the first change on; each
// side may take half the limit.
func (p *pair) truncated(first change, limit int) Hunk {
	c := p.widen(first)
	c.oldTo, c.newTo = p.old.len(), p.new.len()
	h := p.hunk(c)
	h.Truncated = true
	if h.OldText != nil {
		old := strings.Clone(head(*h.OldText, limit/2))
		h.OldText = &old
	}
	h.NewText = strings.Clone(head(h.NewText, limit/2))
	return h
}
