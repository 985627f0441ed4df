package tool

import (
	"context"
	"errors"
)

// BatchOptions are how a batch runs. The zero value is useful.
type BatchOptions struct {
	// MaxParallel is how many bodies may run at the same time; 0 means 10.
	MaxParallel int
	// OnCall is told a call when it starts, before anything else happens to it, and
	// each call that never starts before its result. In model order.
	OnCall func(i int, call Call) error
	// OnResult is told a call's result. In model order.
	OnResult func(i int, result Result) error
}

const defaultMaxParallel = 10

// Batch runs the calls of one assistant message, in model order, and returns one result
// for each. Contract section 4.
//
// Neighbouring calls that are Parallel overlap, at most MaxParallel of them; an
// Exclusive one runs alone, after all before it and before all after it. A call is
// classified just before it starts. Only execute hooks and bodies overlap: everything
// else happens on the caller's goroutine, one after the other, and a call's results
// are complete only after those of the calls before it.
//
// Once ctx is done no call starts any more; those that started are awaited, the others
// get a result with the code ABORTED_BEFORE_DISPATCH. An error or a panic of a callback
// ends the batch: what was started is awaited, nothing is made up for the rest, and
// the results told so far are returned with that error. No goroutine outlives Batch.
func (r *Registry) Batch(ctx context.Context, calls []Call, o BatchOptions) ([]Result, error) {
	if o.MaxParallel < 0 {
		return nil, errors.New("maxParallelToolCalls must be a positive integer")
	}
	if o.MaxParallel == 0 {
		o.MaxParallel = defaultMaxParallel
	}
	b := &batch{
		r: r, o: o, calls: calls,
		inputs:  make([]*input, len(calls)),
		running: make([]*execution, len(calls)),
		settled: make([]bool, len(calls)),
		results: make([]Result, 0, len(calls)),
		done:    make(chan int, len(calls)),
	}
	defer b.drain()
	err := b.run(ctx)
	return b.results, err
}

// batch is the scheduler's state; the caller's goroutine alone touches it. Calls
// before len(results) are told, those before started have begun.
type batch struct {
	r       *Registry
	o       BatchOptions
	calls   []Call
	inputs  []*input
	running []*execution
	settled []bool
	results []Result

	started int
	bodies  int      // that run now
	barrier bool     // the call that started last is exclusive
	done    chan int // a call whose body ended; never blocks
}

func (b *batch) run(ctx context.Context) error {
	for len(b.results) < len(b.calls) {
		var err error
		switch next := len(b.results); {
		case b.settled[next]:
			err = b.tell(next, b.running[next].finish(ctx))
		case b.mayStart(ctx):
			err = b.start(ctx)
		case b.bodies > 0:
			b.await()
		default: // ctx is done, and so is every call that started
			if err = b.announce(next); err == nil {
				err = b.tell(next, failed(errAbortedBefore))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mayStart classifies the next call, because results told since may have changed what
// it is.
func (b *batch) mayStart(ctx context.Context) bool {
	if b.started == len(b.calls) || b.bodies == b.o.MaxParallel || ctx.Err() != nil {
		return false
	}
	alone := b.started == len(b.results)
	if !alone && b.barrier {
		return false
	}
	i := b.started
	if b.inputs[i] == nil {
		in := decodeInput(b.calls[i].Arguments)
		b.inputs[i] = &in
	}
	exclusive := b.r.mode(&b.calls[i], b.inputs[i]) == Exclusive
	if exclusive && !alone {
		return false
	}
	b.barrier = exclusive
	return true
}

func (b *batch) start(ctx context.Context) error {
	i := b.started
	if err := b.announce(i); err != nil {
		return err
	}
	x := b.r.begin(ctx, &b.calls[i], *b.inputs[i])
	b.running[i], b.inputs[i] = x, nil
	b.started++
	if x.final {
		b.settled[i] = true
		return nil
	}
	b.bodies++
	go func() {
		defer func() { b.done <- i }() // also when a body ends its goroutine
		x.dispatch(ctx)
	}()
	return nil
}

func (b *batch) await() {
	b.settled[<-b.done] = true
	b.bodies--
}

// drain awaits what an early end left running.
func (b *batch) drain() {
	for b.bodies > 0 {
		b.await()
	}
}

func (b *batch) announce(i int) (err error) {
	if b.o.OnCall == nil {
		return nil
	}
	defer b.r.recovered(&err)
	return b.o.OnCall(i, b.calls[i])
}

func (b *batch) tell(i int, result Result) (err error) {
	b.results = append(b.results, result)
	b.running[i] = nil
	if b.o.OnResult == nil {
		return nil
	}
	defer b.r.recovered(&err)
	return b.o.OnResult(i, result)
}
