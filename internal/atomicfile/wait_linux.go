package atomicfile

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lockPatience bounds the wait for another process that publishes in the directory.
	lockPatience = 2 * time.Second
	// leasePatience bounds the wait for a process that has the file open for writing.
	leasePatience = 250 * time.Millisecond
)

// lock waits its turn for the directory. A directory that cannot be locked (no read
// permission, no support) is used without.
func (p *Publisher) lock(ctx context.Context, dir int) (unlock func(), err error) {
	held := false
	err = poll(ctx, time.Millisecond, lockPatience, ErrLocked, func() bool {
		err := p.Sys.Lock(dir)
		held = err == nil
		return err != unix.EWOULDBLOCK
	})
	if err != nil {
		return nil, err
	}
	return func() {
		if held {
			p.Sys.Unlock(dir)
		}
	}, nil
}

// lease takes a lease on a file that is open for reading. It is refused as long as
// anybody has the file open for writing or mapped so. Where leases are not to be had
// (another owner, no support) the file is used without.
func (p *Publisher) lease(ctx context.Context, fd int) (leased bool, err error) {
	err = poll(ctx, 5*time.Millisecond, leasePatience, ErrOpen, func() bool {
		err := p.Sys.SetLease(fd, unix.F_RDLCK)
		leased = err == nil
		return err != unix.EAGAIN
	})
	return leased, err
}

// poll tries until done, with growing pauses; patience is how long all in all.
func poll(ctx context.Context, pause, patience time.Duration, late error, done func() bool) error {
	if done() {
		return nil
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for ; ; pause = min(2*pause, 50*time.Millisecond) {
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-deadline.C:
			again.Stop()
			return late
		case <-ctx.Done():
			again.Stop()
			return ctx.Err()
		}
		if done() {
			return nil
		}
	}
}
