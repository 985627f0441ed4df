//go:build !toolfs_portable

package localfs

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

func openat2(dir int, path string, how *unix.OpenHow) (int, error) {
	for {
		fd, err := unix.Openat2(dir, path, how)
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

// handle opens the canonical path key without following any link, as a mere handle:
// no device, no FIFO and no file is really opened. This is the proof of where it is.
//
// Nothing is reached but through here, so this is where what is withheld is refused,
// whether it exists or not.
func (f *FS) handle(key string, flags int) (int, error) {
	if err := f.withheld(key, flags&unix.O_DIRECTORY != 0); err != nil {
		return -1, err
	}
	fd, err := f.openHandle(key, unix.O_NOFOLLOW|flags)
	if err != nil || f.withhold == nil || flags&unix.O_DIRECTORY != 0 {
		return fd, err
	}
	var st unix.Stat_t
	switch err = unix.Fstat(fd, &st); {
	case err != nil:
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		err = f.withheld(key, true)
	default:
		err = f.deniedLink(fd, &st)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// deniedLink refuses an open file that is denied under another of its names.
func (f *FS) deniedLink(fd int, st *unix.Stat_t) error {
	if f.withhold == nil || st.Nlink < 2 || len(f.withhold.exact) == 0 {
		return nil
	}
	info, err := os.Stat(atomicfile.ProcFD(fd))
	if err != nil {
		return err
	}
	return f.deniedElsewhere(info)
}

// openHandle is handle, but that without O_NOFOLLOW in flags a link at the end is ELOOP.
func (f *FS) openHandle(key string, flags int) (int, error) {
	dir, rel := unix.AT_FDCWD, key
	how := unix.OpenHow{Flags: uint64(unix.O_PATH | unix.O_CLOEXEC | flags),
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	if len(f.roots) > 0 {
		r, below, ok := f.rootOf(key)
		if !ok {
			return -1, errOutside
		}
		dir, rel = r.fd, below
		if rel == "" {
			rel = "."
		}
		how.Resolve |= unix.RESOLVE_BENEATH
	}
	if f.stepwise {
		return step(dir, rel, flags)
	}
	fd, err := openat2(dir, rel, &how)
	if err == unix.ENOSYS || err == unix.ENAMETOOLONG {
		return step(dir, rel, flags)
	}
	return fd, err
}

var errOutside = errors.New("outside the roots")

// step opens rel below dir one component at a time, for a kernel without openat2 and
// for paths that are longer than it takes.
func step(dir int, rel string, flags int) (int, error) {
	at, err := unix.Openat(dir, ".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if strings.HasPrefix(rel, "/") {
		at, err = unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return -1, err
	}
	parts := components(rel)
	for i, name := range parts {
		more := 0
		if i == len(parts)-1 {
			more = flags
		}
		next, err := unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC|more, 0)
		unix.Close(at)
		if err != nil {
			return -1, err
		}
		var st unix.Stat_t
		if err := unix.Fstat(next, &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK || name == ".." {
			unix.Close(next)
			return -1, unix.ELOOP
		}
		at = next
	}
	return at, nil
}

// openError words a failure to reach a target.
func (f *FS) openError(op string, t vfs.Target, err error) *vfs.Error {
	if w, ok := errors.AsType[*withheldError](err); ok {
		return vfs.Withheld(op, t, w.rule)
	}
	switch {
	case err == errOutside, err == unix.EXDEV && len(f.roots) > 0:
		return f.outside(t.Path)
	case err == unix.EISDIR:
		return vfs.NotRegular(op, t)
	case err == unix.ELOOP:
		return &vfs.Error{Op: op, Path: t.Path, Code: vfs.CodeIOError,
			Msg: "the path was changed while it was being opened; try again", Err: err}
	}
	return ioError(op, t.Path, err)
}

func (f *FS) stat(op string, t vfs.Target) (vfs.Info, error) {
	fd, err := f.handle(t.Key, 0)
	if err != nil {
		return vfs.Info{}, f.statError(op, t, err)
	}
	defer unix.Close(fd)
	info, err := statHandle(fd, t)
	if err == nil && info.Type == vfs.TypeSymlink {
		return vfs.Info{}, f.openError(op, t, unix.ELOOP)
	}
	return info, err
}

// lstat describes the name itself.
func (f *FS) lstat(t vfs.Target) (vfs.Info, error) {
	fd, err := f.handle(t.Key, 0)
	if err != nil {
		return vfs.Info{}, f.statError("stat", t, err)
	}
	defer unix.Close(fd)
	return statHandle(fd, t)
}

// statError gives one answer for all that is not there.
func (f *FS) statError(op string, t vfs.Target, err error) error {
	if err == unix.ENOENT || err == unix.ENOTDIR {
		return vfs.NotFound(op, t)
	}
	return f.openError(op, t, err)
}

func statHandle(fd int, t vfs.Target) (vfs.Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return vfs.Info{}, ioError("stat", t.Path, err)
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) vfs.Info {
	info := vfs.Info{Type: vfs.TypeOther, Size: st.Size}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		info.Type = vfs.TypeFile
	case unix.S_IFDIR:
		info.Type = vfs.TypeDirectory
	case unix.S_IFLNK:
		info.Type = vfs.TypeSymlink
	}
	return info
}

// open opens what the handle shows to be a regular file, and nothing else, so that no
// FIFO's other end and no device notices.
func (f *FS) open(t vfs.Target) (*file, error) {
	handle, err := f.handle(t.Key, 0)
	if err != nil {
		return nil, f.statError("read", t, err)
	}
	defer unix.Close(handle)
	var st unix.Stat_t
	if err := unix.Fstat(handle, &st); err != nil {
		return nil, ioError("read", t.Path, err)
	}
	fstype := f.filesystem(handle, st.Dev)
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, vfs.NotRegular("read", t)
	case f.discloses(fstype, handle):
		return nil, systemFile("read", t)
	}
	fd, err := f.reopen(handle, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return nil, ioError("read", t.Path, err)
	}
	return &file{fd: fd, target: t, info: infoOf(&st), onDisk: onDisk(fstype),
		proof: proof{before: st, fstype: fstype, fine: f.fineStamps}}, nil
}

// reopen really opens what a handle stands for.
func (s *system) reopen(handle, flags int) (int, error) {
	for {
		fd, err := unix.Openat(s.descriptors, strconv.Itoa(handle), flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}
