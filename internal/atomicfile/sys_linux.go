// Package atomicfile publishes whole files: a reader sees the old content or the
// new, never a mixture, and a failure leaves the old one and nothing beside it. It
// works on an open directory and leaf names alone, so that what was proven of the
// directory holds for the publication.
//
// It knows no paths, no versions as the seam has them, and no errors of the seam.
package atomicfile

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Sys is every system call that publication makes, so that a test can make any of
// them fail, block or be the last one. Names are leaf names in the directory dir.
type Sys interface {
	// OpenTemp opens a new file without a name in dir.
	OpenTemp(dir int, mode uint32) (fd int, err error)
	// OpenNew creates a file that must not exist.
	OpenNew(dir int, name string, mode uint32) (fd int, err error)
	// OpenPath gives a handle on what name denotes, without opening it and without
	// following a link.
	OpenPath(dir int, name string) (fd int, err error)
	// OpenRead opens the regular file behind a handle for reading.
	OpenRead(handle int) (fd int, err error)
	// OpenWrite opens the regular file behind a handle for reading and writing.
	OpenWrite(handle int) (fd int, err error)
	// Flags and SetFlags are the inode flags of an open file.
	Flags(fd int) (int, error)
	SetFlags(fd, flags int) error
	// Writable reports whether the file behind a handle may be written.
	Writable(handle int) error
	Close(fd int) error
	Stat(fd int, st *unix.Stat_t) error
	StatAt(dir int, name string, st *unix.Stat_t) error
	ReadAt(fd int, p []byte, offset int64) (int, error)
	Write(fd int, p []byte) (int, error)
	WriteAt(fd int, p []byte, offset int64) (int, error)
	// CopyRange appends n bytes of one open file, from offset on, to another; EXDEV,
	// ENOSYS or EINVAL where the two cannot be copied so.
	CopyRange(from int, offset int64, to, n int) (int, error)
	// Reserve makes room for a file of size bytes, without changing its size.
	Reserve(fd int, size int64) error
	Truncate(fd int, size int64) error
	Chmod(fd int, mode uint32) error
	Chown(fd, uid, gid int) error
	// Listxattr and Getxattr work on a handle too.
	Listxattr(fd int, dest []byte) (int, error)
	Getxattr(fd int, name string, dest []byte) (int, error)
	Setxattr(fd int, name string, value []byte) error
	Removexattr(fd int, name string) error
	Sync(fd int) error
	// Names lists the directory.
	Names(dir int) ([]string, error)
	// Link gives a name to an open file; the name must not exist.
	Link(fd, dir int, name string) error
	Rename(dir int, from, to string, flags uint) error
	Unlink(dir int, name string) error
	// SetLease takes (F_RDLCK, F_WRLCK) or drops (F_UNLCK) the lease on an open file.
	SetLease(fd, kind int) error
	// Lease is the lease that fd still has.
	Lease(fd int) (kind int, err error)
	// Lock takes the directory's exclusive lock if it is free, else EWOULDBLOCK.
	Lock(dir int) error
	Unlock(dir int) error
}

// Kernel is the Sys of the running system.
type Kernel struct{}

func retry[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}

