package search_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// TestCancellationIsPrompt: a search ends soon after its context, in whatever it is: long
// text, long lines, many files.
func TestCancellationIsPrompt(t *testing.T) {
	m := memfs.New(memfs.Options{})
	text := strings.Repeat("a line of some text that is not found\n", 1<<20)
	for name, content := range map[string]string{"/long": text, "/wide": strings.ReplaceAll(text, "\n", " ")} {
		if err := m.WriteFile(name, content); err != nil {
			t.Fatal(err)
		}
	}
	root := vfs.Target{Key: "/", Path: "/"}
	for _, pattern := range []string{`[x-z]\d{3}[x-z]`, "needle", `(?i)(\w+\s+){3}needle`} {
		ctx, cancel := context.WithCancel(t.Context())
		started := make(chan struct{})
		p := opening{m, started, &sync.Once{}, &atomic.Int64{}}
		done := make(chan vfs.SearchReport)
		go func() {
			report, err := search.Grep(ctx, p, vfs.GrepQuery{Dir: root, Pattern: pattern}, func(vfs.FoundLines) bool { return true })
			if err != nil {
				t.Error(err)
			}
			done <- report
		}()
		<-started
		ended, before := time.Now(), p.reads.Load()
		cancel()
		report := <-done
		t.Logf("%s: %v", pattern, time.Since(ended))
		if report.Stopped != vfs.StoppedByCaller && pattern != "needle" {
			t.Errorf("%s: %+v", pattern, report)
		}
		// Whatever the machine is busy with, no more is read than was under way.
		if more := p.reads.Load() - before; more > 8 {
			t.Errorf("%s: %d more reads after its context ended", pattern, more)
		}
	}
}

// opening tells when a file is in the middle of being read.
type opening struct {
	vfs.Provider
	started chan struct{}
	once    *sync.Once
	reads   *atomic.Int64
}

func (o opening) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	f, err := o.Provider.Open(ctx, t)
	return &telling{File: f, opening: o}, err
}

type telling struct {
	vfs.File
	opening
	count int
}

func (f *telling) Read(p []byte) (int, error) {
	f.reads.Add(1)
	if f.count++; f.count == 4 {
		f.once.Do(func() { close(f.started) })
	}
	return f.File.Read(p)
}
