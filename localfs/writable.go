package localfs

import (
	"path/filepath"
	"slices"

	"github.com/toolfs/toolfs/sandbox"
)

// Options gives the options in force, with every directory absolute: a provider made of
// them and of Roots in another process, wherever it was started, judges as this one does.
func (f *FS) Options() Options {
	o := f.options
	if o.StateDir = stateDir(o.StateDir); o.StateDir != "" {
		if abs, err := filepath.Abs(o.StateDir); err == nil {
			o.StateDir = abs
		}
	}
	if f.fence == nil {
		return o
	}
	s := *o.Sandbox
	s.Mode, s.WorkspaceRoot = f.fence.standing.Mode, f.fence.standing.WorkspaceRoot
	s.WritableRoots, s.NoTemp = slices.Clone(f.fence.roots), true // which has the temp areas
	o.Sandbox = &s
	return o
}

// EffectivePolicy is the policy under which a call is judged that came with p; its mode is
// "" where the provider does not confine.
func (f *FS) EffectivePolicy(p sandbox.Policy) sandbox.Policy {
	if f.fence == nil {
		return sandbox.Policy{SessionID: p.SessionID}
	}
	return f.fence.effective(p)
}

// WritableRoots is the directories below which the fence lets a call with p change files
// in sandbox.WorkspaceWrite, the call's workspace first; none in another mode.
func (f *FS) WritableRoots(p sandbox.Policy) []string {
	p = f.EffectivePolicy(p)
	if p.Mode != sandbox.WorkspaceWrite {
		return nil
	}
	var dirs []string
	for _, root := range append([]string{p.WorkspaceRoot}, f.fence.roots...) {
		if !isTop(root) && (root == p.WorkspaceRoot || !within(root, p.WorkspaceRoot)) && !slices.Contains(dirs, root) {
			dirs = append(dirs, root)
		}
	}
	return dirs
}
