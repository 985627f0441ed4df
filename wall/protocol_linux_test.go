//go:build !toolfs_portable

package wall

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		t.Fatal("this test needs root, and TOOLFS_NO_SKIP is set")
	}
	t.Skip("this test needs root")
}

// TestPublicationBehindTheWall is every means by which content is published: the kernel
// lets a worker use each of them where it may write.
func TestPublicationBehindTheWall(t *testing.T) {
	needRoot(t)
	ws, _ := places(t)
	f := behind(t, ws, Options{})
	path := filepath.Join(ws, "f")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12, 34); err != nil {
		t.Fatal(err)
	}
	attributes := unix.Setxattr(path, "user.note", []byte("kept"), 0) == nil
	if err := os.Link(path, filepath.Join(ws, "second")); err != nil {
		t.Fatal(err)
	}
	to, old := target(t, f, "f"), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("old")))}
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Put(t.Context(), to, []byte("new"), old); vfs.CodeOf(err) != vfs.CodeBusy {
		t.Errorf("while it is open for writing: %v", err)
	}
	writer.Close()
	info, err := f.Put(t.Context(), to, []byte("new"), old)
	if err != nil || info.Publication.Guarantee != vfs.GuaranteeExchanged || info.Publication.LinkCount != 2 {
		t.Errorf("replaced as %+v, %v", info, err)
	}
	now, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := now.Sys().(*syscall.Stat_t); now.Mode().Perm() != 0o640 || st.Uid != 12 || st.Gid != 34 {
		t.Errorf("mode %v, owner %d:%d", now.Mode(), st.Uid, st.Gid)
	}
	value := make([]byte, 10)
	if n, err := unix.Getxattr(path, "user.note", value); attributes && (err != nil || string(value[:n]) != "kept") {
		t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
	}
}

// TestInPlaceBehindTheWall needs the journal, in a state directory that is missing.
func TestInPlaceBehindTheWall(t *testing.T) {
	needRoot(t)
	ws, outside := places(t)
	source, path := filepath.Join(outside, "f"), filepath.Join(ws, "f")
	if err := unix.Mount(source, path, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(path, unix.MNT_DETACH)
	state := filepath.Join(filepath.Dir(ws), "deep", "state")
	f := behind(t, ws, Options{}, func(o *localfs.Options) { o.StateDir = state })
	info, err := f.Put(t.Context(), target(t, f, "f"), []byte("new"), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("old")))})
	if err != nil || info.Publication.Guarantee != vfs.GuaranteeInPlace {
		t.Errorf("rewritten as %+v, %v", info, err)
	}
	if got := content(t, source); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the state directory: %v, %v", info, err)
	}
}

// TestStateThatCannotBeMade takes nothing but what is written in place.
func TestStateThatCannotBeMade(t *testing.T) {
	ws, _ := places(t)
	f := behind(t, ws, Options{}, func(o *localfs.Options) { o.StateDir = "/proc/none/state" })
	if _, err := f.Put(t.Context(), target(t, f, "f"), []byte("new"), vfs.PutOptions{}); err != nil {
		t.Error(err)
	}
}

// TestLargeEditIsLoaded: what would be written without the worker is not done so.
func TestLargeEditIsLoaded(t *testing.T) {
	ws, _ := places(t)
	f := behind(t, ws, Options{Command: []string{os.Args[0], "crashing-worker"}})
	data := make([]byte, 9<<20)
	for i := range data {
		data[i] = 'a'
	}
	copy(data[5<<20:], "needle")
	path := filepath.Join(ws, "large")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mode     sandbox.Mode
		old, new string
		line     int
	}{{sandbox.WorkspaceWrite, "needle", "thread", 0}, {sandbox.DangerFullAccess, "thread", "button", 1}} {
		o := vfs.EditOptions{Sandbox: sandbox.Policy{Mode: tt.mode}}
		out, err := vfs.EditText(t.Context(), f, target(t, f, "large"), vfs.Edit{Old: tt.old, New: tt.new}, o)
		if err != nil || out.Count != 1 || out.FirstLine != tt.line {
			t.Errorf("%s: edited %d places from line %d on, %v", tt.mode, out.Count, out.FirstLine, err)
		}
	}
	copy(data[5<<20:], "button")
	if content(t, path) != string(data) {
		t.Error("the file holds something else")
	}
}
