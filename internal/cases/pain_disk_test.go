//go:build linux

package cases_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

// mode is a file's permissions with the special bits.
func (w *world) mode(name string) os.FileMode {
	w.Helper()
	info, err := os.Stat(w.path(name))
	w.must(err)
	return info.Mode() & (os.ModePerm | os.ModeSetuid | os.ModeSetgid | os.ModeSticky)
}

func (w *world) stat(name string) *syscall.Stat_t {
	w.Helper()
	info, err := os.Stat(w.path(name))
	w.must(err)
	return info.Sys().(*syscall.Stat_t)
}

// keepsMode fails unless a file has the same mode after an edit and an overwrite.
func keepsMode(t *testing.T, mode os.FileMode) {
	t.Helper()
	w := newWorld(t)
	w.must(os.Chmod(w.file("f", "a"), mode))
	w.ok("read", path("f"))
	w.ok("edit", edit("f", "a", "b"))
	if got := w.mode("f"); got != mode {
		t.Errorf("an edit makes %v of %v", got, mode)
	}
	w.ok("write", write("f", "c"))
	if got := w.mode("f"); got != mode {
		t.Errorf("an overwrite makes %v of %v", got, mode)
	}
	w.only(w.ws, "f")
}

var diskCases = cases{
	"48": func(t *testing.T) { keepsMode(t, 0o755) },

	// Whatever a changed file was staged as, it ends with its own mode, and no copy
	// of it stays behind.
	"49": func(t *testing.T) {
		for _, mode := range []os.FileMode{0o644, 0o755, 0o600, 0o640, 0o664, 0o666, 0o777} {
			keepsMode(t, mode)
		}
	},

	// The file that a link leads to is changed, and the link stays a link.
	"51": func(t *testing.T) {
		w := newWorld(t)
		w.file("real.md", "0")
		w.file("sub/deep.md", "0")
		links := map[string]string{
			"link.md": "real.md", "chain1": "chain2", "chain2": "chain3", "chain3": "link.md",
			"absolute": w.path("real.md"), "sub/up": "../real.md", "dir": "sub",
		}
		for name, target := range links {
			w.must(os.Symlink(target, w.path(name)))
		}
		n := 0
		for _, name := range []string{"link.md", "chain1", "absolute", "sub/up", "dir/up"} {
			w.ok("read", path(name))
			w.ok("edit", edit(name, fmt.Sprint(n), fmt.Sprint(n+1)))
			n++
			w.holds("real.md", fmt.Sprint(n))
		}
		w.ok("write", write("dir/up", "done")) // known under its other names too
		w.holds("real.md", "done")
		for name, target := range links {
			if got, err := os.Readlink(w.path(name)); err != nil || got != target {
				t.Errorf("%s leads to %q (%v)", name, got, err)
			}
		}

		w.must(os.Symlink("sub/new.md", w.path("dangling")))
		w.ok("write", write("dangling", "made"))
		w.holds("sub/new.md", "made")

		w.must(os.Symlink("loop2", w.path("loop1")), os.Symlink("loop1", w.path("loop2")))
		for _, said := range []string{w.refused("read", path("loop1"), vfs.CodeIOError), w.refused("write", write("loop1", "x"), vfs.CodeIOError)} {
			if !strings.HasPrefix(said, "cannot ") || strings.Contains(said, "ELOOP") {
				t.Errorf("it says %q", said)
			}
		}
		last := "real.md" // as many links as the kernel follows
		for i := range 40 {
			name := fmt.Sprintf("long%d", i)
			w.must(os.Symlink(last, w.path(name)))
			last = name
		}
		w.ok("write", write(last, "through forty links"))
		w.holds("real.md", "through forty links")
	},

	// A changed file is a new file with one name; whoever asks for the card learns
	// that there were two.
	"52": func(t *testing.T) {
		w := newWorld(t)
		w.must(os.Link(w.file("a", "text\n"), w.path("b")))
		w.ok("read", path("a"))
		r := w.run("edit", edit("a", "text", "changed"))
		w.text(r)
		w.holds("a", "changed\n")
		w.holds("b", "text\n")
		if meta := metaJSON(t, r); !strings.Contains(meta, ":2") {
			t.Errorf("the meta does not say that there were 2 names: %s", meta)
		}
	},

	// A file that is mounted for itself cannot be renamed over: it is written where it
	// is, and nothing is left beside it.
	"53": func(t *testing.T) {
		needRoot(t)
		w := newWorld(t)
		source := w.file(w.cache+"/source", "a\n")
		target := w.file("f", "hidden by the mount\n")
		if err := syscall.Mount(source, target, "", syscall.MS_BIND, ""); err != nil {
			cannot(t, "a file cannot be mounted: "+err.Error())
		}
		t.Cleanup(func() { w.must(syscall.Unmount(target, syscall.MNT_DETACH)) })
		w.must(os.Chmod(target, 0o640), os.Chown(target, 1000, 1000))
		before := w.stat("f")
		w.ok("read", path("f"))
		r := w.run("edit", edit("f", "a", "b"))
		w.only(w.ws, "f")
		if r.IsError {
			t.Fatalf("it is refused: %v", r.Content)
		}
		w.holds("f", "b\n")
		w.holds(source, "b\n")
		if after := w.stat("f"); after.Ino != before.Ino || after.Mode != before.Mode || after.Uid != before.Uid {
			t.Errorf("the file was %v and is %v", before, after)
		}
	},

	// The atomic way: who has the old file open keeps it, whole.
	"54": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", strings.Repeat("old\n", 1000))
		opened, err := os.Open(p)
		w.must(err)
		defer opened.Close()
		w.ok("read", path("f"))
		w.ok("edit", editAll("f", "old", "newer"))
		old, err := io.ReadAll(opened)
		if err != nil || string(old) != strings.Repeat("old\n", 1000) {
			t.Errorf("the open file holds %s (%v)", brief(string(old)), err)
		}
		w.holds("f", strings.Repeat("newer\n", 1000))
	},

	// A file keeps its owner, whoever changes it.
	"56": func(t *testing.T) {
		needRoot(t)
		w := newWorld(t)
		w.must(os.Chown(w.file("f", "a"), 1000, 1001))
		w.ok("read", path("f"))
		w.ok("edit", edit("f", "a", "b"))
		w.ok("write", write("f", "c"))
		if st := w.stat("f"); st.Uid != 1000 || st.Gid != 1001 {
			t.Errorf("the file belongs to %d:%d", st.Uid, st.Gid)
		}
	},

	// Killed at whatever moment, the writer leaves one version or the other, and what
	// it leaves besides goes with the next write.
	"57": func(t *testing.T) {
		w := newWorld(t)
		for writes := range 6 {
			p := w.file("f", strings.Repeat("a", endlessSize))
			killWriter(w, p, writes+1)
			content, err := os.ReadFile(p)
			w.must(err)
			if len(content) != endlessSize || strings.Trim(string(content), string(content[:1])) != "" {
				t.Fatalf("after %d writes the file holds %s", writes+1, brief(string(content)))
			}
		}
		w.ok("read", path("f"))
		w.ok("write", write("f", "done"))
		w.holds("f", "done")
		w.only(w.ws, "f")
	},

	// A reader that never stops sees whole versions.
	"58": func(t *testing.T) {
		w := newWorld(t, unguarded)
		const size = 50_000
		p := w.file("f", strings.Repeat("a", size))
		var stop atomic.Bool
		started, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			for reads := 0; !stop.Load(); reads++ {
				content, err := os.ReadFile(p)
				if err != nil || len(content) != size || bytes.Count(content, content[:1]) != size {
					t.Errorf("a reader sees %s (%v)", brief(string(content)), err)
				}
				if reads == 0 {
					close(started)
				}
			}
		}()
		<-started
		for i := range 150 {
			w.ok("write", write("f", strings.Repeat(string(rune('a'+i%26)), size)))
		}
		stop.Store(true)
		<-ended
	},
}
