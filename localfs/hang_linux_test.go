//go:build !toolfs_portable

package localfs_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// hangingRoot is a file system in which the file "f" answers and everything else waits
// until it is released.
type hangingRoot struct {
	fs.Inode
	release chan struct{}
}

func (r *hangingRoot) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if name != "f" && name != "slow" {
		<-r.release
		return nil, syscall.ENOENT
	}
	out.Mode, out.Size = syscall.S_IFREG|0o644, 5
	return r.NewInode(ctx, &hangingFile{slow: name == "slow", release: r.release}, fs.StableAttr{Mode: syscall.S_IFREG}), 0
}

type hangingFile struct {
	fs.Inode
	slow    bool
	release chan struct{}
}

func (f *hangingFile) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = syscall.S_IFREG|0o644, 5
	return 0
}

func (f *hangingFile) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (f *hangingFile) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	if f.slow {
		<-f.release
	}
	return fuse.ReadResultData([]byte("hello")[min(off, 5):]), 0
}

// mountHanging mounts it beside a plain workspace; release lets go of everything.
func mountHanging(t *testing.T) (w *world, mount string, release func()) {
	t.Helper()
	needsRoot(t)
	if _, err := os.Stat("/dev/fuse"); err != nil {
		if os.Getenv("TOOLFS_NO_SKIP") != "" {
			t.Fatal("this test needs /dev/fuse, and TOOLFS_NO_SKIP is set")
		}
		t.Skip("this test needs /dev/fuse")
	}
	w = newWorld(t, false)
	mount = filepath.Join(w.ws, "mnt")
	if err := os.Mkdir(mount, 0o755); err != nil {
		t.Fatal(err)
	}
	ch := make(chan struct{})
	server, err := fs.Mount(mount, &hangingRoot{release: ch}, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, Name: "hanging"}})
	if err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() { close(ch) })
	t.Cleanup(func() {
		release()
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
		server.Wait()
	})
	return w, mount, release
}

// soon is a deadline that a hanging call must keep; the test itself has no clock.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestHangingStorageEndsAtTheDeadline(t *testing.T) {
	w, mount, release := mountHanging(t)
	w.write("plain", "text")
	if text, _, err := vfs.ReadText(soon(t), w.fs, w.resolve(mount+"/f")); err != nil || text != "hello" {
		t.Fatalf("the mount does not work: %q, %v", text, err)
	}
	_, err := w.fs.Resolve(soon(t), "", mount+"/nothing")
	wantCode(t, err, vfs.CodeAborted)
	_, _, err = vfs.ReadText(soon(t), w.fs, w.resolve(mount+"/slow"))
	wantCode(t, err, vfs.CodeAborted)

	// What is left behind is bounded, and then refused at once: no deadline is needed.
	for range 16 {
		if _, err = w.fs.Resolve(soon(t), "", mount+"/nothing"); vfs.CodeOf(err) == vfs.CodeIOError {
			break
		}
	}
	wantCode(t, err, vfs.CodeIOError)

	// Other mounts are served meanwhile.
	if text, _, err := vfs.ReadText(soon(t), w.fs, w.resolve("plain")); err != nil || text != "text" {
		t.Errorf("another file: %q, %v", text, err)
	}
	other, err := localfs.Root([]string{w.out}, localfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()

	// And once it answers again, so is this one.
	release()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := w.fs.Resolve(ctx, "", mount+"/nothing")
		cancel()
		if err == nil {
			break
		}
		if vfs.CodeOf(err) != vfs.CodeIOError {
			t.Fatal(err)
		}
	}
}
