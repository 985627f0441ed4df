//go:build !toolfs_portable

package localfs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

func openDir(t *testing.T, path string) int {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// mapped maps a file for writing, and closes it: what was opened is not open any more,
// and can be written to all the same.
func mapped(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	view, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(view) })
	return view
}

// layers are the places of an overlay.
type layers struct{ lower, merged string }

// layered mounts an overlay whose lower layer has these files.
func layered(t *testing.T, files map[string]string) layers {
	t.Helper()
	rootOnly(t)
	base := t.TempDir()
	l := layers{lower: filepath.Join(base, "lower"), merged: filepath.Join(base, "merged")}
	for _, dir := range []string{"lower", "upper", "work", "merged"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(l.lower, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work", l.lower, base, base)
	if err := unix.Mount("overlay", l.merged, "overlay", 0, options); err != nil {
		cannotHere(t, "no overlay can be mounted: "+err.Error())
	}
	t.Cleanup(func() { unmount(t, l.merged) })
	return l
}

func unmount(t *testing.T, path string) {
	t.Helper()
	if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
		t.Error(err)
	}
}

// small is an ext4 file system in a file.
type small struct {
	*testing.T
	image, dir string
}

// newSmall makes one of so many bytes. The file system is checked to be mounted, or
// else what is to fill it would fill another.
func newSmall(t *testing.T, size int64, options ...string) *small {
	t.Helper()
	rootOnly(t)
	base := t.TempDir()
	s := &small{T: t, image: filepath.Join(base, "image"), dir: filepath.Join(base, "mnt")}
	if err := os.WriteFile(s.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.image, size); err != nil {
		t.Fatal(err)
	}
	s.run("mkfs.ext4", append(append([]string{"-q", "-F", "-E", "lazy_itable_init=0,nodiscard"}, options...), s.image)...)
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.mount()
	t.Cleanup(func() { s.run("umount", s.dir) })
	return s
}

func (s *small) mount() {
	s.Helper()
	s.run("mount", "-o", "loop", s.image, s.dir)
	var inside, outside unix.Stat_t
	if unix.Stat(s.dir, &inside) != nil || unix.Stat(filepath.Dir(s.dir), &outside) != nil || inside.Dev == outside.Dev {
		s.Fatal("it is not mounted")
	}
}

// run runs a program that must succeed.
func (s *small) run(name string, arguments ...string) {
	s.Helper()
	if _, err := exec.LookPath(name); err != nil {
		cannotHere(s.T, name+" is not installed")
	}
	c := exec.Command(name, arguments...)
	if out, err := c.CombinedOutput(); err != nil {
		s.Fatalf("%s: %v: %s", c, err, out)
	}
}

// cut is a power cut: what only the journal in memory knows is lost, and nothing works
// any more until the file system is mounted anew.
func (s *small) cut() {
	const shutdown, withoutLog = 0x8004587d, 2
	fd, err := unix.Open(s.dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		s.Error(err)
		return
	}
	defer unix.Close(fd)
	if err := unix.IoctlSetPointerInt(fd, shutdown, withoutLog); err != nil {
		s.Error(err)
	}
}

// plainNode is a file or directory of a file system in which files have names from the
// beginning, and can be renamed only as they always could.
type plainNode struct{ *fs.LoopbackNode }

func (*plainNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &plainNode{child.(*fs.LoopbackNode)}
}

func (n *plainNode) Rename(ctx context.Context, name string, parent fs.InodeEmbedder, to string, flags uint32) syscall.Errno {
	if flags != 0 {
		return syscall.EINVAL
	}
	return n.LoopbackNode.Rename(ctx, name, parent, to, 0)
}

func (n *plainNode) Tmpfile(context.Context, uint32, uint32, *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	return nil, nil, 0, syscall.EOPNOTSUPP
}

// mountPlain mounts one over a directory that it gives as beneath, and believes what it
// was told of a file for so long.
func mountPlain(t *testing.T, believed time.Duration) (mount, beneath string) {
	t.Helper()
	rootOnly(t)
	if _, err := os.Stat("/dev/fuse"); err != nil {
		cannotHere(t, "it needs /dev/fuse")
	}
	base := t.TempDir()
	mount, beneath = filepath.Join(base, "mnt"), filepath.Join(base, "beneath")
	for _, dir := range []string{mount, beneath} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root, err := fs.NewLoopbackRoot(beneath)
	if err != nil {
		t.Fatal(err)
	}
	server, err := fs.Mount(mount, &plainNode{root.(*fs.LoopbackNode)}, &fs.Options{AttrTimeout: &believed, EntryTimeout: &believed,
		MountOptions: fuse.MountOptions{DirectMountStrict: true, Name: "plain"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
		server.Wait()
	})
	return mount, beneath
}

// stingy takes three bytes at a time.
type stingy struct{ atomicfile.Sys }

func (s stingy) Write(fd int, p []byte) (int, error) { return s.Sys.Write(fd, p[:min(len(p), 3)]) }

func (s stingy) WriteAt(fd int, p []byte, offset int64) (int, error) {
	return s.Sys.WriteAt(fd, p[:min(len(p), 3)], offset)
}
