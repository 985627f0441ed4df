package gate

import (
	"context"
	"fmt"

	"github.com/toolfs/toolfs/internal/listeners"
)

// Decision is a single slot that the first willing listener fills. Listeners run in
// the order in which they were added; each decides, or calls next and may change
// what comes back. Without a listener the zero R holds.
type Decision[E, R any] struct{ list listeners.List[Decider[E, R]] }

// Decider is a listener of a Decision. An error of its own fails the call that asked.
type Decider[E, R any] func(ctx context.Context, event E, next func() (R, error)) (R, error)

// Add appends a listener. The function that it returns removes it, once.
func (d *Decision[E, R]) Add(l Decider[E, R]) (remove func()) { return d.list.Add(l) }

// Prepend adds a listener before all others.
func (d *Decision[E, R]) Prepend(l Decider[E, R]) (remove func()) { return d.list.Prepend(l) }

// Decide asks the listeners present at this moment. A panic in one is an error.
func (d *Decision[E, R]) Decide(ctx context.Context, event E) (R, error) {
	return decide(ctx, event, d.list.All())
}

func decide[E, R any](ctx context.Context, event E, rest []*Decider[E, R]) (result R, err error) {
	if len(rest) == 0 {
		return result, nil
	}
	defer recovered(&err)
	return (*rest[0])(ctx, event, func() (R, error) { return decide(ctx, event, rest[1:]) })
}

// Hook tells every listener in the order in which they were added, synchronously.
// The first error or panic ends the telling and goes to whoever emitted.
type Hook[E any] struct{ list listeners.List[func(E) error] }

// Add appends a listener. The function that it returns removes it, once.
func (h *Hook[E]) Add(l func(E) error) (remove func()) { return h.list.Add(l) }

// Prepend adds a listener before all others.
func (h *Hook[E]) Prepend(l func(E) error) (remove func()) { return h.list.Prepend(l) }

// Emit tells the listeners present at this moment.
func (h *Hook[E]) Emit(event E) error {
	for _, l := range h.list.All() {
		if err := tell(*l, event); err != nil {
			return err
		}
	}
	return nil
}

func tell[E any](l func(E) error, event E) (err error) {
	defer recovered(&err)
	return l(event)
}

func recovered(err *error) {
	if r := recover(); r != nil {
		if e, ok := r.(error); ok {
			*err = e
		} else {
			*err = fmt.Errorf("%v", r)
		}
	}
}
