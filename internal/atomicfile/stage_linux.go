package atomicfile

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"

	"golang.org/x/sys/unix"
)

// TempPrefix begins the name of every file that a publication may leave behind when
// the process is killed. The name says, by the beginnings of digests, what the file
// was to become and what it was to replace, so that Collect can tell later.
const TempPrefix = ".dshtx-"

// stage is a file on its way to be published: without a name where the directory
// allows that, else under a temporary one, and then under the directory's lock.
type stage struct {
	p      *Publisher
	dir    int
	fd     int
	before string // how the name for an exchange begins; the new content's digest ends it
	temp   string // the name for an exchange, once it is prepared
	name   string // the name that it has now, "" for none
	next   Digest // what it holds, once it is filled
	ino    uint64 // its inode, once it is sealed
	unlock func()
}

// stage begins a file that is to replace the content old, nil for any.
func (p *Publisher) stage(ctx context.Context, dir int, leaf string, old *Digest, mode uint32) (*stage, error) {
	var random [4]byte
	rand.Read(random[:])
	unique := hex.EncodeToString(random[:])
	want := unguarded
	if old != nil {
		want = hex.EncodeToString(old.Sum[:8])
	}
	s := &stage{p: p, dir: dir, unlock: func() {}, before: TempPrefix + unique + "-" + nameSum(leaf) + "-" + want + "-"}
	var err error
	s.fd, err = p.Sys.OpenTemp(dir, mode)
	if noUnnamed(err) {
		if s.unlock, err = p.lock(ctx, dir); err != nil {
			return nil, err
		}
		s.name = stagePrefix + unique
		s.fd, err = p.Sys.OpenNew(dir, s.name, mode)
		if err != nil {
			s.unlock()
		}
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

// fill writes the new content.
func (s *stage) fill(ctx context.Context, data []byte) error {
	s.next = DigestOf(data)
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
	var st unix.Stat_t
	err = s.p.Sys.Stat(fd, &st)
	s.ino = st.Ino
	return err
}

// publishNew gives the file a name that must be free.
func (s *stage) publishNew(leaf string) error {
	if s.name == "" {
		return s.p.Sys.Link(s.fd, s.dir, leaf)
	}
	err := s.p.Sys.Rename(s.dir, s.name, leaf, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return s.p.Sys.Link(s.fd, s.dir, leaf) // the temporary name goes with discard
	}
	if err == nil {
		s.name = ""
	}
	return err
}

// prepare gives the file the name under which it is exchanged.
func (s *stage) prepare() (err error) {
	s.temp = s.before + hex.EncodeToString(s.next.Sum[:8])
	if s.name == "" {
		err = s.p.Sys.Link(s.fd, s.dir, s.temp)
	} else {
		err = s.p.Sys.Rename(s.dir, s.name, s.temp, 0)
	}
	if err == nil {
		s.name = s.temp
	}
	return err
}

// published says that the temporary name is no longer the stage's to remove.
func (s *stage) published() { s.name = "" }

// discard closes the file and removes what is left of it; false says that it could not.
func (s *stage) discard() (gone bool) {
	gone = s.name == "" || s.p.Sys.Unlink(s.dir, s.name) == nil
	s.p.Sys.Close(s.fd)
	s.unlock()
	return gone
}
