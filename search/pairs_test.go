package search_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// BenchmarkPairs times each search right after the same one by ripgrep, over the Go
// sources: what is reported is the median of the ratios, and ours alone. The bounds are
// what TestSpeed holds to.
func BenchmarkPairs(b *testing.B) {
	for _, p := range pairs() {
		b.Run(p.name, func(b *testing.B) {
			rg := ripgrep(b)
			run := p.prepare(b, rg)
			var ratios []float64
			for b.Loop() {
				theirs, ours := run()
				ratios = append(ratios, float64(ours)/float64(theirs))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-of-rg")
		})
	}
}

// TestSpeed fails where a search is slower than it may be, compared with ripgrep. It is
// only run where TOOLFS_SPEED is set: on a machine that does other things at the same time it
// would tell nothing.
func TestSpeed(t *testing.T) {
	if os.Getenv("TOOLFS_SPEED") == "" {
		t.Skip("it compares times; set TOOLFS_SPEED=1 on a quiet machine")
	}
	rg := ripgrep(t)
	for _, p := range pairs() {
		run := p.prepare(t, rg)
		run()
		var ratios []float64
		for range 15 {
			theirs, ours := run()
			ratios = append(ratios, float64(ours)/float64(theirs))
		}
		slices.Sort(ratios)
		t.Logf("%s: %.2f of ripgrep's time (%.2f to %.2f), at most %.2f", p.name, ratios[7], ratios[0], ratios[14], p.bound)
		if ratios[7] > p.bound {
			t.Errorf("%s takes too long", p.name)
		}
	}
}

type pair struct {
	name, pattern string
	glob          bool
	bound         float64
}

func pairs() []pair {
	return []pair{
		{"rare literal", "goleakish", false, 1.3},
		{"common expression", `func \w+Handler\(`, false, 2},
		{"either case", `(?i)nonexistentneedle`, false, 2},
		{"either case, common", `(?i)strings\.builder`, false, 2},
		{"no literal", `\d{9,}`, false, 2},
		{"no literal, beyond ASCII", `[а-я]{3}`, false, 2},
		{"no literal, to the end", `(?i)[a-z]+_[0-9]+$`, false, 2},
		{"short literal", `\w+\s+\w+;`, false, 2},
		{"glob", "**/*_test.go", true, 1.5},
	}
}

func (p pair) prepare(t testing.TB, rg string) (run func() (theirs, ours time.Duration)) {
	t.Helper()
	dir := goSources(t)
	disk, at := local(t, dir)
	args := []string{"--no-config", "--line-number", "--regexp=" + p.pattern, dir}
	if p.glob {
		args = []string{"--no-config", "--files", "--no-ignore", "--hidden", "--glob=" + p.pattern, dir}
	}
	return func() (theirs, ours time.Duration) {
		start := time.Now()
		exec.Command(rg, args...).Run() // finding nothing is no failure here
		theirs = time.Since(start)
		start = time.Now()
		var err error
		if p.glob {
			_, err = search.Glob(t.Context(), disk, vfs.GlobQuery{Dir: at, Pattern: p.pattern}, func(vfs.FoundFile) bool { return true })
		} else {
			_, err = search.Grep(t.Context(), disk, vfs.GrepQuery{Dir: at, Pattern: p.pattern}, func(vfs.FoundLines) bool { return true })
		}
		if err != nil {
			t.Fatal(err)
		}
		return theirs, time.Since(start)
	}
}
