package atomicfile

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// linger is how long the old file keeps its second name and its lease where nothing else
// takes that long: who walked to it just before the exchange arrives within this time,
// and is noticed. A disk is waited for anyway; memory answers at once.
const linger = 300 * time.Microsecond

// replacement is one publication over an existing file.
type replacement struct {
	p    *Publisher
	dir  int
	leaf string
	want *Digest // nil: whatever is there

	old    int // the file that is replaced, open for reading
	leased bool
	kept   metadata // what the old file had when it was copied
}

// publish runs under the directory's lock, which keeps other processes of ours from
// undoing it; everyone else is met by leases, and by verifying after the exchange.
func (r *replacement) publish(ctx context.Context, s *stage) (Outcome, error) {
	unlock, err := r.p.lock(ctx, r.dir)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	if err := r.openOld(ctx); err != nil {
		return Outcome{}, err
	}
	defer r.p.Sys.Close(r.old) // which drops the lease
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if err := s.prepare(); err != nil {
		return Outcome{}, err
	}
	ours := r.p.Sys.SetLease(s.fd, unix.F_RDLCK) == nil
	if !r.undisturbed() {
		return Outcome{}, ErrOpen
	}
	err = r.p.Sys.Rename(r.dir, s.temp, r.leaf, unix.RENAME_EXCHANGE)
	switch err {
	case nil:
		return r.finish(s, ours)
	case unix.EINVAL, unix.ENOSYS:
		return r.rename(s)
	case unix.ENOENT:
		return Outcome{}, ErrGone
	}
	return Outcome{}, err
}

// openOld opens the file that is to be replaced, takes the lease on it and verifies
// its content.
func (r *replacement) openOld(ctx context.Context) error {
	handle, _, err := r.p.precheck(r.dir, r.leaf, r.want)
	if err != nil {
		return err
	}
	if r.want == nil {
		r.old = handle
		return nil
	}
	defer r.p.Sys.Close(handle)
	r.old, err = r.p.Sys.OpenRead(handle)
	if err != nil {
		return err
	}
	if r.leased, err = r.p.lease(ctx, r.old); err == nil {
		err = r.verify()
	}
	if err != nil {
		r.p.Sys.Close(r.old)
	}
	return err
}

func (r *replacement) verify() error {
	same, err := r.p.holds(r.old, *r.want)
	if err == nil && !same {
		err = ErrChanged
	}
	return err
}

// undisturbed reports that nobody has opened the old file for writing.
func (r *replacement) undisturbed() bool {
	if !r.leased {
		return true
	}
	kind, err := r.p.Sys.Lease(r.old)
	return err == nil && kind == unix.F_RDLCK
}

// rename publishes where two names cannot be exchanged: what was verified under the
// lock a moment ago is replaced.
func (r *replacement) rename(s *stage) (Outcome, error) {
	r.carryOver(s)
	if err := r.p.Sys.Rename(r.dir, s.temp, r.leaf, 0); err != nil {
		return Outcome{}, err
	}
	s.published()
	return Outcome{Guarantee: Checked, NotDurable: r.p.syncDir(r.dir) != nil}, nil
}

// finish verifies what the exchange took out, puts a stranger back, carries over what
// changed of the metadata meanwhile, and drops the old file for good.
func (r *replacement) finish(s *stage, ours bool) (Outcome, error) {
	if !r.tookOut(s) {
		return Outcome{}, r.rollBack(s, ours)
	}
	r.carryOver(s)
	began := time.Now()
	synced := r.p.syncDir(r.dir)
	if r.want != nil && time.Since(began) < linger/3 {
		// Not time.Sleep, which rounds up to a millisecond where nothing else runs.
		unix.Nanosleep(&unix.Timespec{Nsec: linger.Nanoseconds()}, nil)
	}
	if !r.tookOut(s) {
		return Outcome{}, r.rollBack(s, ours)
	}
	return Outcome{Guarantee: Exchanged, NotDurable: synced != nil}, nil // discard drops the old file
}

// tookOut reports that the very file that was verified is out, still with its content
// and with nobody about to write to it.
func (r *replacement) tookOut(s *stage) bool {
	var was, out unix.Stat_t
	if r.p.Sys.Stat(r.old, &was) != nil || r.p.look(r.dir, s.temp, &out) != nil ||
		was.Dev != out.Dev || was.Ino != out.Ino {
		return false
	}
	switch {
	case r.want == nil:
		return true
	case !r.undisturbed():
		return false
	}
	// While the lease holds nobody can have written; to look all the same costs
	// nothing for a file of ordinary size.
	return r.leased && r.want.Size > alwaysVerified || r.verify() == nil
}

// alwaysVerified is the size in bytes up to which what was taken out is read again.
const alwaysVerified = 8 << 20

// carryOver applies a change of mode, owner or attributes that was made to the old file
// since they were copied. What cannot be applied any more stays as it was copied.
func (r *replacement) carryOver(s *stage) {
	if now, err := r.p.metadataOf(r.old); err == nil && now != r.kept {
		r.p.copyMetadata(r.old, s.fd)
	}
}
