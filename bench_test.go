package toolfs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
)

// sizes are the file sizes at which each tool is measured, in bytes.
var sizes = []struct {
	name  string
	bytes int
}{{"1KiB", 1 << 10}, {"1MiB", 1 << 20}, {"100MiB", 100 << 20}}

const benchLine = "the quick brown fox jumps over the lazy dog, and then some more text\n"

func textOf(bytes int) string {
	return strings.Repeat(benchLine, bytes/len(benchLine)+1)[:bytes-1] + "\n"
}

// bench is tools over a directory, and a session that they know.
type bench struct {
	tools *toolfs.Toolset
	dir   string
}

func newBench(b *testing.B, o toolfs.Options) *bench {
	b.Helper()
	dir := b.TempDir()
	provider, err := localfs.Root([]string{dir}, localfs.Options{MaxGuardedBytes: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	o.Provider = provider
	tools, err := toolfs.New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { tools.Close(); provider.Close() })
	return &bench{tools, dir}
}

func (w *bench) file(b *testing.B, name, content string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (w *bench) call(b *testing.B, name string, args any) {
	b.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	w.run(b, name, raw)
}

func (w *bench) run(b *testing.B, name string, raw []byte) {
	r := w.tools.Execute(context.Background(), tool.Call{ID: "1", Name: name, Arguments: raw, Session: &tool.Session{ID: "s", Cwd: w.dir}})
	if r.IsError {
		b.Fatal(r.Error.Message)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			w := newBench(b, toolfs.Options{})
			w.file(b, "f", textOf(size.bytes))
			b.SetBytes(int64(size.bytes))
			b.ReportAllocs()
			for b.Loop() {
				w.run(b, "read", []byte(`{"file_path":"f"}`))
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			w := newBench(b, toolfs.Options{})
			var calls [2][]byte
			for i := range calls {
				var err error
				calls[i], err = json.Marshal(map[string]string{"file_path": "f", "content": fmt.Sprint(i) + textOf(size.bytes)})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(size.bytes))
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				w.run(b, "write", calls[n%2])
			}
		})
	}
}

func BenchmarkEdit(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			w := newBench(b, toolfs.Options{})
			w.file(b, "f", textOf(size.bytes)+"word 0\n")
			w.run(b, "read", []byte(`{"file_path":"f","limit":1}`))
			b.SetBytes(int64(size.bytes))
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				w.call(b, "edit", map[string]string{"file_path": "f", "old_string": fmt.Sprintf("word %d\n", n%2), "new_string": fmt.Sprintf("word %d\n", 1-n%2)})
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newBench(b, toolfs.Options{})
			manyFiles(b, w.dir, n)
			b.ReportAllocs()
			for b.Loop() {
				w.run(b, "list", []byte(`{}`))
			}
		})
	}
}

func manyFiles(b *testing.B, dir string, n int) {
	b.Helper()
	for i := range n {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("Some_File-%d.txt", i*7919%n)))
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
