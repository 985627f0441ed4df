package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"golang.org/x/sys/unix"
)

// rollBack exchanges until what comes out is what was last put in: anything else is
// newer, somebody's, and goes back under the name. It gives the error that the
// publication ends with. Where the system does not say what came out, that is not ours
// to delete: Collect decides later.
func (r *replacement) rollBack(s *stage, ours bool) error {
	put := s.ino
	for {
		var in, out unix.Stat_t
		unseen := r.p.look(r.dir, s.temp, &in)
		if err := r.p.Sys.Rename(r.dir, s.temp, r.leaf, unix.RENAME_EXCHANGE); err != nil {
			s.published()
			if err == unix.ENOENT {
				return ErrChanged // the name was removed meanwhile: the newest wish about it holds
			}
			return err
		}
		if err := r.p.look(r.dir, s.temp, &out); err != nil {
			unseen = err
		}
		if unseen != nil {
			s.published()
			return unseen
		}
		if out.Ino == put {
			if out.Ino == s.ino && ours {
				if err := r.keepConflict(s); err != nil {
					return err
				}
			}
			return r.reason(in.Ino)
		}
		put = in.Ino
	}
}

// look finds out what a name denotes, by one way or the other: too much depends on it.
func (p *Publisher) look(dir int, name string, st *unix.Stat_t) error {
	err := p.Sys.StatAt(dir, name, st)
	if err == nil || err == unix.ENOENT {
		return err
	}
	handle, second := p.Sys.OpenPath(dir, name)
	if second != nil {
		return err
	}
	defer p.Sys.Close(handle)
	return p.Sys.Stat(handle, st)
}

// reason says why the publication was taken back, when the file with inode back has the
// name again: the one that was verified, and unchanged still, was only about to be
// written to.
func (r *replacement) reason(back uint64) error {
	var st unix.Stat_t
	if r.want != nil && r.p.Sys.Stat(r.old, &st) == nil && st.Ino == back && r.verify() == nil {
		return ErrOpen
	}
	return ErrChanged
}

// keepConflict lets whoever opened our file while it had the name finish, and keeps the
// file if they wrote to it.
func (r *replacement) keepConflict(s *stage) error {
	if kind, err := r.p.Sys.Lease(s.fd); err == nil && kind == unix.F_RDLCK {
		return nil // nobody did
	}
	r.p.Sys.SetLease(s.fd, unix.F_UNLCK)
	if r.leased {
		r.p.Sys.SetLease(r.old, unix.F_UNLCK)
	}
	for waited := time.Duration(0); waited < 200*time.Millisecond; waited += time.Millisecond {
		if r.p.Sys.SetLease(s.fd, unix.F_RDLCK) == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if same, err := r.p.holds(s.fd, s.next); err == nil && same {
		return nil
	}
	var random [4]byte
	rand.Read(random[:])
	name := conflictName(r.leaf, "conflict-"+hex.EncodeToString(random[:]))
	if err := r.p.Sys.Rename(r.dir, s.temp, name, unix.RENAME_NOREPLACE); err != nil {
		s.published() // it stays under its temporary name
		return err
	}
	s.published()
	return &ConflictError{Name: name}
}

// conflictName is leaf with a suffix, cut so that it is a name still.
func conflictName(leaf, suffix string) string {
	const longest = 255
	if most := longest - len(suffix) - 1; len(leaf) > most {
		leaf = leaf[:most]
	}
	return leaf + "." + suffix
}
