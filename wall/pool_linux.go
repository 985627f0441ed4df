package wall

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

const (
	// maxWorkers is how many workspaces have a worker before an idle one is ended.
	maxWorkers = 8
	// crashPause is how long nothing is started after two workers in a row ended before
	// they had made a single change.
	crashPause = 5 * time.Second
)

// pool is the workers of one provider, one for each workspace: what a worker may write is
// settled when it starts.
type pool struct {
	fs      *localfs.FS
	options Options
	roots   []*os.File // the served directories as they were found at first

	mu      sync.Mutex
	workers map[string]*remote // by workspace
	closed  bool
	crashes int // in a row
	crashed time.Time
	ending  sync.WaitGroup // workers that are told to
}

// newPool makes a pool, nil without Landlock.
func newPool(ctx context.Context, files *localfs.FS, o Options) (*pool, Status, error) {
	s := Status{ABI: ABI()}
	if s.ABI < 1 {
		s.Why = noLandlock
		return nil, s, nil
	}
	p := &pool{fs: files, options: o, workers: map[string]*remote{}}
	var err error
	if p.roots, err = openPlain(files.Roots()); err == nil && len(p.roots) != len(files.Roots()) {
		err = errors.New("wall: a served directory was moved")
	}
	if err != nil {
		p.close()
		return nil, s, err
	}
	if files.SandboxMode() != sandbox.WorkspaceWrite {
		s.Confined = true
		s.Why = "workspace-write changes are made by a process that the kernel confines, which is started for the first of them"
		return p, s, nil
	}
	w, err := p.worker(ctx, files.EffectivePolicy(sandbox.Policy{}))
	if err != nil {
		p.close()
		return nil, s, err
	}
	return p, w.status, nil
}

func (p *pool) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	workers := p.workers
	p.workers = nil
	p.mu.Unlock()
	for _, w := range workers {
		w.end()
	}
	p.ending.Wait()
	closeAll(p.roots)
}

// put has a worker make a change. The critical section is entered for as long as that
// takes.
func (p *pool) put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions, enter func() (leave func())) (vfs.Info, error) {
	for try := 1; ; try++ {
		w, err := p.worker(ctx, o.Sandbox)
		if err != nil {
			if ctx.Err() != nil {
				return vfs.Info{}, vfs.Aborted("write", context.Cause(ctx))
			}
			return vfs.Info{}, &vfs.Error{Op: "write", Path: t.Path, Code: vfs.CodeIOError,
				Msg: "the process that writes could not be started; nothing was changed", Err: err}
		}
		info, err := w.put(ctx, t, data, o, enter())
		switch {
		case err == nil:
			p.worked()
		case try > 1:
		case err == errUnsent, errors.Is(err, syscall.EACCES) && w.outdated(p.fs.WritableRoots(o.Sandbox)):
			p.retire(w)
			continue // nothing was changed
		}
		if err == errUnsent {
			err = lost(t)
		}
		return info, err
	}
}

func (p *pool) worked() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crashes = 0
}

// worker is the one for a policy; it is started if there is none, or none any more.
func (p *pool) worker(ctx context.Context, policy sandbox.Policy) (*remote, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fs.ErrClosed
	}
	w := p.workers[policy.WorkspaceRoot]
	if w != nil && w.alive() {
		return w, nil
	}
	if w != nil {
		delete(p.workers, policy.WorkspaceRoot)
		p.crashes++
		p.crashed = time.Now()
		p.ending.Go(w.end)
	}
	if p.crashes > 1 && time.Since(p.crashed) < crashPause {
		return nil, errors.New("it ended twice in a row")
	}
	p.makeRoom()
	policy.Mode = sandbox.WorkspaceWrite
	w, err := start(ctx, p, policy)
	if err != nil {
		p.crashes++
		p.crashed = time.Now()
		return nil, err
	}
	p.workers[policy.WorkspaceRoot] = w
	return w, nil
}

// makeRoom ends an idle worker when there are many.
func (p *pool) makeRoom() {
	if len(p.workers) < maxWorkers {
		return
	}
	for workspace, w := range p.workers {
		if w.idle() {
			delete(p.workers, workspace)
			p.ending.Go(w.end)
			return
		}
	}
}

// retire ends a worker that cannot do what it is for; the next call starts another.
func (p *pool) retire(w *remote) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.workers[w.workspace] == w {
		delete(p.workers, w.workspace)
		p.ending.Go(w.end)
	}
}
