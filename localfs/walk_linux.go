//go:build !toolfs_portable

package localfs

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// OpenDir implements vfs.DirOpener. What lies below is opened from the open directory,
// one component at a time and through no link, so it lies below wherever that is.
func (f *FS) OpenDir(ctx context.Context, t vfs.Target) (vfs.Dir, error) {
	if ctx.Err() != nil {
		return nil, vfs.Aborted("list", context.Cause(ctx))
	}
	opened, err := patient(ctx, f, "list", "list", t, 0, func() (*directory, error) { return f.openDir(t) })
	if err != nil {
		return nil, err
	}
	d := &walkDir{walk: &treeWalk{fs: f}, fd: opened.fd, target: t, filter: opened.filter}
	d.close = opened.Close
	if err := d.look(nil); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// treeWalk is what all directories that were opened from one share.
type treeWalk struct {
	fs      *FS
	buffers sync.Pool // of *[direntBuffer]byte
}

const direntBuffer = 32 << 10

// walkDir is an open directory of a walk.
type walkDir struct {
	walk   *treeWalk
	fd     int
	target vfs.Target // for messages
	dev    uint64
	fstype int64
	filter *childFilter // what is withheld of its children
	lateCloser
}

// Withheld implements vfs.WithholdingDir.
func (d *walkDir) Withheld() int { return int(d.filter.counted()) }

// look finds the file system of the directory, which mostly is that of its parent.
func (d *walkDir) look(parent *walkDir) error {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return ioError("list", d.target.Path, err)
	}
	if d.dev = st.Dev; parent != nil && parent.dev == st.Dev {
		d.fstype = parent.fstype
	} else {
		d.fstype = d.walk.fs.filesystem(d.fd, st.Dev)
	}
	return nil
}

func (d *walkDir) child(name string) vfs.Target {
	return vfs.Target{Key: filepath.Join(d.target.Key, name), Path: filepath.Join(d.target.Path, name)}
}

// Close implements io.Closer.
func (d *walkDir) Close() error { return d.lateCloser.Close() }

// inWalk runs a call on an open directory. A disk of this machine always answers, and is
// not worth a goroutine for each call.
func inWalk[T any](ctx context.Context, d *walkDir, op string, call func() (T, error)) (v T, err error) {
	if ctx.Err() != nil {
		return v, vfs.Aborted(op, context.Cause(ctx))
	}
	if onDisk(d.fstype) {
		return call()
	}
	return patient(ctx, d.walk.fs, op, op, d.target, 0, func() (v T, err error) {
		d.use(func() { v, err = call() })
		return v, err
	})
}

// Each implements vfs.Dir.
func (d *walkDir) Each(ctx context.Context, yield func(name []byte, t vfs.Type) bool) error {
	buf, _ := d.walk.buffers.Get().(*[direntBuffer]byte)
	if buf == nil {
		buf = new([direntBuffer]byte)
	}
	for {
		n, err := inWalk(ctx, d, "list", func() (int, error) { return unix.Getdents(d.fd, buf[:]) })
		if err != nil {
			// A call that was left behind may still fill the buffer: it is given up.
			return listError(d.target, err)
		}
		if n == 0 {
			d.walk.buffers.Put(buf)
			return nil
		}
		for name, kind := range dirents(buf[:n]) {
			t := nameType(d.fd, name, kind)
			if d.filter != nil && d.filter.withheld(string(name), t == vfs.TypeDirectory) {
				continue
			}
			if !yield(name, t) {
				d.walk.buffers.Put(buf)
				return nil
			}
		}
	}
}

func listError(t vfs.Target, err error) error {
	if _, ok := err.(*vfs.Error); ok {
		return err
	}
	return ioError("list", t.Path, err)
}

// component reports a name that leads no further than to a direct child.
func component(name string) bool {
	return name != "" && name != "." && name != ".." && strings.IndexByte(name, '/') < 0
}

