package atomicfile

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"golang.org/x/sys/unix"
)

// TempPrefix begins the name of every file that a publication may leave behind when
// the process is killed. The name says, by the beginnings of digests, what the file
// was to become and what it was to replace, so that a collector can tell later.
const TempPrefix = ".dshtx-"

// stage is a file on its way to be published: without a name where the directory
// allows that, else under its temporary name.
type stage struct {
	p     *Publisher
	dir   int
	fd    int
	temp  string
	named bool
	next  Digest
}

func (p *Publisher) stage(dir int, leaf string, old, next Digest, mode uint32) (*stage, error) {
	s := &stage{p: p, dir: dir, temp: tempName(leaf, old, next), next: next}
	var err error
	s.fd, err = p.Sys.OpenTemp(dir, mode)
	if noUnnamed(err) {
		s.fd, err = p.Sys.OpenNew(dir, s.temp, mode)
		s.named = err == nil
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// noUnnamed reports that a file system has no files without names.
func noUnnamed(err error) bool {
	return errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EINVAL)
}

func tempName(leaf string, old, next Digest) string {
	var random [4]byte
	rand.Read(random[:])
	name := sha256.Sum256([]byte(leaf))
	return TempPrefix + hex.EncodeToString(random[:]) + "-" + hex.EncodeToString(name[:4]) +
		"-" + hex.EncodeToString(old.Sum[:8]) + "-" + hex.EncodeToString(next.Sum[:8])
}

func (s *stage) fill(ctx context.Context, data []byte) error {
	return s.p.writeAll(ctx, s.fd, data)
}

// seal turns the descriptor into one for reading: while it could write, no lease on the
// file would be granted to anybody, ourselves included.
func (s *stage) seal() error {
	fd, err := s.p.Sys.OpenRead(s.fd)
	if err != nil {
		return err
	}
	s.p.Sys.Close(s.fd)
	s.fd = fd
	return nil
}

// publishNew gives the file a name that must be free.
func (s *stage) publishNew(leaf string) error {
	if !s.named {
		return s.p.Sys.Link(s.fd, s.dir, leaf)
	}
	err := s.p.Sys.Rename(s.dir, s.temp, leaf, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		err = s.p.Sys.Link(s.fd, s.dir, leaf)
		return err // the temporary name goes with discard
	}
	s.named = err != nil
	return err
}

// name gives the file its temporary name, for an exchange.
func (s *stage) name() error {
	if s.named {
		return nil
	}
	err := s.p.Sys.Link(s.fd, s.dir, s.temp)
	s.named = err == nil
	return err
}

// unlink removes the temporary name.
func (s *stage) unlink() error {
	s.named = false
	return s.p.Sys.Unlink(s.dir, s.temp)
}

// discard closes the file and removes what is left of it.
func (s *stage) discard() {
	if s.named {
		s.unlink()
	}
	s.p.Sys.Close(s.fd)
}
