//go:build !toolfs_portable

package localfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

func TestFilesOfTheSystemAreNotWritten(t *testing.T) {
	w := newWorld(t, false)
	before, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/proc/self/comm", "/proc/self/oom_score_adj", "/sys/kernel/mm/ksm/run", "/proc/new"} {
		target, err := w.fs.Resolve(t.Context(), "", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = vfs.WriteText(t.Context(), w.fs, target, "x", vfs.WriteOptions{})
		wantCode(t, err, vfs.CodePermissionDenied)
	}
	if after, err := os.ReadFile("/proc/self/comm"); err != nil || string(after) != string(before) {
		t.Errorf("comm was %q, is %q, %v", before, after, err)
	}
}

// A root that holds a mount of such a file system is no way in.
func TestFilesOfTheSystemAreNotWrittenThroughAMount(t *testing.T) {
	needsRoot(t)
	w := newWorld(t, true)
	proc := filepath.Join(w.ws, "proc")
	if err := os.Mkdir(proc, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("/proc", proc, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(proc, unix.MNT_DETACH)
	target := w.resolve("proc/1/comm")
	_, err := w.fs.Put(t.Context(), target, []byte("x"), vfs.PutOptions{})
	wantCode(t, err, vfs.CodePermissionDenied)
}

func TestWhatDisclosesIsNotRead(t *testing.T) {
	t.Setenv("TOOLFS_CANARY", "secret")
	w := newWorld(t, false)
	w.link("/proc/self/environ", "innocent")
	for _, path := range []string{"/proc/self/environ", "/proc/self/mem", "/proc/kmsg", "innocent", "/proc/self/task/../environ"} {
		target, err := w.fs.Resolve(t.Context(), "", path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := vfs.ReadText(t.Context(), w.fs, target)
		wantCode(t, err, vfs.CodePermissionDenied)
		if strings.Contains(text, "secret") {
			t.Errorf("%s was disclosed", path)
		}
	}
	if text, _, err := vfs.ReadText(t.Context(), w.fs, w.resolve("/proc/version")); err != nil || !strings.HasPrefix(text, "Linux") {
		t.Errorf("/proc/version reads as %q, %v", text, err)
	}
}