// ProcFD is the name under which the kernel shows an open file.
func ProcFD(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// OpenTemp implements Sys.
func (Kernel) OpenTemp(dir int, mode uint32) (int, error) {
	return retry(func() (int, error) {
		return unix.Openat(dir, ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, mode)
	})
}

// OpenNew implements Sys.
func (Kernel) OpenNew(dir int, name string, mode uint32) (int, error) {
	return retry(func() (int, error) {
		return unix.Openat(dir, name, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOFOLLOW, mode)
	})
}

// OpenPath implements Sys.
func (Kernel) OpenPath(dir int, name string) (int, error) {
	return retry(func() (int, error) {
		return unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
}

// OpenRead implements Sys.
func (Kernel) OpenRead(handle int) (int, error) {
	return retry(func() (int, error) {
		return unix.Open(ProcFD(handle), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
}

// OpenWrite implements Sys.
func (Kernel) OpenWrite(handle int) (int, error) {
	return retry(func() (int, error) {
		return unix.Open(ProcFD(handle), unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
}

// WriteAt implements Sys.
func (Kernel) WriteAt(fd int, p []byte, offset int64) (int, error) {
	return retry(func() (int, error) { return unix.Pwrite(fd, p, offset) })
}

// CopyRange implements Sys.
func (Kernel) CopyRange(from int, offset int64, to, n int) (int, error) {
	return retry(func() (int, error) { return unix.CopyFileRange(from, &offset, to, nil, n, 0) })
}

// Reserve implements Sys.
func (Kernel) Reserve(fd int, size int64) error {
	_, err := retry(func() (int, error) { return 0, unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, size) })
	return err
}

// Truncate implements Sys.
func (Kernel) Truncate(fd int, size int64) error {
	_, err := retry(func() (int, error) { return 0, unix.Ftruncate(fd, size) })
	return err
}

// Writable implements Sys.
func (Kernel) Writable(handle int) error {
	err := unix.Faccessat2(handle, "", unix.W_OK, unix.AT_EACCESS|unix.AT_EMPTY_PATH)
	if err == unix.ENOSYS {
		return unix.Faccessat(unix.AT_FDCWD, ProcFD(handle), unix.W_OK, 0)
	}
	return err
}

// Flags implements Sys.
func (Kernel) Flags(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS) }

// SetFlags implements Sys.
func (Kernel) SetFlags(fd, flags int) error {
	return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags)
}

// Close implements Sys.
func (Kernel) Close(fd int) error { return unix.Close(fd) }

// Stat implements Sys.
func (Kernel) Stat(fd int, st *unix.Stat_t) error { return unix.Fstat(fd, st) }

// StatAt implements Sys.
func (Kernel) StatAt(dir int, name string, st *unix.Stat_t) error {
	return unix.Fstatat(dir, name, st, unix.AT_SYMLINK_NOFOLLOW)
}

// ReadAt implements Sys.
func (Kernel) ReadAt(fd int, p []byte, offset int64) (int, error) {
	return retry(func() (int, error) { return unix.Pread(fd, p, offset) })
}

// Write implements Sys.
func (Kernel) Write(fd int, p []byte) (int, error) {
	return retry(func() (int, error) { return unix.Write(fd, p) })
}

// Chmod implements Sys.
func (Kernel) Chmod(fd int, mode uint32) error { return unix.Fchmod(fd, mode) }

// Chown implements Sys.
func (Kernel) Chown(fd, uid, gid int) error { return unix.Fchown(fd, uid, gid) }

// Listxattr implements Sys.
func (Kernel) Listxattr(fd int, dest []byte) (int, error) { return unix.Listxattr(ProcFD(fd), dest) }

// Getxattr implements Sys.
func (Kernel) Getxattr(fd int, name string, dest []byte) (int, error) {
	return unix.Getxattr(ProcFD(fd), name, dest)
}

// Setxattr implements Sys.
func (Kernel) Setxattr(fd int, name string, value []byte) error {
	return unix.Fsetxattr(fd, name, value, 0)
}

// Removexattr implements Sys.
func (Kernel) Removexattr(fd int, name string) error { return unix.Fremovexattr(fd, name) }

// Names implements Sys.
func (Kernel) Names(dir int) ([]string, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	return f.Readdirnames(-1)
}

// Sync implements Sys.
func (Kernel) Sync(fd int) error {
	_, err := retry(func() (int, error) { return 0, unix.Fsync(fd) })
	return err
}

// Link implements Sys.
func (Kernel) Link(fd, dir int, name string) error {
	err := unix.Linkat(fd, "", dir, name, unix.AT_EMPTY_PATH)
	if err == unix.ENOENT || err == unix.EPERM {
		// Without CAP_DAC_READ_SEARCH the empty path is refused; the kernel's own
		// name for the open file is not.
		err = unix.Linkat(unix.AT_FDCWD, ProcFD(fd), dir, name, unix.AT_SYMLINK_FOLLOW)
	}
	return err
}

// Rename implements Sys.
func (Kernel) Rename(dir int, from, to string, flags uint) error {
	return unix.Renameat2(dir, from, dir, to, flags)
}

// Unlink implements Sys.
func (Kernel) Unlink(dir int, name string) error { return unix.Unlinkat(dir, name, 0) }

// Lock implements Sys.
func (Kernel) Lock(dir int) error {
	_, err := retry(func() (int, error) { return 0, unix.Flock(dir, unix.LOCK_EX|unix.LOCK_NB) })
	return err
}

// SetLease implements Sys.
func (Kernel) SetLease(fd, kind int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, kind)
	return err
}

// Lease implements Sys.
func (Kernel) Lease(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_GETLEASE, 0) }

// Unlock implements Sys.
func (Kernel) Unlock(dir int) error { return unix.Flock(dir, unix.LOCK_UN) }
