package wall

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// putGrace is how long a change may take to end once it was cancelled. It is more than
// the worker itself waits for a file system.
const putGrace = 2 * time.Second

// errUnsent says that a worker was gone before it had heard of a call.
var errUnsent = errors.New("the process that writes is gone")

// lost says that a worker ended in the middle of a change.
func lost(t vfs.Target) *vfs.Error {
	return &vfs.Error{Op: "write", Path: t.Path, Code: vfs.CodeIOError, Err: errUnsent,
		Msg: "the process that writes ended, so it is not known whether the change was made; read the file to see"}
}

// remote is a worker as its starter sees it.
type remote struct {
	*link
	process   *process
	status    Status
	workspace string
	written   []os.FileInfo // the writable directories that it knows

	mu      sync.Mutex
	last    uint64
	pending map[uint64]*pendingCall
	dead    bool
	reading chan struct{} // closed when nothing is read any more
}

// pendingCall is a call that a worker has not answered.
type pendingCall struct {
	target vfs.Target
	over   func()
	done   chan outcome
}

type outcome struct {
	info vfs.Info
	err  error
}

// put asks for a change and waits for the answer. over is called when the change is over,
// which may be later. errUnsent means that nothing was changed.
func (w *remote) put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions, over func()) (vfs.Info, error) {
	r := request{Target: t, Size: len(data), Absent: o.If.Absent(), Policy: o.Sandbox}
	r.Version, r.Guarded = o.If.Version()
	call := &pendingCall{target: t, over: over, done: make(chan outcome, 1)}
	if !w.begin(&r, call) {
		over()
		return vfs.Info{}, errUnsent
	}
	ask := func() {
		if w.send(&r, data) != nil {
			w.settle(r.ID, outcome{err: errUnsent}) // it has not got all of it, and does nothing
			w.conn.Close()
		}
	}
	if ctx.Done() == nil {
		ask()
		out := <-call.done
		return out.info, out.err
	}
	go ask()
	select {
	case out := <-call.done:
		return out.info, out.err
	case <-ctx.Done():
	}
	go w.send(&request{ID: r.ID, Cancel: true}, nil)
	timer := time.NewTimer(putGrace)
	defer timer.Stop()
	err := vfs.Aborted("write", context.Cause(ctx))
	select {
	case out := <-call.done:
		if e, ok := errors.AsType[*vfs.Error](out.err); ok && e.Code == vfs.CodeAborted {
			e.Err = context.Cause(ctx)
		}
		return out.info, out.err
	case <-timer.C:
		err.Msg += ": the process that writes did not answer, so it is not known whether the change was made; read the file to see"
		return vfs.Info{}, err
	}
}

// begin notes a call; false says that the worker is gone.
func (w *remote) begin(r *request, call *pendingCall) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return false
	}
	w.last++
	r.ID = w.last
	w.pending[r.ID] = call
	return true
}
