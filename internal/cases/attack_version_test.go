//go:build linux

package cases_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// inPlace overwrites a file's bytes without making a new file of it.
func (w *world) inPlace(name, content string) {
	w.Helper()
	f, err := os.OpenFile(w.path(name), os.O_WRONLY, 0)
	w.must(err)
	_, err = f.WriteString(content)
	w.must(err, f.Close())
}

// times gives a file's times, and restores them when called.
func (w *world) times(name string) (restore func()) {
	w.Helper()
	st := w.stat(name)
	return func() {
		w.Helper()
		w.must(syscall.UtimesNano(w.path(name), []syscall.Timespec{st.Atim, st.Mtim}))
	}
}

// harmless does something to a file that leaves its bytes as they are, and then edits
// it without another read.
func harmless(t *testing.T, what string, action func(w *world, p string)) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "one two\n")
		w.ok("read", path("f"))
		action(w, p)
		w.ok("edit", edit("f", "two", "2"))
		w.holds("f", "one 2\n")
	})
}

// command runs a program in the workspace; one that is not installed is no failure of
// the tools.
func (w *world) command(name string, arguments ...string) {
	w.Helper()
	if _, err := exec.LookPath(name); err != nil {
		cannot(w.T, name+" is not installed")
	}
	c := exec.CommandContext(w.Context(), name, arguments...)
	c.Dir = w.ws
	if out, err := c.CombinedOutput(); err != nil {
		w.Fatalf("%s: %v: %s", c, err, out)
	}
}

var versionAttacks = cases{
	// The same size, at once, in place: seen every time.
	"1": func(t *testing.T) {
		w := newWorld(t)
		ours, theirs := strings.Repeat("a", 4096), strings.Repeat("x", 4096)
		w.file("f", ours)
		for range 500 {
			w.inPlace("f", ours)
			w.ok("read", path("f"))
			w.inPlace("f", theirs)
			w.refused("write", write("f", "b"), vfs.CodeStaleVersion)
			w.holds("f", theirs)
		}
		w.only(w.ws, "f")
	},

	"2": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a b")
		w.ok("read", path("f"))
		restore := w.times("f")
		w.inPlace("f", "x b")
		restore()
		w.refused("edit", edit("f", "b", "c"), vfs.CodeStaleVersion)
		w.holds("f", "x b")
	},

	"7": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a b")
		w.ok("read", path("f"))
		restore := w.times("f")
		w.file("g", "x b")
		w.must(os.Rename(w.path("g"), p))
		restore()
		w.refused("edit", edit("f", "b", "c"), vfs.CodeStaleVersion)
		w.holds("f", "x b")
		w.only(w.ws, "f")
	},

	"9": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("d/f", "a")
		w.ok("read", path("d/f"))
		w.must(os.Remove(p))
		w.refused("write", write("d/f", "b"), vfs.CodeStaleVersion)
		w.refused("edit", edit("d/f", "a", "b"), vfs.CodeStaleVersion)
		w.only("d")
		w.must(os.Remove(w.path("d")))
		w.refused("write", write("d/f", "b"), vfs.CodeStaleVersion)
		w.only(w.ws)
	},

	// What is there again is what was seen.
	"10": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a")
		w.ok("read", path("f"))
		w.file("f", "something else")
		w.file("f", "a")
		w.ok("write", write("f", "b"))
		w.holds("f", "b")
	},

	// Nothing about a file but its bytes makes it another; and it keeps the rest.
	"11": func(t *testing.T) {
		later := time.Now().Add(time.Hour)
		harmless(t, "touch", func(w *world, p string) { w.must(os.Chtimes(p, later, later)) })
		harmless(t, "chmod to the same mode", func(w *world, p string) { w.must(os.Chmod(p, 0o644)) })
		harmless(t, "chown to the same owner", func(w *world, p string) { w.must(os.Chown(p, os.Geteuid(), os.Getegid())) })
		harmless(t, "another name added", func(w *world, p string) { w.must(os.Link(p, p+"2")) })
		harmless(t, "another name added and removed", func(w *world, p string) { w.must(os.Link(p, p+"2"), os.Remove(p+"2")) })
		harmless(t, "renamed there and back", func(w *world, p string) { w.must(os.Rename(p, p+"2"), os.Rename(p+"2", p)) })
		w := newWorld(t)
		w.file("f", "a")
		w.ok("read", path("f"))
		w.attribute("f", "user.x", "kept")
		w.ok("edit", edit("f", "a", "b"))
		if got := w.attributeOf("f", "user.x"); got != "kept" {
			t.Errorf("the attribute is %q", got)
		}
	},

	"12": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a")
		w.ok("read", path("f"))
		w.must(os.Chmod(p, 0o755))
		w.ok("write", write("f", "b"))
		if got := w.mode("f"); got != 0o755 {
			t.Errorf("the mode is %v", got)
		}
	},

	// Programs that write what was there already.
	"13": func(t *testing.T) {
		harmless(t, "written in place", func(w *world, p string) { w.inPlace("f", "one two\n") })
		harmless(t, "truncated and written", func(w *world, p string) { w.file("f", "one two\n") })
		harmless(t, "written beside and renamed over", func(w *world, p string) {
			w.file("t", "one two\n")
			w.must(os.Rename(w.path("t"), p))
		})
		harmless(t, "truncated to its own size", func(w *world, p string) { w.must(os.Truncate(p, int64(len("one two\n")))) })
		harmless(t, "removed and made again", func(w *world, p string) {
			w.must(os.Remove(p))
			w.file("f", "one two\n")
		})
		harmless(t, "edited in place to no effect", func(w *world, p string) { w.command("sed", "-i", "s/nothing/x/", p) })
		harmless(t, "copied away and back", func(w *world, p string) {
			w.command("cp", "-p", p, p+"2")
			w.command("cp", "-p", p+"2", p)
		})
		harmless(t, "packed and unpacked", func(w *world, p string) {
			w.command("tar", "cf", "t.tar", "f")
			w.command("tar", "xf", "t.tar")
		})
	},

	// Another branch checked out, and this one again.
	"14": func(t *testing.T) {
		harmless(t, "another branch and back", func(w *world, p string) {
			git := func(arguments ...string) {
				w.command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"}, arguments...)...)
			}
			git("init", "-q")
			git("add", "f")
			git("commit", "-q", "-m", "one")
			git("checkout", "-q", "-b", "other")
			w.file("f", "another content\n")
			git("commit", "-q", "-a", "-m", "two")
			git("checkout", "-q", "main")
		})
	},
}
