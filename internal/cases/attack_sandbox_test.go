//go:build linux

package cases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

var sandboxAttacks = cases{
	// Nothing happens on disk before the denial: no directory, no temporary file, not
	// even for a moment.
	"88": func(t *testing.T) {
		w, _ := sandboxed(t, sandbox.ReadOnly, approval.Ask)
		w.file("f", "ours\n")
		w.file("d/g", "ours\n")
		events := watch(t, w.base, w.ws, w.path("d"), w.out)
		for _, name := range []string{"f", "new", "a/b/c", "d/new", w.out + "/new", w.out + "/secret", ".git/hooks/x"} {
			w.denied("write", write(name, "x"))
			w.denied("write", write(name, "x"))
			w.denied("edit", edit(name, "ours", "x"))
		}
		target, err := w.disk.Resolve(t.Context(), w.ws, "a/b/c")
		w.must(err)
		for _, o := range []vfs.PutOptions{{}, {If: vfs.IfAbsent()}, {If: vfs.IfVersion(vfs.VersionOf([]byte("ours\n")))}} {
			if _, err := w.disk.Put(t.Context(), target, []byte("x"), o); err == nil {
				t.Errorf("%v is written", o.If)
			}
		}
		if n := events(); n > 0 {
			t.Errorf("%d bytes of events on disk", n)
		}
		// The watch would have seen a change.
		w.must(w.set.Close())
		w.file("d/new", "x")
		if events() == 0 {
			t.Error("the watch sees nothing")
		}
	},

	// A file that must not be read is not read by any name.
	"91": func(t *testing.T) {
		w := newPlaces(t)
		shadow := w.file(w.out+"/shadow", "root:secret\n")
		w.must(os.Symlink(shadow, w.path("link")), os.Link(shadow, w.path("hard")), os.Link(shadow, w.out+"/hard too"))
		disk, err := localfs.Host(localfs.Options{Cwd: w.ws, StateDir: w.state, NoSync: true, Deny: []string{shadow}})
		w.must(err)
		t.Cleanup(func() { w.must(disk.Close()) })
		w.disk = disk
		w.open(unguarded)
		names := []string{shadow, "link", "hard", w.out + "/hard too", w.out + "//./shadow", w.ws + "/../" + filepath.Base(w.out) + "/shadow",
			"/proc/self/root" + shadow, "/proc/self/cwd/../../.." + "/../../../../../.." + shadow, strings.ToUpper(shadow)}
		for _, name := range names {
			if got := w.run("read", args{"file_path": name}); !got.IsError || strings.Contains(got.Content[0].Text, "secret") {
				t.Errorf("%s: %s", name, got.Content[0].Text)
			}
			if name != strings.ToUpper(shadow) {
				w.refused("write", write(name, "x"), vfs.CodePermissionDenied)
			}
		}
		for _, dir := range []string{w.ws, w.out} {
			if text := w.ok("grep", args{"pattern": "secret", "path": dir}); strings.Contains(text, "root:") {
				t.Errorf("found in %s: %s", dir, text)
			}
		}
		w.holds(shadow, "root:secret\n")
	},

	"89": func(t *testing.T) {
		w, p := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		p.answer.Outcome = approval.AllowedOnce
		w.ok("write", write(w.out+"/x", "x").wider(sandbox.DangerFullAccess))
		w.denied("write", write(w.out+"/x", "y"))
		w.denied("write", write(w.out+"/z", "y"))
		w.denied("edit", edit(w.out+"/x", "x", "y"))
		w.holds(w.out+"/x", "x")
		w.only(w.out, "secret", "x")
	},
}

// watch has the kernel count what changes in directories, or is opened there for
// writing. The function that it gives says how much that was since.
func watch(t *testing.T, dirs ...string) (events func() int) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for _, dir := range dirs {
		if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_DELETE|unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_MOVE|unix.IN_CLOSE_WRITE); err != nil {
			t.Fatal(err)
		}
	}
	return func() int {
		n, err := unix.Read(fd, make([]byte, 64<<10))
		if err != nil && err != unix.EAGAIN {
			t.Fatal(err)
		}
		return max(n, 0)
	}
}
