package linediff

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// apply replaces the old lines of each hunk by its new ones.
func apply(before, after string, hunks []Hunk) (string, error) {
	lines := newText(before)
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		from := h.OldStart - 1
		b.WriteString(before[lines.starts[at]:lines.starts[from]])
		at = from + h.OldLines
		if (h.OldText == nil) != (h.OldLines == 0) {
			return "", fmt.Errorf("%d old lines and %v", h.OldLines, h.OldText)
		}
		if h.OldText != nil && *h.OldText != lines.join(from, at) {
			return "", fmt.Errorf("old side %q is not lines %d to %d", *h.OldText, from+1, at)
		}
		if h.NewLines == 0 {
			continue
		}
		b.WriteString(h.NewText)
		// A hunk does not tell whether a text's last line has its line feed.
		if b.Len() < len(after) {
			b.WriteByte('\n')
		}
	}
	b.WriteString(before[lines.starts[at]:])
	return b.String(), nil
}

func texts() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"a", "b", "c", "", "}", "d\r", "\\ No newline at end of file", "@@ -1,2 +1,2 @@"})
	return rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(line, 0, 80).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "final line feed") && s != "" {
			s += "\n"
		}
		return s
	})
}

func TestApplyingTheHunksGivesTheNewText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := texts().Draw(t, "before"), texts().Draw(t, "after")
		hunks := Hunks(before, after)
		got, err := apply(before, after, hunks)
		if err != nil || got != after {
			t.Fatalf("%q, %v from %+v", got, err, hunks)
		}
		for i := 1; i < len(hunks); i++ {
			if hunks[i-1].OldStart+hunks[i-1].OldLines >= hunks[i].OldStart {
				t.Fatalf("hunks %d and %d should be one: %+v", i-1, i, hunks)
			}
		}
	})
}

// check fails unless the changes are in order, apart, and lead from p.old to p.new.
func check(t *rapid.T, p *pair, changes []change) {
	x, y := 0, 0
	end := change{p.old.len(), p.old.len(), p.new.len(), p.new.len()}
	for i, c := range append(changes, end) {
		if i > 0 && i < len(changes) && c.oldFrom == x {
			t.Fatalf("changes touch: %v", changes)
		}
		if c.oldFrom-x != c.newFrom-y {
			t.Fatalf("sides out of step: %v", changes)
		}
		for ; x < c.oldFrom; x, y = x+1, y+1 {
			if p.old.line(x) != p.new.line(y) {
				t.Fatalf("line %d is not line %d: %v", x, y, changes)
			}
		}
		x, y = c.oldTo, c.newTo
	}
}

func TestBothAlignmentsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := texts().Draw(t, "before"), texts().Draw(t, "after")
		if before == after {
			return
		}
		p := newPair(before, after)
		shortest, ok := p.shortest()
		if !ok {
			t.Fatal("no shortest script")
		}
		check(t, p, shortest)
		check(t, p, p.anchored())
		edits := 0
		for _, c := range shortest {
			edits += c.oldTo - c.oldFrom + c.newTo - c.newFrom
		}
		if want := p.old.len() + p.new.len() - 2*common(&p.old, &p.new); edits != want {
			t.Fatalf("%d edits, the fewest are %d", edits, want)
		}
	})
}

// common is the length of the longest common subsequence, by the textbook table.
func common(a, b *text) int {
	row := make([]int, b.len()+1)
	for i := range a.len() {
		diagonal := 0
		for j := range b.len() {
			above := row[j+1]
			if a.line(i) == b.line(j) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[b.len()]
}

func FuzzHunks(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n")
	f.Add("a", "a\n")
	f.Add("\\ No newline at end of file\n", "\\ No newline at end of file")
	f.Fuzz(func(t *testing.T, before, after string) {
		hunks := Hunks(before, after)
		got, err := apply(before, after, hunks)
		if len(hunks) == 1 && hunks[0].Truncated {
			return
		}
		if err != nil || got != after {
			t.Fatalf("%q, %v from %+v", got, err, hunks)
		}
	})
}
