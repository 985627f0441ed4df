package toolfs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
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

// BenchmarkPairPut compares an atomic write of 1 KiB with a plain temporary file,
// fsync, rename and fsync of the directory.
func BenchmarkPairPut(b *testing.B) {
	for _, guarded := range []bool{true, false} {
		b.Run(fmt.Sprintf("guarded=%t", guarded), func(b *testing.B) {
			dir := b.TempDir()
			provider, err := localfs.Root([]string{dir}, localfs.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer provider.Close()
			ctx := context.Background()
			target, err := provider.Resolve(ctx, "", "ours")
			if err != nil {
				b.Fatal(err)
			}
			data := [2][]byte{[]byte(textOf(1 << 10)), bytes.ToUpper([]byte(textOf(1 << 10)))}
			if _, err := provider.Put(ctx, target, data[1], vfs.PutOptions{}); err != nil {
				b.Fatal(err)
			}
			plain(b, dir, data[1])
			n := 0
			pair(b, func() {
				var o vfs.PutOptions
				if guarded {
					o.If = vfs.IfVersion(vfs.VersionOf(data[1-n%2]))
				}
				if _, err := provider.Put(ctx, target, data[n%2], o); err != nil {
					b.Fatal(err)
				}
				n++
			}, func() { plain(b, dir, data[0]) })
		})
	}
}

func plain(b *testing.B, dir string, data []byte) {
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
	if err := os.Rename(temp.Name(), filepath.Join(dir, "plain")); err != nil {
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
