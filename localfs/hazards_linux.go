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
func discloses(fstype int64, handle int) bool {
	switch fstype {
	case unix.PROC_SUPER_MAGIC, unix.TRACEFS_MAGIC, unix.DEBUGFS_MAGIC:
	default:
		return false
	}
	name, err := pathOf(handle)
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
