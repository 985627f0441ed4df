//go:build !toolfs_portable

package localfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

func TestRootConfinesWithoutOpenat2(t *testing.T) {
	w := newWorld(t, true)
	w.fs.Stepwise()
	confines(t, w)
}

func TestStepwiseServesWhatItShould(t *testing.T) {
	w := newWorld(t, true)
	w.fs.Stepwise()
	w.write("real/f", "text")
	w.link("real", "dir")
	w.link("real/later", "dangling")
	if text, _, err := vfs.ReadText(t.Context(), w.fs, w.resolve("dir/f")); err != nil || text != "text" {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := w.fs.Put(t.Context(), w.resolve("dangling"), []byte("new"), vfs.PutOptions{If: vfs.IfAbsent()}); err != nil {
		t.Error(err)
	}
	if _, err := w.fs.Put(t.Context(), w.resolve("a/b/c"), []byte("deep"), vfs.PutOptions{}); err != nil {
		t.Error(err)
	}
	if got := w.content(filepath.Join(w.ws, "real/later")); got != "new" {
		t.Errorf("the link's target holds %q", got)
	}
}

// A path that is longer than the kernel takes at once is walked in steps, or refused
// with a code.
func TestPathsLongerThanTheKernelTakes(t *testing.T) {
	w := newWorld(t, true)
	name := strings.Repeat("d", 200)
	fd, err := unix.Open(w.ws, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		if err := unix.Mkdirat(fd, name, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(fd, name, unix.O_PATH|unix.O_DIRECTORY, 0)
		unix.Close(fd)
		if err != nil {
			t.Fatal(err)
		}
		fd = next
	}
	unix.Close(fd)
	t.Cleanup(func() { os.RemoveAll(w.ws) })
	path := strings.Repeat(name+"/", 30) + "f"
	_, err = w.fs.Resolve(t.Context(), "", path)
	wantCode(t, err, vfs.CodeIOError)
}
