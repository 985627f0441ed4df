package wall

import (
	"context"
	"errors"
	"sync"

	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// section is an FS in the critical section of one key, which lasts until it is released
// and every change in it is over, also one that nobody waits for any more.
type section struct {
	*FS
	key    string
	held   vfs.Provider // of the provider within: changes the file here
	unlock func()

	mu   sync.Mutex
	uses int
}

// Put implements vfs.Provider within the critical section.
func (s *section) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	if t.Key != s.key {
		return s.FS.Put(ctx, t, data, o)
	}
	o.Sandbox = s.EffectivePolicy(o.Sandbox)
	switch o.Sandbox.Mode {
	case sandbox.DangerFullAccess:
		return s.held.Put(ctx, t, data, o)
	case sandbox.WorkspaceWrite:
		if ctx.Err() != nil {
			return vfs.Info{}, vfs.Aborted("write", context.Cause(ctx))
		}
		return s.workers.put(ctx, t, data, o, s.enter)
	}
	// Whatever the fence says: nothing is written in this mode.
	if err := s.CheckWrite(ctx, t, o.Sandbox); err != nil {
		return vfs.Info{}, err
	}
	return vfs.Info{}, vfs.SandboxDenied(t, &sandbox.DeniedError{Mode: sandbox.ReadOnly, Rule: "read-only mode allows no change"})
}

// EditLarge implements vfs.LargeEditor for a call that may change everything, and is
// carried out here. Otherwise the file is loaded, and the worker gets it whole.
func (s *section) EditLarge(ctx context.Context, t vfs.Target, opened vfs.File, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
	own, ok := s.held.(vfs.LargeEditor)
	if !ok || t.Key != s.key || s.EffectivePolicy(o.Sandbox).Mode != sandbox.DangerFullAccess {
		return vfs.EditOutcome{}, errors.ErrUnsupported
	}
	return own.EditLarge(ctx, t, opened, e, o)
}

// enter keeps the section until the function that it returns is called.
func (s *section) enter() (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses++
	return s.leave
}

func (s *section) leave() {
	s.mu.Lock()
	s.uses--
	over := s.uses == 0
	s.mu.Unlock()
	if over {
		s.unlock()
	}
}
