//go:build !toolfs_portable

package localfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// needsRoot ends a test that only root can make, unless nothing may be skipped.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		t.Fatal("this test needs root, and TOOLFS_NO_SKIP is set")
	}
	t.Skip("this test needs root, to mount")
}

// A file that is a mount point, as in containers, cannot be replaced: it is written in
// place, and what is mounted there changes.
func TestMountedFileIsWrittenInPlace(t *testing.T) {
	needsRoot(t)
	w := newWorld(t, true)
	source := filepath.Join(w.out, "source")
	if err := os.WriteFile(source, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := w.write("f", "hidden")
	if err := unix.Mount(source, path, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(path, unix.MNT_DETACH)
	p, err := localfs.Root([]string{w.ws}, localfs.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	target, err := p.Resolve(t.Context(), "", "f")
	if err != nil {
		t.Fatal(err)
	}
	info, err := p.Put(t.Context(), target, []byte("new"), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("old")))})
	if err != nil || info.Publication.Guarantee != vfs.GuaranteeInPlace {
		t.Errorf("got %+v, %v", info, err)
	}
	if got := w.content(source); got != "new" {
		t.Errorf("the mounted file holds %q", got)
	}
	w.onlyNames(w.ws, "f")
}
