//go:build !toolfs_portable

package localfs

import (
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

// system is what an FS holds on this system.
type system struct {
	publisher   atomicfile.Publisher
	journal     atomicfile.Journal
	collected   collectedDirs
	descriptors int  // /proc/self/fd, through which the kernel names what is open; -1 without it
	fineStamps  bool // see proof
	stepwise    bool // walk in steps even where the kernel can do it at once

	// linked is the directory that a link was last met on the way to. It spares looking
	// for the plain path again, and decides nothing.
	linked atomic.Pointer[string]
	disk   atomic.Pointer[disk] // see filesystem
}

func newSystem(o Options) system {
	return system{publisher: atomicfile.Publisher{Sys: atomicfile.Kernel{}, NoSync: o.NoSync},
		journal: atomicfile.Journal{Dir: journalDir(o.StateDir)}, descriptors: openDescriptors(), fineStamps: fineStamps()}
}

// openDescriptors keeps the directory of this process's descriptors open: to walk to it
// anew for every file would cost more than the rest of opening the file.
func openDescriptors() int {
	fd, err := unix.Open("/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

func (s *system) close() {
	if s.descriptors >= 0 {
		unix.Close(s.descriptors)
	}
}

// root is an open directory that confines.
type root struct {
	system *system
	fd     int
	path   string // as it was when it was opened
}

func (s *system) openRoot(dir string) (*root, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	path, err := s.pathOf(fd)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &root{system: s, fd: fd, path: path}, nil
}

func (r *root) close() { unix.Close(r.fd) }

// current is the canonical path of the root as it is now, or "" when it is gone.
func (r *root) current() string {
	path, err := r.system.pathOf(r.fd)
	if err != nil {
		return ""
	}
	return path
}

// pathOf is the canonical path of an open file or directory.
func (s *system) pathOf(fd int) (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(s.descriptors, strconv.Itoa(fd), buf[:])
	if err != nil {
		return "", err
	}
	path := string(buf[:n])
	if strings.HasSuffix(path, " (deleted)") {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Nlink == 0 {
			return "", unix.ENOENT
		}
	}
	return path, nil
}
