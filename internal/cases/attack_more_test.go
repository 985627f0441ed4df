//go:build linux

package cases_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/vfs"
)

// rewriteLoop overwrites a file in place with one content after the other, until it is
// told to stop.
func (w *world) rewriteLoop(name string, contents ...string) (stop func()) {
	w.Helper()
	f, err := os.OpenFile(w.path(name), os.O_WRONLY, 0)
	w.must(err)
	var over atomic.Bool
	var loop sync.WaitGroup
	loop.Go(func() {
		defer f.Close()
		for i := 0; !over.Load(); i++ {
			if _, err := f.WriteAt([]byte(contents[i%len(contents)]), 0); err != nil {
				w.Error(err)
				return
			}
		}
	})
	return func() { over.Store(true); loop.Wait() }
}

var hiddenAttacks = cases{
	// A store through a mapping moves no time stamp, and is seen all the same.
	"3": func(t *testing.T) {
		w := newWorld(t)
		f, err := os.OpenFile(w.file("f", strings.Repeat("a", 4096)), os.O_RDWR, 0)
		w.must(err)
		view, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		w.must(err, f.Close())
		defer unix.Munmap(view)
		for i := range 20 {
			view[0] = byte('b' + i)
			w.ok("read", path("f"))
			view[0] = 'x'
			for _, r := range []request{{"write", write("f", "new")}, {"edit", edit("f", "x", "y")}} {
				result := w.run(r.name, r.args)
				if code := codeOf(result); code != vfs.CodeStaleVersion && code != vfs.CodeBusy {
					t.Fatalf("%s gives %v", r.name, result.Content)
				}
			}
			w.holds("f", "x"+strings.Repeat("a", 4095))
		}
	},

	// Past the cache.
	"6": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", strings.Repeat("a", 4096))
		f, err := os.OpenFile(p, os.O_WRONLY|unix.O_DIRECT, 0)
		if err != nil {
			cannot(t, "there is no direct writing here: "+err.Error())
		}
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		w.must(err)
		defer unix.Munmap(page)
		copy(page, strings.Repeat("x", 4096))
		w.ok("read", path("f"))
		_, err = f.WriteAt(page, 0)
		w.must(err, f.Close())
		w.refused("write", write("f", "new"), vfs.CodeStaleVersion)
		w.refused("edit", editAll("f", "x", "y"), vfs.CodeStaleVersion)
		w.holds("f", strings.Repeat("x", 4096))
	},

	// What is shown as it is was there, whole, at some moment.
	"17": func(t *testing.T) {
		w := newWorld(t)
		contents := []string{strings.Repeat(strings.Repeat("a", 15)+"\n", 1<<14), strings.Repeat(strings.Repeat("b", 15)+"\n", 1<<14)}
		w.file("f", contents[0])
		real := map[vfs.Version]bool{vfs.VersionOf([]byte(contents[0])): true, vfs.VersionOf([]byte(contents[1])): true}
		var seen vfs.Version
		defer w.gate.Observed.Add(func(o gate.Observed) error { seen = o.Version; return nil })()

		// Its writer is held up in the middle, so that all passes see the same mixture.
		f, err := os.OpenFile(w.path("f"), os.O_WRONLY, 0)
		w.must(err)
		_, err = f.WriteString(contents[1][:len(contents[1])/2])
		w.must(err)
		if r := w.run("read", path("f")); !r.IsError && !strings.Contains(metaJSON(t, r), `"unstable":true`) && !real[seen] {
			t.Error("what is half written is shown as if it were the file's")
		}
		w.must(f.Close())
		w.file("f", contents[0])

		defer w.rewriteLoop("f", contents...)()
		for i := range 100 {
			r := w.run("read", args{"file_path": "f", "offset": 1 + i*150, "limit": 100})
			if r.IsError || strings.Contains(metaJSON(t, r), `"unstable":true`) {
				continue
			}
			lines, _ := w.shown(w.text(r))
			if all := strings.Join(lines, ""); strings.Contains(all, "a") && strings.Contains(all, "b") || !real[seen] {
				t.Fatal("a mixture is shown as if it were the file's")
			}
		}
	},

	"23": func(t *testing.T) {
		w := fence(t)
		w.must(os.Mkdir(w.path("d"), 0o755))
		for link, target := range map[string]string{"relative": "d/one", "absolute": w.path("d/two"), "deep": "new/dir/three", "chain": "relative2", "relative2": "d/four"} {
			w.must(os.Symlink(target, w.path(link)))
		}
		for link, real := range map[string]string{"relative": "d/one", "absolute": "d/two", "deep": "new/dir/three", "chain": "d/four"} {
			w.ok("write", write(link, "made\n"))
			w.holds(real, "made\n")
			if info, err := os.Lstat(w.path(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("%s is no link any more (%v)", link, err)
			}
		}
		w.only("d", "one", "two", "four")
	},

	"24": func(t *testing.T) {
		w := fence(t)
		links := map[string]string{
			"relative": "../out/new", "absolute": w.out + "/new", "deep": w.out + "/new/dir/f", "chain": "relative", "round": w.cache + "/../out/new",
		}
		for link, target := range links {
			w.must(os.Symlink(target, w.path(link)))
		}
		for link := range links {
			w.refused("write", write(link, "x"), vfs.CodeSandboxDenied)
			w.refused("edit", edit(link, "a", "x"), vfs.CodeSandboxDenied)
		}
		w.intact()
	},

	"26": func(t *testing.T) {
		w := newWorld(t)
		w.file("file", "a\n")
		for _, name := range []string{"file/x", "file/x/y", "file/", "file/."} {
			r := w.run("write", write(name, "x"))
			if code := codeOf(r); !r.IsError || code != vfs.CodeNotFound && code != vfs.CodeNotDirectory {
				t.Errorf("%s gives %v", name, r.Content)
			}
			if strings.Contains(r.Content[0].Text, "ENOTDIR") || strings.Contains(r.Content[0].Text, "openat") {
				t.Errorf("it says %s", r.Content[0].Text)
			}
		}
		w.holds("file", "a\n")
		w.only(w.ws, "file")
	},

	"27": func(t *testing.T) {
		for _, w := range []*world{newWorld(t), fence(t)} {
			w.file("d/f", "a\n")
			w.refused("write", write("d", "x"), vfs.CodeNotRegularFile)
			target, err := w.disk.Resolve(t.Context(), "", w.path("d"))
			w.must(err)
			for _, c := range []vfs.Condition{vfs.IfAbsent(), vfs.IfVersion(vfs.VersionOf(nil)), {}} {
				if _, err := w.disk.Put(t.Context(), target, nil, vfs.PutOptions{If: c}); vfs.CodeOf(err) != vfs.CodeNotRegularFile {
					t.Errorf("%v gives %v", c, err)
				}
			}
			w.only("d", "f")
		}
	},

	// A read ends, though the file grows faster than it is read.
	"100": func(t *testing.T) {
		const begins = 1 << 20
		w := newWorld(t)
		p := w.file("f", strings.Repeat("a line of 16 bts\n", begins/17))
		disk := w.disk
		var read int64
		w.open(over(&double{Provider: disk, open: func(ctx context.Context, target vfs.Target) (vfs.File, error) {
			f, err := disk.Open(ctx, target)
			if err != nil {
				return nil, err
			}
			grows, err := os.OpenFile(p, os.O_WRONLY|os.O_APPEND, 0)
			w.must(err)
			t.Cleanup(func() { grows.Close() })
			more := []byte(strings.Repeat("more and more of it\n", 13_500))
			return &growing{File: f, read: &read, grow: func() {
				if read > 64*begins {
					return // it is lost by then
				}
				_, err := grows.Write(more)
				w.must(err)
			}}, nil
		}}))
		within(t, func(context.Context) { w.run("read", path("f")) })
		if read > 16*begins {
			t.Errorf("%d bytes were read of a file that had %d", read, begins)
		}
	},

	"103": func(t *testing.T) {
		w := newWorld(t)
		for i := range 3000 {
			w.must(os.WriteFile(w.path(fmt.Sprintf("%05d", (i*7919)%3000)), nil, 0o644))
		}
		text := w.ok("list", args{})
		_, body, _ := strings.Cut(text, "<content>\n")
		names := strings.Split(body, "\n")
		for i := range 100 {
			if names[i] != fmt.Sprintf("%05d", i) {
				t.Fatalf("entry %d is %q", i, names[i])
			}
		}
		if !strings.Contains(text, "3000") {
			t.Errorf("it does not say how many there are: %s", text[len(text)-200:])
		}

		// Very many, of which a page is shown; and a list that is cancelled ends.
		const many = 200_000
		disk := w.disk
		made, last := 0, many
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w.open(over(&double{Provider: disk, readDir: func(ctx context.Context, _ vfs.Target) iter.Seq2[vfs.Entry, error] {
			return func(yield func(vfs.Entry, error) bool) {
				for made = 0; made < many; made++ {
					if made == last {
						cancel()
					}
					if made%1000 == 0 && ctx.Err() != nil {
						yield(vfs.Entry{}, vfs.Aborted("list", context.Cause(ctx)))
						return
					}
					if !yield(vfs.Entry{Name: fmt.Sprintf("%07d", made*7919%many+1), Type: vfs.TypeFile}, nil) {
						return
					}
				}
			}
		}}))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text = w.ok("list", args{})
		runtime.ReadMemStats(&after)
		if !strings.Contains(text, "<content>\n0000001\n0000002\n") || !strings.Contains(text, "200000") {
			t.Errorf("it shows %s", brief(text))
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 400*many {
			t.Errorf("the list took %d bytes", used)
		}
		last = 5000
		r := w.set.Execute(ctx, w.call("list", args{}))
		w.failed(r, vfs.CodeAborted)
		if made > last+1000 {
			t.Errorf("%d entries were looked at after it was cancelled", made-last)
		}
	},

	// What a file system says of a file's size is a hint.
	"108": func(t *testing.T) {
		w := newWorld(t, unguarded)
		disk := w.disk
		for _, content := range []string{"", "1234567890", "more than it says there is\n", strings.Repeat("x\n", 300_000)} {
			w.file("f", content)
			info := vfs.Info{Type: vfs.TypeFile, Size: 10}
			var seen vfs.Version
			w.open(over(&double{Provider: disk,
				stat: func(context.Context, vfs.Target) (vfs.Info, error) { return info, nil },
				open: func(context.Context, vfs.Target) (vfs.File, error) {
					return &file{io.MultiReader(strings.NewReader(content)), info}, nil
				}}))
			defer w.gate.Observed.Add(func(o gate.Observed) error { seen = o.Version; return nil })()
			r := w.run("read", path("f"))
			w.text(r)
			if unstable := strings.Contains(metaJSON(t, r), `"unstable":true`); !unstable && seen != vfs.VersionOf([]byte(content)) {
				t.Errorf("the version of %s is %s", brief(content), seen)
			}
		}
	},
}

// growing is an open file that somebody appends to before each read.
type growing struct {
	vfs.File
	read *int64
	grow func()
}

func (g *growing) Read(p []byte) (int, error) {
	g.grow()
	n, err := g.File.Read(p)
	*g.read += int64(n)
	return n, err
}

// Proof is what the disk says of the file.
func (g *growing) Proof() vfs.Proof {
	if p, ok := g.File.(vfs.Prover); ok {
		return p.Proof()
	}
	return vfs.Disturbed
}
