//go:build !toolfs_portable

package localfs_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// BenchmarkEnginePairs times searches of the Go sources right after the same one by
// ripgrep that prints --json, whose records are decoded: as each engine does it, the
// median of the ratios.
func BenchmarkEnginePairs(b *testing.B) {
	dir := goSources(b)
	for _, program := range ripgreps(b) {
		for _, pattern := range []string{"goleakish", `func \w+Handler\(`, `(?i)nonexistentneedle`, "func", `[A-Z]{20}`, `\d{9,}`, `\w+\s+\w+;`, `[а-я]{3}`} {
			for _, engine := range []string{"native", "rg"} {
				b.Run(filepath.Base(filepath.Dir(program))+"/"+pattern+"/"+engine, func(b *testing.B) {
					o := localfs.Options{NoSync: true, Ripgrep: program}
					if engine == "native" {
						o.Ripgrep = ""
					}
					benchmarkPair(b, dir, program, pattern, o)
				})
			}
		}
	}
}

func benchmarkPair(b *testing.B, dir, program, pattern string, o localfs.Options) {
	disk, err := localfs.Root([]string{dir}, o)
	if err != nil {
		b.Fatal(err)
	}
	defer disk.Close()
	q := vfs.GrepQuery{Dir: resolved(b, disk, dir), Pattern: pattern}
	var ratios []float64
	for b.Loop() {
		start := time.Now()
		plainRipgrep(b, program, dir, pattern)
		theirs := time.Since(start)
		start = time.Now()
		if _, err := search.Grep(b.Context(), disk, q, func(vfs.FoundLines) bool { return true }); err != nil {
			b.Fatal(err)
		}
		ratios = append(ratios, float64(time.Since(start))/float64(theirs))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-of-rg")
}

func plainRipgrep(b *testing.B, program, dir, pattern string) {
	cmd := exec.Command(program, "--no-config", "--json", "--regexp="+pattern, "./")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	for d := json.NewDecoder(out); ; {
		var record struct {
			Type string
			Data struct {
				Path, Lines struct{ Text, Bytes string }
				LineNumber  int `json:"line_number"`
			}
		}
		if err := d.Decode(&record); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.Fatal(err)
		}
	}
	_ = cmd.Wait() // finding nothing is no failure here
}
