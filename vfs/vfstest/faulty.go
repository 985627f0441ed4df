package vfstest

import (
	"context"
	"iter"
	"sync"

	"github.com/toolfs/toolfs/vfs"
)

// Method names a call that can be made to fail: the five methods of the seam, and those
// of the files that Open gives.
type Method string

// The methods. Entry is each step of a listing; AnyMethod is every one of them.
const (
	AnyMethod     Method = ""
	MethodResolve Method = "Resolve"
	MethodStat    Method = "Stat"
	MethodOpen    Method = "Open"
	MethodRead    Method = "Read"
	MethodClose   Method = "Close"
	MethodReadDir Method = "ReadDir"
	MethodEntry   Method = "Entry"
	MethodPut     Method = "Put"
)

// Fault says what goes wrong, and when. The zero value of a field is no such fault.
type Fault struct {
	// At is where: one method, or any.
	At Method

	// From is the first call of it that goes wrong, counted from 1, and For how many
	// do; zero is the first, and zero is all from there on.
	From, For int

	// Before runs ahead of the call, and After behind it, to change the world under it.
	Before, After func()

	// Block waits until the context of the call ends. What has none, a Read or a
	// Close, waits for that of the Open.
	Block bool

	// Err is what the call fails with. A provider may only show *vfs.Error; anything
	// else plays one that breaks this rule. With Late the call takes place first, as
	// when the answer is lost on the way.
	Err  error
	Late bool

	// Short is how many bytes a Read gives at most.
	Short int

	// Size changes the size, in bytes, that Stat and Info tell.
	Size func(int64) int64
}

// FaultyProvider is a provider with faults. It implements the five methods and no
// capability, and does not unwrap. Safe for concurrent use.
type FaultyProvider struct {
	inner vfs.Provider

	mu     sync.Mutex
	faults []*count
	calls  map[Method]int
	fired  int
}

// count is a fault and the calls that it has seen.
type count struct {
	Fault
	seen int
}

// Faulty wraps p with faults. Of several that meet in one call, each changes it in turn,
// and the first error ends it.
func Faulty(p vfs.Provider, faults ...Fault) *FaultyProvider {
	f := &FaultyProvider{inner: p, calls: map[Method]int{}}
	for _, one := range faults {
		f.faults = append(f.faults, &count{Fault: one})
	}
	return f
}

// Calls is how often a method was called so far; AnyMethod is the sum.
func (f *FaultyProvider) Calls(m Method) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[m]
}

// Fired is how often a fault met a call so far. Raise From until it stays zero, and each
// call has failed once.
func (f *FaultyProvider) Fired() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

// due counts a call and gives the faults that it meets.
func (f *FaultyProvider) due(m Method) []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[m]++
	f.calls[AnyMethod]++
	var due []Fault
	for _, one := range f.faults {
		if one.At != AnyMethod && one.At != m {
			continue
		}
		one.seen++
		from := max(one.From, 1)
		if one.seen >= from && (one.For == 0 || one.seen < from+one.For) {
			f.fired++
			due = append(due, one.Fault)
		}
	}
	return due
}

// call runs one call of the inner provider amid its faults. An error of the context is
// that of verb.
func (f *FaultyProvider) call(ctx context.Context, m Method, verb string, call func([]Fault) error) error {
	due := f.due(m)
	for _, fault := range due {
		if fault.Before != nil {
			fault.Before()
		}
		if fault.Block {
			<-ctx.Done()
			return vfs.Aborted(verb, context.Cause(ctx))
		}
		if fault.Err != nil && !fault.Late {
			return fault.Err
		}
	}
	err := call(due)
	for _, fault := range due {
		if fault.After != nil {
			fault.After()
		}
		if fault.Err != nil {
			return fault.Err
		}
	}
	return err
}

func resized(due []Fault, info vfs.Info) vfs.Info {
	for _, fault := range due {
		if fault.Size != nil {
			info.Size = fault.Size(info.Size)
		}
	}
	return info
}

// Resolve implements vfs.Provider.
func (f *FaultyProvider) Resolve(ctx context.Context, base, name string) (t vfs.Target, err error) {
	err = f.call(ctx, MethodResolve, "resolve", func([]Fault) (err error) {
		t, err = f.inner.Resolve(ctx, base, name)
		return err
	})
	return t, err
}

// Stat implements vfs.Provider.
func (f *FaultyProvider) Stat(ctx context.Context, t vfs.Target) (info vfs.Info, err error) {
	err = f.call(ctx, MethodStat, "stat", func(due []Fault) (err error) {
		info, err = f.inner.Stat(ctx, t)
		info = resized(due, info)
		return err
	})
	return info, err
}

// Put implements vfs.Provider.
func (f *FaultyProvider) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (info vfs.Info, err error) {
	err = f.call(ctx, MethodPut, "write", func([]Fault) (err error) {
		info, err = f.inner.Put(ctx, t, data, o)
		return err
	})
	return info, err
}

// ReadDir implements vfs.Provider.
func (f *FaultyProvider) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	return func(yield func(vfs.Entry, error) bool) {
		stopped := false
		err := f.call(ctx, MethodReadDir, "list", func([]Fault) error {
			for e, err := range f.inner.ReadDir(ctx, t) {
				if err == nil {
					err = f.call(ctx, MethodEntry, "list", func([]Fault) error { return nil })
				}
				if err != nil {
					return err
				}
				if stopped = !yield(e, nil); stopped {
					return nil
				}
			}
			return nil
		})
		if err != nil && !stopped {
			yield(vfs.Entry{}, err)
		}
	}
}
