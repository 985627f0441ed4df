package localfs

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// A system call on a file system that does not answer (a dead network mount, a stopped
// FUSE server) cannot be interrupted. So calls run on a goroutine of their own, and
// whoever waits for one leaves when the context ends. What is left behind is bounded
// for each mount: beyond that, calls to it fail at once, and other mounts are served.

const (
	// maxStuck is how many calls to one mount may be left behind.
	maxStuck = 8
	// putGrace is how long a publication may take to end once its context has: one
	// that is under way is reported as what it becomes.
	putGrace = 500 * time.Millisecond
)

// stalls counts the calls that were left behind, by mount.
type stalls struct {
	any   atomic.Int32
	mu    sync.Mutex
	stuck map[string]int
}

// outcome is what a call gives, or the panic that it ended in.
type outcome[T any] struct {
	value T
	err   error
	panic any
}

// patient runs a call that may never return, and waits for it until ctx ends and the
// grace after it. verb and op word the failure.
func patient[T any](ctx context.Context, f *FS, verb, op string, t vfs.Target, grace time.Duration, call func() (T, error)) (T, error) {
	if ctx.Done() != nil {
		if err := f.stalls.refusal(op, t); err != nil {
			var none T
			return none, err
		}
	}
	return await(ctx, f, verb, t, grace, call)
}

// await is patient with a call that is made in any case.
func await[T any](ctx context.Context, f *FS, verb string, t vfs.Target, grace time.Duration, call func() (T, error)) (T, error) {
	if ctx.Done() == nil {
		return call()
	}
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		defer func() {
			o.panic = recover()
			done <- o
		}()
		o.value, o.err = call()
	}()
	select {
	case o := <-done:
		return o.result()
	case <-ctx.Done():
	}
	if o, ok := soon(done, grace); ok {
		return o.result()
	}
	f.stalls.leave(t.Path, func() { (<-done).discard() })
	err := vfs.Aborted(verb, context.Cause(ctx))
	if grace > 0 {
		err.Msg += ": the file system did not answer, so it is not known whether the change was made; read the file to see"
	}
	var none T
	return none, err
}

func (o outcome[T]) result() (T, error) {
	if o.panic != nil {
		panic(fmt.Sprint(o.panic))
	}
	return o.value, o.err
}

// discard closes what a call opened that nobody waits for any more.
func (o outcome[T]) discard() {
	if c, ok := any(o.value).(io.Closer); ok && o.err == nil && o.panic == nil {
		c.Close()
	}
}

// soon waits a little longer; a call that is done at the very moment counts as well.
func soon[T any](done <-chan T, grace time.Duration) (v T, ok bool) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case v = <-done:
		return v, true
	case <-timer.C:
	}
	select {
	case v = <-done:
		return v, true
	default:
		return v, false
	}
}

// refusal is an error when no further call to the mount of t may be made. While nothing
// is stuck anywhere, that costs nothing.
func (s *stalls) refusal(op string, t vfs.Target) error {
	if s.any.Load() == 0 {
		return nil
	}
	mount := mountOf(t.Path)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck[mount] < maxStuck {
		return nil
	}
	return &vfs.Error{Op: op, Path: t.Path, Code: vfs.CodeIOError,
		Msg: "its file system does not answer; earlier calls still wait for it"}
}

// leave counts a call as left behind until it is over.
func (s *stalls) leave(path string, over func()) {
	mount := mountOf(path)
	s.mu.Lock()
	if s.stuck == nil {
		s.stuck = map[string]int{}
	}
	s.stuck[mount]++
	s.mu.Unlock()
	s.any.Add(1)
	go func() {
		over()
		s.any.Add(-1)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.stuck[mount]--; s.stuck[mount] == 0 {
			delete(s.stuck, mount)
		}
	}()
}
