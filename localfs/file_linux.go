//go:build !toolfs_portable

package localfs

import (
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

// file is an open regular file.
type file struct {
	fd     int
	info   vfs.Info
	target vfs.Target
	proof  proof
	onDisk bool
	read   int64 // bytes read so far
}

// Proof implements vfs.Prover.
func (f *file) Proof() vfs.Proof { return f.proof.end(f.fd, time.Now()) }

// Info implements vfs.File.
func (f *file) Info() vfs.Info { return f.info }

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	f.proof.begin(f.fd)
	if f.onDisk && f.info.Size > 0 {
		// What grows faster than it is read must not be followed for ever. Only a disk
		// is believed about the size.
		if p = p[:min(int64(len(p)), f.info.Size-f.read)]; len(p) == 0 {
			return 0, io.EOF
		}
	}
	for {
		n, err := unix.Read(f.fd, p)
		f.read += int64(max(n, 0))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, ioError("read", f.target.Path, err)
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		m, err := atomicfile.Kernel{}.ReadAt(f.fd, p[n:], at+int64(n))
		switch {
		case err != nil:
			return n, ioError("read", f.target.Path, err)
		case m == 0:
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

// Close implements io.Closer.
func (f *file) Close() error { return unix.Close(f.fd) }
