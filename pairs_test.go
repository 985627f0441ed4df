package toolfs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// pair runs ours and the plain floor in turn, so that whatever else the machine does
// meets both, and reports the median of each and the median of their ratios.
func pair(b *testing.B, ours, floor func()) {
	var o, f, ratios []float64
	for n := 0; b.Loop(); n++ {
		first, second := ours, floor
		if n%2 == 1 {
			first, second = floor, ours
		}
		t := time.Now()
		first()
		a := float64(time.Since(t))
		t = time.Now()
		second()
		c := float64(time.Since(t))
		if n%2 == 1 {
			a, c = c, a
		}
		o, f, ratios = append(o, a), append(f, c), append(ratios, a/c)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(o)/1e3, "ours-µs")
	b.ReportMetric(median(f)/1e3, "floor-µs")
	b.ReportMetric(median(ratios), "ratio")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkPairWindow compares a read of the first window with the passes that it has
// to make over the file, made plainly one after the other: read it, count its lines,
// check that it is UTF-8, and hash it where a version is due.
func BenchmarkPairWindow(b *testing.B) {
	for _, size := range sizes[1:] {
		for _, offset := range []int{1, 1_000_000_000} {
			if offset > 1 {
				offset = size.bytes / len(benchLine) / 2
			}
			b.Run(fmt.Sprintf("%s/line-%d", size.name, offset), func(b *testing.B) {
				dir := b.TempDir()
				provider, err := localfs.Root([]string{dir}, localfs.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer provider.Close()
				tools, err := toolfs.New(toolfs.Options{Provider: provider})
				if err != nil {
					b.Fatal(err)
				}
				defer tools.Close()
				w := &bench{tools, dir}
				w.file(b, "f", textOf(size.bytes))
				call := fmt.Appendf(nil, `{"file_path":"f","offset":%d}`, offset)
				pair(b, func() { w.run(b, "read", call) },
					func() { plainPasses(b, filepath.Join(dir, "f"), int64(size.bytes) <= vfs.DefaultMaxGuardedBytes) })
			})
		}
	}
}

var sink int

func plainPasses(b *testing.B, path string, hashed bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	sink += bytes.Count(data, []byte{'\n'})
	if !utf8.Valid(data) {
		b.Fatal("not UTF-8")
	}
	if hashed {
		sum := sha256.Sum256(data)
		sink += int(sum[0])
	}
}

// BenchmarkPairList compares a whole call of list with os.ReadDir alone.
func BenchmarkPairList(b *testing.B) {
	w := newBench(b, toolfs.Options{})
	manyFiles(b, w.dir, 100_000)
	pair(b, func() { w.run(b, "list", []byte(`{}`)) }, func() {
		entries, err := os.ReadDir(w.dir)
		if err != nil {
			b.Fatal(err)
		}
		sink += len(entries)
	})
}

// BenchmarkPairPut compares an atomic replacement with a plain temporary file, fsync,
// rename and fsync of the directory.
func BenchmarkPairPut(b *testing.B) {
	for _, size := range []int{1 << 10, 20_000} {
		for _, guarded := range []bool{true, false} {
			b.Run(fmt.Sprintf("%d/guarded=%t", size, guarded), func(b *testing.B) { pairPut(b, size, guarded) })
		}
	}
}

func pairPut(b *testing.B, size int, guarded bool) {
	provider, dir := newDisk(b)
	target := resolved(b, provider, "ours")
	data := [2][]byte{[]byte(textOf(size)), bytes.ToUpper([]byte(textOf(size)))}
	put(b, provider, target, data[1], vfs.PutOptions{})
	plain(b, dir, data[1], "plain")
	n := 0
	pair(b, func() {
		var o vfs.PutOptions
		if guarded {
			o.If = vfs.IfVersion(vfs.VersionOf(data[1-n%2]))
		}
		put(b, provider, target, data[n%2], o)
		n++
	}, func() { plain(b, dir, data[0], "plain") })
}

// BenchmarkPairCreate compares the creation of a file with the same plain sequence.
func BenchmarkPairCreate(b *testing.B) {
	provider, dir := newDisk(b)
	data := []byte(textOf(20_000))
	n := 0
	pair(b, func() {
		n++
		put(b, provider, resolved(b, provider, fmt.Sprintf("ours-%d", n)), data, vfs.PutOptions{If: vfs.IfAbsent()})
	}, func() {
		n++
		plain(b, dir, data, fmt.Sprintf("plain-%d", n))
	})
}

// BenchmarkPairResolve compares finding and opening a file, with the proof of where it
// is, with filepath.EvalSymlinks and os.Open.
func BenchmarkPairResolve(b *testing.B) {
	provider, dir := newDisk(b)
	deep := filepath.Join(dir, "a", "b", "c")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "f"), []byte("x"), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		b.Fatal(err)
	}
	const times = 100
	for _, name := range []string{"a/b/c/f", "link/b/c/f"} {
		b.Run(name, func(b *testing.B) {
			pair(b, func() {
				for range times {
					f, err := provider.Open(context.Background(), resolved(b, provider, name))
					if err != nil {
						b.Fatal(err)
					}
					f.Close()
				}
			}, func() {
				for range times {
					path, err := filepath.EvalSymlinks(filepath.Join(dir, name))
					if err != nil {
						b.Fatal(err)
					}
					f, err := os.Open(path)
					if err != nil {
						b.Fatal(err)
					}
					f.Close()
				}
			})
		})
	}
}

