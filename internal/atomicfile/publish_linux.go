package atomicfile

import (
	"context"
	"crypto/sha256"
	"io"
	"math"

	"golang.org/x/sys/unix"
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
// create gives. A directory that does not know unnamed files is served by a named one
// under a name that nobody else uses. Errors: ErrExists, ErrNotRegular.
func (p *Publisher) Create(ctx context.Context, dir int, leaf string, data []byte) (Outcome, error) {
	var st unix.Stat_t
	switch err := p.Sys.StatAt(dir, leaf, &st); {
	case err == nil:
		return Outcome{}, occupied(&st)
	case err != unix.ENOENT:
		return Outcome{}, err
	}
	s, err := p.stage(ctx, dir, leaf, nil, 0o666)
	if err != nil {
		return Outcome{}, err
	}
	defer s.discard()
	if err := s.fill(ctx, data); err != nil {
		return Outcome{}, err
	}
	if err := p.sync(s.fd); err != nil {
		return Outcome{}, err
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if err := s.publishNew(leaf); err != nil {
		return Outcome{}, p.refusal(dir, leaf, err)
	}
	return Outcome{Content: s.next, Guarantee: Created, NotDurable: p.syncDir(dir) != nil, Links: 1}, nil
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
// publication, and again in what the publication took out, while a lease tells whether
// anybody opened it for writing. Mode, owner, access list and extended attributes are
// kept. Errors: ErrGone, ErrChanged, ErrNotRegular, ErrLocked, ErrOpen.
func (p *Publisher) Replace(ctx context.Context, dir int, leaf string, data []byte, want *Digest) (Outcome, error) {
	return p.replace(ctx, dir, leaf, want, func(s *stage, _ int) error { return s.fill(ctx, data) })
}

// replace publishes what fill writes, which may look at a handle on the old file.
func (p *Publisher) replace(ctx context.Context, dir int, leaf string, want *Digest, fill func(s *stage, old int) error) (o Outcome, err error) {
	r := &replacement{p: p, dir: dir, leaf: leaf, want: want}
	handle, links, err := p.precheck(dir, leaf, want)
	if err != nil {
		return Outcome{}, err
	}
	defer p.Sys.Close(handle)
	s, err := p.stage(ctx, dir, leaf, want, 0o600)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { o.Left = !s.discard() }()
	p.copyFlags(handle, s.fd)
	if err := fill(s, handle); err != nil {
		return Outcome{}, err
	}
	if r.kept, err = p.metadataOf(handle); err != nil {
		return Outcome{}, err
	}
	if err := p.copyMetadata(handle, s.fd); err != nil {
		return Outcome{}, err
	}
	if err := p.sync(s.fd); err != nil {
		return Outcome{}, err
	}
	if err := s.seal(); err != nil {
		return Outcome{}, err
	}
	o, err = r.publish(ctx, s)
	o.Content, o.Links = s.next, links
	return o, err
}

// precheck refuses early, and cheaply, what the publication would refuse, and gives a
// handle on the file and how many names it has.
func (p *Publisher) precheck(dir int, leaf string, want *Digest) (handle, links int, err error) {
	handle, err = p.Sys.OpenPath(dir, leaf)
	if err == unix.ENOENT {
		return -1, 0, ErrGone
	}
	if err != nil {
		return -1, 0, err
	}
	var st unix.Stat_t
	err = p.Sys.Stat(handle, &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = ErrNotRegular
	case want != nil && st.Size != want.Size:
		err = ErrChanged
	default:
		// Renaming over a file needs no permission on the file: ask, so that nobody
		// gets more than writing to it would give.
		err = p.Sys.Writable(handle)
	}
	if err != nil {
		p.Sys.Close(handle)
		return -1, 0, err
	}
	return handle, int(st.Nlink), nil
}

func (p *Publisher) sync(fd int) error {
	if p.NoSync {
		return nil
	}
	return p.Sys.Sync(fd)
}

// syncDir makes a publication durable. It has taken place by then, so an error does not
// undo it.
func (p *Publisher) syncDir(dir int) error { return p.sync(dir) }

// holds reports whether the open file has exactly the content wanted.
func (p *Publisher) holds(fd int, want Digest) (bool, error) {
	now, err := p.digestUpTo(fd, want.Size)
	return err == nil && now == want, err
}

func (p *Publisher) digest(fd int) (Digest, error) { return p.digestUpTo(fd, math.MaxInt64-1) }

// digestUpTo is the digest of an open file's content; of one that is longer than most
// bytes, some digest of another size.
func (p *Publisher) digestUpTo(fd int, most int64) (d Digest, err error) {
	sum := sha256.New()
	buf := make([]byte, min(most+1, 256<<10))
	for d.Size <= most {
		n, err := p.Sys.ReadAt(fd, buf, d.Size)
		if err != nil {
			return d, err
		}
		if n == 0 {
			break
		}
		d.Size += int64(n)
		sum.Write(buf[:n])
	}
	sum.Sum(d.Sum[:0])
	return d, nil
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
