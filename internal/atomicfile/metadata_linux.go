package atomicfile

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"
)

const accessACL = "system.posix_acl_access"

// metadata is what a change of a file's mode, owner or attributes shows in.
type metadata struct {
	mode     uint32
	uid, gid uint32
	xattrs   string
}

// metadataOf takes a picture of an open file's metadata.
func (p *Publisher) metadataOf(fd int) (m metadata, err error) {
	var st unix.Stat_t
	if err := p.Sys.Stat(fd, &st); err != nil {
		return m, err
	}
	m.mode, m.uid, m.gid = st.Mode, st.Uid, st.Gid
	names, err := xattrNames(func(b []byte) (int, error) { return p.Sys.Listxattr(fd, b) })
	if err != nil {
		return m, ignoreUnsupported(err)
	}
	for _, name := range names {
		if keptXattr(name) {
			value, err := readXattr(func(b []byte) (int, error) { return p.Sys.Getxattr(fd, name, b) })
			if err != nil {
				return m, err
			}
			m.xattrs += name + "\x00" + string(value) + "\x00"
		}
	}
	return m, nil
}

// copyMetadata gives the new file what the old one had: owner, access list, extended
// attributes, and last the mode, which the other steps may have changed. What cannot
// be kept is refused, not silently changed.
func (p *Publisher) copyMetadata(old, next int) error {
	var was, is unix.Stat_t
	if err := p.Sys.Stat(old, &was); err != nil {
		return err
	}
	if err := p.Sys.Stat(next, &is); err != nil {
		return err
	}
	if err := p.copyOwner(next, &was, &is); err != nil {
		return err
	}
	if err := p.copyXattrs(old, next); err != nil {
		return err
	}
	return p.Sys.Chmod(next, keptMode(was.Mode))
}

// keptMode is the mode that writing to the file would leave it: only root keeps the bits
// that lend the file's own rights to whoever runs it.
func keptMode(mode uint32) uint32 {
	mode &= 0o7777
	if unix.Geteuid() == 0 {
		return mode
	}
	mode &^= unix.S_ISUID
	if mode&unix.S_IXGRP != 0 {
		mode &^= unix.S_ISGID
	}
	return mode
}

// keptFlags are the inode flags that a new file takes over (no dump, no access times, no
// copy on write; numbers from the kernel's fs.h). Those that forbid changes forbid the
// exchange as well.
const keptFlags = 0x40 | 0x80 | 0x800000

// copyFlags gives an empty new file the flags of the old one, where there are any to
// give: they are a convenience that no failure is worth.
func (p *Publisher) copyFlags(old, next int) {
	fd, err := p.Sys.OpenRead(old)
	if err != nil {
		return
	}
	defer p.Sys.Close(fd)
	was, err := p.Sys.Flags(fd)
	if err != nil || was&keptFlags == 0 {
		return
	}
	if is, err := p.Sys.Flags(next); err == nil {
		p.Sys.SetFlags(next, is|was&keptFlags)
	}
}

func (p *Publisher) copyOwner(next int, was, is *unix.Stat_t) error {
	uid, gid := -1, -1
	if was.Uid != is.Uid {
		uid = int(was.Uid)
	}
	if was.Gid != is.Gid {
		gid = int(was.Gid)
	}
	if uid < 0 && gid < 0 {
		return nil
	}
	return p.Sys.Chown(next, uid, gid)
}

func (p *Publisher) copyXattrs(old, next int) error {
	names, err := xattrNames(func(b []byte) (int, error) { return p.Sys.Listxattr(old, b) })
	if err != nil {
		return ignoreUnsupported(err)
	}
	listed := false
	for _, name := range names {
		listed = listed || name == accessACL
		if !keptXattr(name) {
			continue
		}
		value, err := readXattr(func(b []byte) (int, error) { return p.Sys.Getxattr(old, name, b) })
		if err != nil {
			return err
		}
		if err := p.Sys.Setxattr(next, name, value); err != nil {
			return err
		}
	}
	if listed {
		return nil
	}
	// A default list of the directory may have given the new file one that the old
	// file does not have.
	err = p.Sys.Removexattr(next, accessACL)
	if err == unix.ENODATA {
		return nil
	}
	return ignoreUnsupported(err)
}

// keptXattr leaves out what the kernel derives, or drops itself on a write.
func keptXattr(name string) bool {
	switch name {
	case accessACL, "security.selinux", "security.SMACK64":
		return true
	}
	return hasPrefix(name, "user.") || hasPrefix(name, "trusted.")
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

func xattrNames(list func([]byte) (int, error)) ([]string, error) {
	raw, err := readXattr(list)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range bytes.SplitSeq(raw, []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names, nil
}

// readXattr asks again while the answer grows between asking for its size and
// asking for it.
func readXattr(read func([]byte) (int, error)) ([]byte, error) {
	buf := make([]byte, 256)
	for {
		n, err := read(buf)
		if err == unix.ERANGE {
			if n, err = read(nil); err == nil {
				buf = make([]byte, n+64)
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		return buf[:n], nil
	}
}

func ignoreUnsupported(err error) error {
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}
