package atomicfile

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// lockPatience bounds the wait for another process that publishes in the directory.
const lockPatience = 2 * time.Second

// replacement is one publication over an existing file.
type replacement struct {
	p    *Publisher
	dir  int
	leaf string
	want *Digest // nil: whatever is there
	next Digest
}

// publish runs under the directory's lock, which keeps other processes of ours from
// undoing it; everyone else is met by the verification after the exchange.
func (r *replacement) publish(ctx context.Context, s *stage) error {
	unlock, err := r.p.lock(ctx, r.dir)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := r.openOld()
	if err != nil {
		return err
	}
	defer r.p.Sys.Close(old)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.name(); err != nil {
		return err
	}
	err = r.p.Sys.Rename(r.dir, s.temp, r.leaf, unix.RENAME_EXCHANGE)
	switch err {
	case nil:
		return r.finish(s, old)
	case unix.EINVAL, unix.ENOSYS:
		return r.rename(s)
	case unix.ENOENT:
		return ErrGone
	}
	return err
}

// openOld opens the file that is to be replaced and verifies its content.
func (r *replacement) openOld() (int, error) {
	handle, err := r.p.Sys.OpenPath(r.dir, r.leaf)
	if err == unix.ENOENT {
		return -1, ErrGone
	}
	if err != nil {
		return -1, err
	}
	defer r.p.Sys.Close(handle)
	var st unix.Stat_t
	if err := r.p.Sys.Stat(handle, &st); err != nil {
		return -1, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, ErrNotRegular
	}
	if r.want == nil {
		return r.p.Sys.OpenPath(r.dir, r.leaf)
	}
	fd, err := r.p.Sys.OpenRead(handle)
	if err != nil {
		return -1, err
	}
	same, err := r.p.holds(fd, *r.want)
	if err == nil && !same {
		err = ErrChanged
	}
	if err != nil {
		r.p.Sys.Close(fd)
		return -1, err
	}
	return fd, nil
}

// rename publishes where two names cannot be exchanged: what was verified under the
// lock a moment ago is replaced.
func (r *replacement) rename(s *stage) error {
	if err := r.p.Sys.Rename(r.dir, s.temp, r.leaf, 0); err != nil {
		return err
	}
	s.named = false
	return r.p.syncDir(r.dir)
}

// finish verifies that the exchange took out the very file that was verified, still
// with its content, puts a stranger back, and drops the old file for good.
func (r *replacement) finish(s *stage, old int) error {
	if !r.tookOut(s, old) {
		return r.rollBack(s)
	}
	durable := r.p.syncDir(r.dir)
	s.unlink() // what stays behind on an error is collected later
	return durable
}

func (r *replacement) tookOut(s *stage, old int) bool {
	var was, out unix.Stat_t
	if r.p.Sys.Stat(old, &was) != nil || r.p.Sys.StatAt(r.dir, s.temp, &out) != nil ||
		was.Dev != out.Dev || was.Ino != out.Ino {
		return false
	}
	if r.want == nil {
		return true
	}
	same, err := r.p.holds(old, *r.want)
	return same && err == nil
}

// rollBack exchanges until what comes out is what was last put in: anything else is
// newer, somebody's, and goes back under the name.
func (r *replacement) rollBack(s *stage) error {
	var ours unix.Stat_t
	if err := r.p.Sys.Stat(s.fd, &ours); err != nil {
		return err
	}
	put := ours.Ino
	for {
		var in, out unix.Stat_t
		if err := r.p.Sys.StatAt(r.dir, s.temp, &in); err != nil {
			return err
		}
		if err := r.p.Sys.Rename(r.dir, s.temp, r.leaf, unix.RENAME_EXCHANGE); err != nil {
			// The name was removed meanwhile: the newest wish about it holds. What
			// we took out is not ours to delete.
			s.named = false
			if err == unix.ENOENT {
				return ErrChanged
			}
			return err
		}
		if err := r.p.Sys.StatAt(r.dir, s.temp, &out); err != nil {
			return err
		}
		if out.Ino == put {
			return ErrChanged
		}
		put = in.Ino
	}
}

// lock waits its turn for the directory. A directory that cannot be locked (no read
// permission, no support) is used without.
func (p *Publisher) lock(ctx context.Context, dir int) (unlock func(), err error) {
	deadline := time.NewTimer(lockPatience)
	defer deadline.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		switch err := p.Sys.Lock(dir); err {
		case nil:
			return func() { p.Sys.Unlock(dir) }, nil
		case unix.EWOULDBLOCK:
		default:
			return func() {}, nil
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-deadline.C:
			again.Stop()
			return nil, ErrBusy
		case <-ctx.Done():
			again.Stop()
			return nil, ctx.Err()
		}
	}
}
