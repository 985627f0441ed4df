package linediff

import "slices"

// The bounds of the search for the shortest script. Beyond maxEdits lines removed or
// added the alignment by unique lines reads better anyway. Beyond easyEdits it pays
// to ask first whether the search can succeed.
const (
	maxEdits    = 1024
	workPerLine = 16
	leastWork   = 1 << 20
	easyEdits   = 64
)

// shortest finds the fewest lines to remove and add (Myers 1986, greedy and forward).
// Of several ways it takes the one that removes before it adds. ok is false when the
// texts are too different.
func (p *pair) shortest() (changes []change, ok bool) {
	n, m := len(p.oldHash), len(p.newHash)
	work := max(leastWork, workPerLine*(n+m))
	limit := min(maxEdits, n+m)

	// reach[mid+k] is how many old lines the farthest path on diagonal k has used,
	// where k is the old lines used less the new ones; -1 is no path.
	mid := limit + 1
	reach := make([]int32, 2*mid+1)
	for i := range reach {
		reach[i] = -1
	}
	// trace[d] is reach of diagonals -d, -d+2 … d after d edits.
	var trace [][]int32
	low, high := -limit, limit // the diagonals that have not left the texts
	for d := 0; d <= limit; d++ {
		if d == easyEdits {
			switch shared := p.shared(); {
			case shared == 0:
				return []change{{p.same, p.same + n, p.same, p.same + m}}, true
			case n+m-2*shared > limit:
				return nil, false
			}
		}
		row := make([]int32, d+1)
		for i := range row {
			row[i] = -1
		}
		trace = append(trace, row)
		from := max(-d, low+(low+d)&1)
		for k := from; k <= min(high, d); k += 2 {
			x := 0
			if d > 0 {
				x, _ = step(int(reach[mid+k-1]), int(reach[mid+k+1]), k, n, m)
			}
			if x < 0 {
				reach[mid+k] = -1
				continue
			}
			start := x
			for x < n && x-k < m && p.equal(x, x-k) {
				x++
			}
			if work -= x - start + 1; work < 0 {
				return nil, false
			}
			reach[mid+k], row[(k+d)/2] = int32(x), int32(x)
			switch {
			case x == n && x-k == m:
				return p.walk(trace), true
			case x == n:
				high = min(high, k-1)
			case x-k == m:
				low = max(low, k+1)
			}
		}
	}
	return nil, false
}

// step is where diagonal k begins after one more edit, and whether that edit removes
// a line, from the path below, or adds one, to the path above; -1 when it can neither.
func step(below, above, k, n, m int) (begin int, removes bool) {
	canRemove := below >= 0 && below < n
	canAdd := above >= 0 && above-k <= m
	switch {
	case canAdd && (!canRemove || below < above):
		return above, false
	case canRemove:
		return below + 1, true
	}
	return -1, false
}

// walk goes back from the end along the trace and collects the changes.
func (p *pair) walk(trace [][]int32) []change {
	n, m := len(p.oldHash), len(p.newHash)
	at := func(d, k int) int {
		if k < -d || k > d {
			return -1
		}
		return int(trace[d][(k+d)/2])
	}
	var changes []change
	k := n - m
	for d := len(trace) - 1; d > 0; d-- {
		x, removes := step(at(d-1, k-1), at(d-1, k+1), k, n, m)
		c := change{x, x, x - k, x - k}
		if removes {
			c.oldFrom--
			k--
		} else {
			c.newFrom--
			k++
		}
		if l := len(changes); l > 0 && changes[l-1].oldFrom == c.oldTo && changes[l-1].newFrom == c.newTo {
			changes[l-1].oldFrom, changes[l-1].newFrom = c.oldFrom, c.newFrom
		} else {
			changes = append(changes, c)
		}
	}
	slices.Reverse(changes)
	for i := range changes {
		changes[i] = changes[i].shift(p.same)
	}
	return changes
}
