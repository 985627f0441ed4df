//go:build !toolfs_portable

package localfs

import (
	"context"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// directory is an open directory that is being read.
type directory struct {
	fs     *FS
	fd     int
	target vfs.Target
	filter *childFilter
	buf    []byte
}

func (f *FS) openDir(t vfs.Target) (*directory, error) {
	handle, err := f.handle(t.Key, 0)
	if err != nil {
		return nil, f.statError("list", t, err)
	}
	defer unix.Close(handle)
	info, err := statHandle(handle, t)
	switch {
	case err != nil:
		return nil, err
	case info.Type != vfs.TypeDirectory:
		return nil, &vfs.Error{Op: "list", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
	}
	// By its own name in the kernel, since "." would ask for the permission to search.
	fd, err := f.reopen(handle, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, ioError("list", t.Path, err)
	}
	return &directory{fs: f, fd: fd, target: t, filter: f.childrenOf(t.Key), buf: make([]byte, 64<<10)}, nil
}

// Close implements io.Closer.
func (d *directory) Close() error { return unix.Close(d.fd) }

// next gives some more entries, none at the end.
func (d *directory) next(ctx context.Context) (entries []vfs.Entry, err error) {
	for len(entries) == 0 {
		n, err := unix.Getdents(d.fd, d.buf)
		if err != nil {
			return nil, ioError("list", d.target.Path, err)
		}
		if n == 0 {
			return nil, nil
		}
		for raw, kind := range dirents(d.buf[:n]) {
			name := string(raw)
			e := vfs.Entry{Name: name, Type: d.fs.entryType(ctx, d.fd, d.target, name, kind)}
			if !d.filter.withheld(name, e.Type == vfs.TypeDirectory) {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}
