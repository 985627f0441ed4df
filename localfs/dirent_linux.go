//go:build !toolfs_portable

package localfs

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// dirents decodes what getdents64 filled: inode number (8 bytes), offset (8), record
// length (2), type (1), and the name up to a NUL byte. A name is part of buf.
func dirents(buf []byte) iter.Seq2[[]byte, byte] {
	const lengthAt, typeAt, nameAt = 16, 18, 19
	return func(yield func([]byte, byte) bool) {
		for len(buf) > nameAt {
			n := int(binary.NativeEndian.Uint16(buf[lengthAt:]))
			if n <= nameAt || n > len(buf) {
				return
			}
			name := buf[nameAt:n]
			if end := bytes.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
			kind := buf[typeAt]
			buf = buf[n:]
			if string(name) != "." && string(name) != ".." && !yield(name, kind) {
				return
			}
		}
	}
}

// nameType is the type of a name itself; few file systems do not tell it with the name.
// What cannot be looked at is other, and fails nothing.
func nameType[N string | []byte](dir int, name N, kind byte) vfs.Type {
	if kind == unix.DT_UNKNOWN {
		var st unix.Stat_t
		if unix.Fstatat(dir, string(name), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			return vfs.TypeOther
		}
		return infoOf(&st).Type
	}
	switch kind {
	case unix.DT_REG:
		return vfs.TypeFile
	case unix.DT_DIR:
		return vfs.TypeDirectory
	case unix.DT_LNK:
		return vfs.TypeSymlink
	}
	return vfs.TypeOther
}

// entryType classifies a child, and a link by what it leads to.
func (f *FS) entryType(ctx context.Context, dir int, t vfs.Target, name string, kind byte) vfs.Type {
	if own := nameType(dir, name, kind); own != vfs.TypeSymlink {
		return own
	}
	return f.linkType(ctx, t, name)
}
