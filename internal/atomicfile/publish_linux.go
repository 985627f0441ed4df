package atomicfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// The ways in which a publication is refused by what is in the directory; any other
// error is the system's.
var (
	ErrExists     = errors.New("the name exists")
	ErrGone       = errors.New("the file no longer exists")
	ErrChanged    = errors.New("the file has other content")
	ErrNotRegular = errors.New("the name denotes no regular file")
	ErrBusy       = errors.New("another process holds the lock of the directory")
)

// Digest identifies a content.
type Digest struct {
	Size int64
	Sum  [sha256.Size]byte
}

// DigestOf is the digest of data.
func DigestOf(data []byte) Digest {
	return Digest{Size: int64(len(data)), Sum: sha256.Sum256(data)}
}

// Publisher publishes files in open directories. Safe for concurrent use; two
// publications of one name in one process must be kept apart by the caller.
type Publisher struct {
	Sys Sys
	// NoSync leaves out the waiting for the disk: faster, and lost by a power cut.
	NoSync bool
}

// Create publishes data under a name that must be free, with the mode that a plain
// create gives. A directory that does not know unnamed files is served by a named
// one under a name that nobody else uses.
func (p *Publisher) Create(ctx context.Context, dir int, leaf string, data []byte) error {
	var st unix.Stat_t
	switch err := p.Sys.StatAt(dir, leaf, &st); {
	case err == nil:
		return occupied(&st)
	case err != unix.ENOENT:
		return err
	}
	s, err := p.stage(dir, leaf, Digest{}, DigestOf(data), 0o666)
	if err != nil {
		return err
	}
	defer s.discard()
	if err := s.fill(ctx, data); err != nil {
		return err
	}
	if err := p.sync(s.fd); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.publishNew(leaf); err != nil {
		return p.refusal(dir, leaf, err)
	}
	return p.syncDir(dir)
}

// refusal says what stands in the way of a new name.
func (p *Publisher) refusal(dir int, leaf string, err error) error {
	if err != unix.EEXIST {
		return err
	}
	var st unix.Stat_t
	if p.Sys.StatAt(dir, leaf, &st) == nil {
		return occupied(&st)
	}
	return ErrExists
}

func occupied(st *unix.Stat_t) error {
	if st.Mode&unix.S_IFMT == unix.S_IFREG {
		return ErrExists
	}
	return ErrNotRegular
}

// Replace publishes data over the regular file leaf. With a digest wanted, the file
// must have that content: it is verified under the directory's lock right before the
// publication, and again in what the publication took out. Mode, owner, access list
// and extended attributes are kept.
func (p *Publisher) Replace(ctx context.Context, dir int, leaf string, data []byte, want *Digest) error {
	handle, err := p.Sys.OpenPath(dir, leaf)
	if err == unix.ENOENT {
		return ErrGone
	}
	if err != nil {
		return err
	}
	defer p.Sys.Close(handle)
	if err := p.precheck(handle, want); err != nil {
		return err
	}
	r := &replacement{p: p, dir: dir, leaf: leaf, want: want, next: DigestOf(data)}
	if want == nil {
		want = &Digest{}
	}
	s, err := p.stage(dir, leaf, *want, r.next, 0o600)
	if err != nil {
		return err
	}
	defer s.discard()
	if err := s.fill(ctx, data); err != nil {
		return err
	}
	if err := p.copyMetadata(handle, s.fd); err != nil {
		return err
	}
	if err := p.sync(s.fd); err != nil {
		return err
	}
	return r.publish(ctx, s)
}

// precheck refuses early, and cheaply, what the publication would refuse.
func (p *Publisher) precheck(handle int, want *Digest) error {
	var st unix.Stat_t
	if err := p.Sys.Stat(handle, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return ErrNotRegular
	}
	if want != nil && st.Size != want.Size {
		return ErrChanged
	}
	// Renaming over a file needs no permission on the file: ask, so that nobody
	// gets more than writing to it would give.
	return p.Sys.Writable(handle)
}

func (p *Publisher) sync(fd int) error {
	if p.NoSync {
		return nil
	}
	return p.Sys.Sync(fd)
}

// syncDir makes a publication durable. It has taken place by then, so an error here
// does not undo it.
func (p *Publisher) syncDir(dir int) error {
	if err := p.sync(dir); err != nil {
		return &NotDurableError{Err: err}
	}
	return nil
}

// NotDurableError says that a publication took place but that the system could not
// assure that it survives a power cut.
type NotDurableError struct{ Err error }

func (e *NotDurableError) Error() string {
	return "published, but not known to be durable: " + e.Err.Error()
}

// Unwrap gives the system's error.
func (e *NotDurableError) Unwrap() error { return e.Err }

// holds reports whether the open file has exactly the content wanted.
func (p *Publisher) holds(fd int, want Digest) (bool, error) {
	sum := sha256.New()
	buf := make([]byte, min(want.Size+1, 256<<10))
	for size := int64(0); ; {
		n, err := p.Sys.ReadAt(fd, buf, size)
		if err != nil {
			return false, err
		}
		if n == 0 {
			return size == want.Size && [sha256.Size]byte(sum.Sum(nil)) == want.Sum, nil
		}
		if size += int64(n); size > want.Size {
			return false, nil
		}
		sum.Write(buf[:n])
	}
}

func (p *Publisher) writeAll(ctx context.Context, fd int, data []byte) error {
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.Sys.Write(fd, data[:min(len(data), 1<<20)])
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrShortWrite
		}
		data = data[n:]
	}
	return nil
}
