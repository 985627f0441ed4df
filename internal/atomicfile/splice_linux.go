package atomicfile

import (
	"context"
	"crypto/sha256"
	"hash"
)

// Splice is a new content that is the old one with the bytes from Start to End replaced.
type Splice struct {
	Start, End int64
	New        []byte
}

// spliceChunk is how many bytes of the old file are in memory at once.
const spliceChunk = 4 << 20

// ReplaceSpliced publishes a file that is too large to be held: as Replace does, with
// what stays copied from the old file by the system, or shared with it.
func (p *Publisher) ReplaceSpliced(ctx context.Context, dir int, leaf string, c Splice, want Digest) (Outcome, error) {
	return p.replace(ctx, dir, leaf, &want, func(s *stage, old int) error {
		fd, err := p.Sys.OpenRead(old)
		if err != nil {
			return err
		}
		defer p.Sys.Close(fd)
		sum := sha256.New()
		if err := p.copyOver(ctx, s.fd, fd, 0, c.Start, sum); err != nil {
			return err
		}
		sum.Write(c.New)
		if err := p.writeAll(ctx, s.fd, c.New); err != nil {
			return err
		}
		if err := p.copyOver(ctx, s.fd, fd, c.End, want.Size, sum); err != nil {
			return err
		}
		s.next.Size = want.Size - (c.End - c.Start) + int64(len(c.New))
		sum.Sum(s.next.Sum[:0])
		return nil
	})
}

// copyOver appends the bytes from start to end of one file to another, and to sum. A
// file that has become shorter is another content.
func (p *Publisher) copyOver(ctx context.Context, to, from int, start, end int64, sum hash.Hash) error {
	buf := make([]byte, min(spliceChunk, max(end-start, 0)))
	for start < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.Sys.ReadAt(from, buf[:min(int64(len(buf)), end-start)], start)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrChanged
		}
		sum.Write(buf[:n])
		if err := p.appendRange(ctx, to, from, start, buf[:n]); err != nil {
			return err
		}
		start += int64(n)
	}
	return nil
}

// appendRange appends what buf holds, which stands in the old file at offset: by the
// system where it can, else from memory.
func (p *Publisher) appendRange(ctx context.Context, to, from int, offset int64, buf []byte) error {
	for len(buf) > 0 {
		n, err := p.Sys.CopyRange(from, offset, to, len(buf))
		if err != nil || n == 0 {
			return p.writeAll(ctx, to, buf)
		}
		buf, offset = buf[n:], offset+int64(n)
	}
	return nil
}