// openat opens one component, and no link.
func (d *walkDir) openat(name string, flags int) (int, error) {
	for component(name) {
		fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
	return -1, unix.ENOENT
}

// OpenDir implements vfs.Dir.
func (d *walkDir) OpenDir(ctx context.Context, name string) (vfs.Dir, error) {
	child, err := inWalk(ctx, d, "list", func() (*walkDir, error) {
		t := d.child(name)
		if err := d.filter.refuses(name, true); err != nil {
			return nil, d.walk.fs.statError("list", t, err)
		}
		fd, err := d.openat(name, unix.O_DIRECTORY)
		switch {
		case err == unix.ELOOP, err == unix.ENOTDIR:
			return nil, &vfs.Error{Op: "list", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
		case err != nil:
			return nil, d.walk.fs.statError("list", t, err)
		}
		c := &walkDir{walk: d.walk, fd: fd, target: t, filter: d.walk.fs.childrenOf(t.Key)}
		c.close = func() error { return unix.Close(fd) }
		if err := c.look(d); err != nil {
			c.Close()
			return nil, err
		}
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	return child, nil
}

// loaded is the beginning of a file.
type loaded struct {
	n    int
	rest *boundFile
}

// Close lets a load that nobody waited for be taken back.
func (l loaded) Close() error {
	if l.rest == nil {
		return nil
	}
	return l.rest.Close()
}

// Load implements vfs.Dir.
func (d *walkDir) Load(ctx context.Context, name string, buf []byte) (n int, rest vfs.File, err error) {
	l, err := inWalk(ctx, d, "read", func() (loaded, error) { return d.load(ctx, name, buf) })
	if err != nil || l.rest == nil {
		return l.n, nil, err
	}
	return l.n, l.rest, nil
}

// load opens without waiting: a FIFO that took the file's place since its directory was
// read is let go of at once.
func (d *walkDir) load(ctx context.Context, name string, buf []byte) (l loaded, err error) {
	if err := d.filter.refuses(name, false); err != nil {
		return l, d.walk.fs.statError("read", d.child(name), err)
	}
	fd, err := d.openat(name, unix.O_NONBLOCK|unix.O_NOCTTY)
	switch {
	case err == unix.ELOOP, err == unix.ENXIO:
		return l, vfs.NotRegular("read", d.child(name))
	case err != nil:
		return l, d.walk.fs.statError("read", d.child(name), err)
	}
	f := &file{fd: fd, onDisk: onDisk(d.fstype), proof: proof{begun: true}}
	defer func() {
		if l.rest == nil {
			unix.Close(fd)
		}
	}()
	if err := d.regular(f, name); err != nil {
		return l, err
	}
	for l.n < len(buf) {
		n, err := unix.Read(fd, buf[l.n:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return l, ioError("read", d.child(name).Path, err)
		}
		l.n += n
		if n == 0 || f.onDisk && int64(l.n) >= f.info.Size {
			return l, nil
		}
	}
	f.target, f.read = d.child(name), int64(l.n)
	l.rest = &boundFile{file: f, fs: d.walk.fs, ctx: ctx, lateCloser: lateCloser{close: f.Close}}
	return l, nil
}

// regular refuses what is no regular file, and what FS.open refuses.
func (d *walkDir) regular(f *file, name string) error {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return ioError("read", d.child(name).Path, err)
	}
	f.info = infoOf(&st)
	fstype := d.fstype
	if st.Dev != d.dev {
		fstype = d.walk.fs.filesystem(f.fd, st.Dev)
		f.onDisk = onDisk(fstype)
	}
	switch {
	case f.info.Type != vfs.TypeFile:
		return vfs.NotRegular("read", d.child(name))
	case d.walk.fs.discloses(fstype, f.fd):
		return systemFile("read", d.child(name))
	}
	if err := d.walk.fs.deniedLink(f.fd, &st); err != nil {
		return d.walk.fs.openError("read", d.child(name), err)
	}
	return nil
}

// ModTime implements vfs.Dir.
func (d *walkDir) ModTime(ctx context.Context, name string) (time.Time, error) {
	return inWalk(ctx, d, "stat", func() (time.Time, error) {
		var st unix.Stat_t
		err := d.filter.refuses(name, false)
		if err == nil {
			err = unix.ENOENT
		}
		if err == unix.ENOENT && component(name) {
			err = unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		}
		if err != nil {
			return time.Time{}, d.walk.fs.statError("stat", d.child(name), err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFREG {
			return time.Time{}, vfs.NotRegular("read", d.child(name))
		}
		return time.Unix(st.Mtim.Unix()), nil
	})
}

// modTime looks at the name itself.
func (f *FS) modTime(t vfs.Target) (time.Time, error) {
	fd, err := f.handle(t.Key, 0)
	if err != nil {
		return time.Time{}, f.statError("stat", t, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return time.Time{}, ioError("stat", t.Path, err)
	}
	return time.Unix(st.Mtim.Unix()), nil
}
