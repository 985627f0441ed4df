//go:build !toolfs_portable

package localfs

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// proof is what shows, when a file has been read to its end, that what was read is a
// content that the file really had, and no mixture of two. A write that begins moves
// the modification time; a lease that is granted shows that nobody was writing when the
// read began. So a file whose times have not moved by then was not written to. That
// holds only where two writes cannot share one time stamp.
type proof struct {
	before unix.Stat_t
	fstype int64
	fine   bool // the kernel gives every write that a stat could tell apart a stamp of its own
	begun  bool // the lease was asked for, before the first read
	writer bool // somebody had it open, or mapped, for writing
	asked  bool // the lease could be asked for at all
}

// settled is the age from which on any file system's time stamps tell writes apart, and
// tick the same for those with stamps of nanoseconds.
const (
	settled = 2 * time.Second
	tick    = 20 * time.Millisecond
)

// begin asks for the lease, ahead of the first read.
func (p *proof) begin(fd int) {
	if p.begun {
		return
	}
	p.begun = true
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	switch err {
	case nil:
		unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK)
		p.asked = true
	case unix.EAGAIN:
		p.writer, p.asked = true, true
	}
}

// end is asked once the file has been read to its end.
func (p *proof) end(fd int, now time.Time) vfs.Proof {
	var after unix.Stat_t
	if unix.Fstat(fd, &after) != nil ||
		after.Size != p.before.Size || after.Mtim != p.before.Mtim || after.Ctim != p.before.Ctim {
		return vfs.Disturbed
	}
	age := now.Sub(time.Unix(after.Mtim.Unix()))
	switch {
	case p.writer && age > settled:
		return vfs.Quiet // somebody keeps it open, and has not written for a while
	case p.writer:
		return vfs.Disturbed
	}
	if age > settled || p.asked && (p.fine || age > tick) && after.Mtim.Nsec != 0 && onDisk(p.fstype) {
		return vfs.Proven
	}
	return vfs.Quiet
}

// onDisk reports a file system of this machine's own disks or memory: it answers, and
// stamps writes with nanoseconds.
func onDisk(fstype int64) bool {
	switch fstype {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true
	}
	return false
}

// fineStamps reports a kernel of at least 6.13, whose file systems stamp a write finely
// once its file has been looked at.
func fineStamps() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	var major, minor int
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor); n != 2 {
		return false
	}
	return major > 6 || major == 6 && minor >= 13
}
