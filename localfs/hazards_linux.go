//go:build !toolfs_portable

package localfs

import (
	"errors"
	"path"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// Numbers of file systems that the system package does not name, from the kernel's
// magic.h and its drivers.
const (
	devptsMagic   = 0x1cd1
	configfsMagic = 0x62656570
	mqueueMagic   = 0x19800202
	pstoreMagic   = 0x6165676c
	efivarfsMagic = 0xde5e81e4
	binfmtMagic   = 0x42494e4d
	selinuxMagic  = 0xf97cff8c
)

var errSystemFile = errors.New("a file of the system itself")

// steersSystem reports a file system through which the system itself is steered, by an
// open directory: nothing is ever written there.
func steersSystem(fd int) bool {
	switch fstypeOf(fd) {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEBUGFS_MAGIC,
		unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.BPF_FS_MAGIC,
		devptsMagic, configfsMagic, mqueueMagic, pstoreMagic, efivarfsMagic, binfmtMagic, selinuxMagic:
		return true
	}
	return false
}

// discloses reports a file that is not read: the memory and the environment of a
// process, and what is gone for everybody else once it has been read. It is judged by
// what was opened, whatever it was called.
func (s *system) discloses(fstype int64, handle int) bool {
	switch fstype {
	case unix.PROC_SUPER_MAGIC, unix.TRACEFS_MAGIC, unix.DEBUGFS_MAGIC:
	default:
		return false
	}
	name, err := s.pathOf(handle)
	if err != nil {
		return true
	}
	switch path.Base(name) {
	case "environ", "mem", "auxv", "kmsg", "kcore", "pagemap", "kpagecount", "kpageflags", "kpagecgroup",
		"trace_pipe", "trace_pipe_raw":
		return true
	}
	return false
}

// disk is a device and the file system on it.
type disk struct {
	device uint64
	fstype int64
}

// filesystem is fstypeOf of an open file, remembered for the disk that was asked for
// last: a file system that the kernel makes up lies on no device, and is always asked.
func (s *system) filesystem(fd int, device uint64) int64 {
	if d := s.disk.Load(); d != nil && d.device == device {
		return d.fstype
	}
	fstype := fstypeOf(fd)
	if unix.Major(device) != 0 && onDisk(fstype) {
		s.disk.Store(&disk{device, fstype})
	}
	return fstype
}

// fstypeOf is the kernel's number for the file system of an open file, 0 when it does
// not say.
func fstypeOf(fd int) int64 {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil {
		return 0
	}
	return int64(fs.Type)
}

func systemFile(op string, t vfs.Target) *vfs.Error {
	return &vfs.Error{Op: op, Path: t.Path, Code: vfs.CodePermissionDenied, Msg: "it belongs to the system itself", Err: errSystemFile}
}
