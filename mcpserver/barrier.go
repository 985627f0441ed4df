package mcpserver

import (
	"context"
	"sync"
)

// barrier keeps the order of a session's calls. Those that only look run side by side;
// any other starts when all that arrived before it have ended, and nothing that arrived
// after it starts sooner. So a read that was sent after a write sees what it wrote, even
// if the client did not wait for the answer.
type barrier struct {
	mu    sync.Mutex
	queue []*turn // in order of arrival, those that have not ended
}

// turn is one call's place in the order.
type turn struct {
	barrier *barrier
	start   chan struct{} // closed when the call may start
	known   bool          // wait was called, so that shared holds
	shared  bool
	started bool
}

// arrive takes the last place. Whoever takes one must end it.
func (b *barrier) arrive() *turn {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := &turn{barrier: b, start: make(chan struct{})}
	b.queue = append(b.queue, t)
	return t
}

// wait returns nil once the call may start; shared says that it may overlap others of
// its kind. Until it is called nothing that arrived later starts. It ends early by ctx,
// with its error.
func (t *turn) wait(ctx context.Context, shared bool) error {
	t.barrier.mu.Lock()
	t.known, t.shared = true, shared
	t.barrier.advance()
	t.barrier.mu.Unlock()
	select {
	case <-t.start:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end gives the place up; only the first time counts.
func (t *turn) end() {
	b := t.barrier
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.queue {
		if other == t {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			b.advance()
			return
		}
	}
}

// maxOverlap bounds how many calls run side by side, and so the memory that they take,
// however many a client sends at once.
const maxOverlap = 16

// advance starts what may start; the caller holds mu.
func (b *barrier) advance() {
	for i, t := range b.queue {
		if !t.known || !t.shared && i > 0 || i == maxOverlap {
			return
		}
		if !t.started {
			t.started = true
			close(t.start)
		}
		if !t.shared {
			return
		}
	}
}
