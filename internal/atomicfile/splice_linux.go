package atomicfile

import (
	"context"
	"crypto/sha256"
	"hash"

	"golang.org/x/sys/unix"
)

// Splice is a new content that is the old one with the bytes from Start to End replaced.
type Splice struct {
	Start, End int64
	New        []byte
}

// spliceChunk is how many bytes of the old file are in memory at once.
const spliceChunk = 4 << 20

// ReplaceSpliced publishes a file that is too large to be held: as Replace does, with
// what stays copied from the old file by the system, or shared with it, while a lease
// keeps others from writing to it; without a lease, through memory.
func (p *Publisher) ReplaceSpliced(ctx context.Context, dir int, leaf string, c Splice, want Digest) (Outcome, error) {
	return p.replace(ctx, dir, leaf, &want, func(s *stage, old int) (err error) {
		x := &splicing{p: p, to: s.fd, next: sha256.New(), seen: sha256.New()}
		if x.from, err = p.Sys.OpenRead(old); err != nil {
			return err
		}
		defer p.Sys.Close(x.from)
		if x.leased, err = p.lease(ctx, x.from); err != nil {
			return err
		}
		if err := x.run(ctx, c, want.Size); err != nil {
			return err
		}
		if [sha256.Size]byte(x.seen.Sum(nil)) != want.Sum {
			return ErrChanged
		}
		s.next.Size = want.Size - (c.End - c.Start) + int64(len(c.New))
		x.next.Sum(s.next.Sum[:0])
		return nil
	})
}

// splicing writes a spliced file, and sums up what it writes and what it has seen of
// the old one.
type splicing struct {
	p          *Publisher
	to, from   int
	leased     bool
	next, seen hash.Hash
	buf        []byte
}

func (x *splicing) run(ctx context.Context, c Splice, size int64) error {
	x.buf = make([]byte, min(spliceChunk, max(size, 1)))
	if err := x.pass(ctx, 0, c.Start, true); err != nil {
		return err
	}
	x.next.Write(c.New)
	if err := x.p.writeAll(ctx, x.to, c.New); err != nil {
		return err
	}
	if err := x.pass(ctx, c.Start, c.End, false); err != nil {
		return err
	}
	if err := x.pass(ctx, c.End, size, true); err != nil {
		return err
	}
	if kind, err := x.p.Sys.Lease(x.from); x.leased && (err != nil || kind != unix.F_RDLCK) {
		return ErrOpen
	}
	return nil
}

// pass goes over the bytes from start to end of the old file, and keeps them or not. A
// file that has become shorter is another content.
func (x *splicing) pass(ctx context.Context, start, end int64, keep bool) error {
	for start < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := x.p.Sys.ReadAt(x.from, x.buf[:min(int64(len(x.buf)), end-start)], start)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrChanged
		}
		x.seen.Write(x.buf[:n])
		if keep {
			x.next.Write(x.buf[:n])
			if err := x.keep(ctx, start, x.buf[:n]); err != nil {
				return err
			}
		}
		start += int64(n)
	}
	return nil
}

// keep appends what was read at offset: by the system where nobody can have changed it
// in between, else the very bytes that were read.
func (x *splicing) keep(ctx context.Context, offset int64, read []byte) error {
	for x.leased && len(read) > 0 {
		n, err := x.p.Sys.CopyRange(x.from, offset, x.to, len(read))
		if err != nil || n == 0 {
			break
		}
		read, offset = read[n:], offset+int64(n)
	}
	return x.p.writeAll(ctx, x.to, read)
}