func newDisk(b *testing.B) (provider *localfs.FS, dir string) {
	b.Helper()
	dir = b.TempDir()
	provider, err := localfs.Root([]string{dir}, localfs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { provider.Close() })
	return provider, dir
}

func resolved(b *testing.B, provider *localfs.FS, name string) vfs.Target {
	t, err := provider.Resolve(context.Background(), "", name)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

func put(b *testing.B, provider *localfs.FS, t vfs.Target, data []byte, o vfs.PutOptions) {
	if _, err := provider.Put(context.Background(), t, data, o); err != nil {
		b.Fatal(err)
	}
}

func plain(b *testing.B, dir string, data []byte, name string) {
	temp, err := os.CreateTemp(dir, "plain-*")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(temp, bytes.NewReader(data)); err != nil {
		b.Fatal(err)
	}
	if err := temp.Sync(); err != nil {
		b.Fatal(err)
	}
	temp.Close()
	if err := os.Rename(temp.Name(), filepath.Join(dir, name)); err != nil {
		b.Fatal(err)
	}
	d, err := os.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Sync(); err != nil {
		b.Fatal(err)
	}
	d.Close()
}

// BenchmarkPairFence compares a guarded write of 1 KiB, which the sandbox allows, through
// tools that are fenced and can ask with the same through tools that are neither.
func BenchmarkPairFence(b *testing.B) {
	for _, sync := range []bool{true, false} {
		b.Run(fmt.Sprintf("sync=%t", sync), func(b *testing.B) {
			pair(b, newWriter(b, sandbox.WorkspaceWrite, sync).write, newWriter(b, "", sync).write)
		})
	}
}

// writer writes one file over and over.
type writer struct {
	*bench
	b     *testing.B
	calls [2][]byte
	n     int
}

func newWriter(b *testing.B, mode sandbox.Mode, sync bool) *writer {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "a", "b", "ws")
	if err := os.MkdirAll(filepath.Join(dir, "src", "pkg"), 0o755); err != nil {
		b.Fatal(err)
	}
	disk, tools := localfs.Options{NoSync: !sync}, toolfs.Options{}
	if mode != "" {
		disk.Sandbox = &localfs.Sandbox{Mode: mode, NoTemp: true}
		var err, err2 error
		tools.Sandbox, err = sandbox.NewService(sandbox.Options{Mode: mode})
		tools.Approval, err2 = approval.NewService(approval.Options{})
		if err := errors.Join(err, err2); err != nil {
			b.Fatal(err)
		}
	}
	provider, err := localfs.Root([]string{dir}, disk)
	if err != nil {
		b.Fatal(err)
	}
	tools.Provider = provider
	set, err := toolfs.New(tools)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { set.Close(); provider.Close() })
	w := &writer{bench: &bench{set, dir}, b: b}
	for i, text := range []string{textOf(1 << 10), strings.ToUpper(textOf(1 << 10))} {
		w.calls[i] = fmt.Appendf(nil, `{"file_path":"src/pkg/f.go","content":%q}`, text)
	}
	return w
}

func (w *writer) write() {
	w.run(w.b, "write", w.calls[w.n%2])
	w.n++
}
