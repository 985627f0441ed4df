package search_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// generated is a provider whose only directory has files made up on demand, and that
// watches how much memory is in use.
type generated struct {
	vfs.Provider
	files int
	size  int64 // bytes of each file
	line  string
	peak  atomic.Uint64
	calls atomic.Int64
}

func (g *generated) Resolve(context.Context, string, string) (vfs.Target, error) {
	return vfs.Target{}, &vfs.Error{Code: vfs.CodeNotFound, Msg: "not found"}
}

func (g *generated) Stat(context.Context, vfs.Target) (vfs.Info, error) {
	return vfs.Info{Type: vfs.TypeDirectory}, nil
}

func (g *generated) ReadDir(context.Context, vfs.Target) iter.Seq2[vfs.Entry, error] {
	return func(func(vfs.Entry, error) bool) {}
}

func (g *generated) OpenDir(context.Context, vfs.Target) (vfs.Dir, error) {
	return generatedDir{g}, nil
}

// look measures now and then.
func (g *generated) look() {
	if g.calls.Add(1)%20_000 != 1 {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for {
		old := g.peak.Load()
		if m.HeapInuse <= old || g.peak.CompareAndSwap(old, m.HeapInuse) {
			return
		}
	}
}

type generatedDir struct{ *generated }

func (d generatedDir) Close() error { return nil }

func (d generatedDir) Each(_ context.Context, yield func([]byte, vfs.Type) bool) error {
	buf := make([]byte, 0, 64)
	for i := range d.files {
		d.look()
		if !yield(fmt.Appendf(buf, "file-%07d.txt", i), vfs.TypeFile) {
			return nil
		}
	}
	return nil
}

func (d generatedDir) OpenDir(context.Context, string) (vfs.Dir, error) {
	return nil, &vfs.Error{Code: vfs.CodeNotDirectory, Msg: "not a directory"}
}

func (d generatedDir) Load(_ context.Context, _ string, buf []byte) (int, vfs.File, error) {
	d.look()
	n, left := 0, d.size
	for n < len(buf) && left > 0 {
		m := copy(buf[n:], d.line[:min(int64(len(d.line)), left)])
		n, left = n+m, left-int64(m)
	}
	if left == 0 {
		return n, nil, nil
	}
	return n, &generatedFile{d.generated, left}, nil
}

func (d generatedDir) ModTime(_ context.Context, name string) (time.Time, error) {
	d.look()
	return time.Unix(int64(len(name)), 0), nil
}

type generatedFile struct {
	*generated
	left int64
}

func (f *generatedFile) Info() vfs.Info { return vfs.Info{Type: vfs.TypeFile, Size: f.size} }
func (f *generatedFile) Close() error   { return nil }
func (f *generatedFile) Read(p []byte) (int, error) {
	f.look()
	if f.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && f.left > 0 {
		m := copy(p[n:], f.line[:min(int64(len(f.line)), f.left)])
		n, f.left = n+m, f.left-int64(m)
	}
	return n, nil
}

const mib = 1 << 20

// TestGrepMemory: what a search holds depends neither on how many files there are, nor
// on how large they or their lines are.
func TestGrepMemory(t *testing.T) {
	files, size := 1_000_000, int64(10<<30)
	if testing.Short() || raceEnabled {
		files, size = 100_000, 1<<30
	}
	for name, g := range map[string]*generated{
		"many files":   {files: files, size: 4, line: "hay\n"},
		"a large file": {files: 1, size: size, line: "some hay in a line of its own\n"},
		"a large line": {files: 1, size: size / 8, line: "hay "},
	} {
		report, err := search.Grep(t.Context(), g, vfs.GrepQuery{Dir: vfs.Target{Key: "/", Path: "/"}, Pattern: "needle"}, func(vfs.FoundLines) bool {
			t.Error("found")
			return false
		})
		if err != nil || report.Stopped != "" {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		t.Logf("%s: %d MiB at most", name, g.peak.Load()/mib)
		if g.peak.Load() > 64*mib {
			t.Errorf("%s: %d MiB in use", name, g.peak.Load()/mib)
		}
	}
}

// TestGlobMemory: a file that matches costs at most 256 bytes.
func TestGlobMemory(t *testing.T) {
	const files = 200_000
	g := &generated{files: files}
	var found []vfs.FoundFile
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := search.Glob(t.Context(), g, vfs.GlobQuery{Dir: vfs.Target{Key: "/", Path: "/"}, Pattern: "*.txt"}, func(f vfs.FoundFile) bool {
		found = append(found, f)
		return true
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil || len(found) != files {
		t.Fatalf("%d found, %v", len(found), err)
	}
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / files
	t.Logf("%d bytes each", each)
	if each > 256 {
		t.Errorf("%d bytes each", each)
	}
	runtime.KeepAlive(found)
}
