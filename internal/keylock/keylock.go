// Package keylock is a set of mutual exclusions, one per key, each granted first
// come first served.
package keylock

import (
	"context"
	"sync"
)

// Map holds the locks. The zero value is ready; a key that nobody holds or awaits
// costs nothing. Safe for concurrent use.
type Map struct {
	mu   sync.Mutex
	held map[string]*queue
}

// queue is one held key: who waits for it, in order.
type queue struct{ waiting []chan struct{} }

// Lock waits for key, or for the context to end, whose cause it then returns. The
// function that it returns gives the key on; it must be called once.
func (m *Map) Lock(ctx context.Context, key string) (unlock func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	m.mu.Lock()
	if m.held == nil {
		m.held = map[string]*queue{}
	}
	q, taken := m.held[key]
	if !taken {
		m.held[key] = &queue{}
		m.mu.Unlock()
		return func() { m.unlock(key) }, nil
	}
	turn := make(chan struct{})
	q.waiting = append(q.waiting, turn)
	m.mu.Unlock()
	select {
	case <-turn:
		return func() { m.unlock(key) }, nil
	case <-ctx.Done():
		m.giveUp(key, turn)
		return nil, context.Cause(ctx)
	}
}

// giveUp leaves the queue, or passes on a turn that came at the same moment.
func (m *Map) giveUp(key string, turn chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.held[key]
	if q != nil {
		for i, t := range q.waiting {
			if t == turn {
				q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
				return
			}
		}
	}
	m.pass(key)
}

func (m *Map) unlock(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(key)
}

// pass gives the key to the next in line, or lets go of it. The caller holds mu.
func (m *Map) pass(key string) {
	q := m.held[key]
	if len(q.waiting) == 0 {
		delete(m.held, key)
		return
	}
	close(q.waiting[0])
	q.waiting = q.waiting[1:]
}

// Len is the number of keys held, for tests that nothing stays behind.
func (m *Map) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.held)
}
