package localfs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// Sandbox makes a provider confine what may be changed. Reading is not its business.
// Contract section 11.4.
type Sandbox struct {
	// Mode is that of calls without a policy of their own; "" is sandbox.ReadOnly.
	Mode sandbox.Mode

	// WorkspaceRoot is the directory that such calls may change in
	// sandbox.WorkspaceWrite; "" is the provider's Cwd.
	WorkspaceRoot string

	// WritableRoots are further directories that every call may change in that mode.
	WritableRoots []string

	// NoTemp takes /tmp and the system's directory for temporary files from the
	// writable roots, where they are by contract section 11.2.
	NoTemp bool

	// Protect are further places below the writable roots that a call may change in
	// sandbox.DangerFullAccess only: paths from the writable root on, a directory with
	// all that is in it, under every name that leads there. What git keeps in .git, or in
	// a repository of any other name, is always one, and so are the provider's own state
	// and the ignore file.
	Protect []string
}

// fence is what a Sandbox comes to once its directories are known.
type fence struct {
	standing sandbox.Policy
	roots    []string // canonical, but for the workspace
	protect  []string // cleaned
	state    string   // canonical or ""
	ignore   string   // the name of ignore files, or ""
}

func newFence(s Sandbox, cwd, state, ignoreFile string) (*fence, error) {
	if s.Mode == "" {
		s.Mode = sandbox.ReadOnly
	}
	if _, err := sandbox.ParseMode(string(s.Mode)); err != nil {
		return nil, err
	}
	if s.WorkspaceRoot == "" {
		s.WorkspaceRoot = cwd
	}
	workspace, err := filepath.Abs(s.WorkspaceRoot)
	if err != nil {
		return nil, err
	}
	workspace = realPath(workspace)
	if isTop(workspace) {
		return nil, fmt.Errorf("the workspace must not be %s, which would make the whole machine writable", workspace)
	}
	f := &fence{ignore: ignoreFile, standing: sandbox.Policy{Mode: s.Mode, WorkspaceRoot: workspace}}
	roots := slices.Clone(s.WritableRoots)
	if !s.NoTemp {
		roots = append(roots, tempDirs()...)
	}
	for _, root := range roots {
		if root, err = filepath.Abs(root); err != nil {
			return nil, err
		}
		root = realPath(root)
		if encloses(root, workspace) {
			return nil, fmt.Errorf("the writable directory %s holds the workspace %s, so that everything beside it could be changed as well", root, workspace)
		}
		if !slices.Contains(f.roots, root) {
			f.roots = append(f.roots, root)
		}
	}
	for _, p := range s.Protect {
		f.protect = append(f.protect, filepath.Clean(p))
	}
	if state != "" {
		f.state = futurePath(state)
	}
	return f, nil
}

// tempDirs is the system's places for temporary files.
func tempDirs() []string {
	if os.PathSeparator == '/' {
		return []string{"/tmp", os.TempDir()}
	}
	return []string{os.TempDir()}
}

// realPath is the canonical path, or the path as it is when that cannot be found out:
// then it matches nothing until it exists.
func realPath(path string) string {
	if canonical, err := filepath.EvalSymlinks(path); err == nil {
		return canonical
	}
	return path
}

// futurePath is the canonical path of something that need not exist yet.
func futurePath(path string) string {
	if canonical, _, err := walk(path); err == nil {
		return canonical
	}
	return path
}

// encloses reports whether workspace lies strictly below dir, by its path or by which
// directories they are.
func encloses(dir, workspace string) bool {
	if within(dir, workspace) {
		return dir != workspace
	}
	info, err := os.Stat(dir)
	for at := workspace; err == nil && !isTop(at); {
		at = filepath.Dir(at)
		if above, err := os.Stat(at); err == nil && os.SameFile(above, info) {
			return true
		}
	}
	return false
}

// effective is the policy of a call.
func (f *fence) effective(p sandbox.Policy) sandbox.Policy {
	if p.Mode == "" {
		p.Mode = f.standing.Mode
	}
	if p.WorkspaceRoot == "" {
		p.WorkspaceRoot = f.standing.WorkspaceRoot
	} else if p.WorkspaceRoot != f.standing.WorkspaceRoot {
		p.WorkspaceRoot = realPath(p.WorkspaceRoot)
	}
	return p
}

// judgement is the fence's decision under a mode. A place is protected whatever the mode
// says, and wherever it lies.
type judgement struct {
	vfs.Verdict
	mode      sandbox.Mode
	protected bool
}

// judge says whether the file at a canonical path may be changed under a policy. It is
// the one decision of the fence: whoever forecasts or explains it asks here as well.
func (f *fence) judge(path string, p sandbox.Policy) judgement {
	p = f.effective(p)
	if p.Mode == sandbox.DangerFullAccess {
		return judgement{vfs.Verdict{Allowed: true, Rule: "mode", Why: "danger-full-access mode restricts no change"}, p.Mode, false}
	}
	root, inside := f.writableRoot(path, p.WorkspaceRoot)
	what := f.protected(root, path)
	v := vfs.Verdict{Allowed: true, Rule: "writable-root", Why: "it lies in the writable directory " + root}
	switch {
	case p.Mode != sandbox.WorkspaceWrite:
		p.Mode = sandbox.ReadOnly
		v = denial("mode", "read-only mode allows no change", what)
	case !inside:
		v = denial("outside", "it lies outside the writable directories of workspace-write mode", what)
	case what != "":
		v = vfs.Verdict{Rule: "protected", Why: what}
	}
	return judgement{v, p.Mode, what != ""}
}

// denial says beside the rule what the place is, which whoever is asked to lift the rule
// has to know.
func denial(rule, why, protected string) vfs.Verdict {
	if protected != "" {
		why += ", and " + protected
	}
	return vfs.Verdict{Rule: rule, Why: why}
}

// writableRoot is the writable directory that a path lies in.
func (f *fence) writableRoot(path, workspace string) (string, bool) {
	if !isTop(workspace) && within(workspace, path) {
		return workspace, true
	}
	for _, root := range f.roots {
		if !isTop(root) && within(root, path) && !encloses(root, workspace) {
			return root, true
		}
	}
	return f.aliased(path, workspace)
}

// aliased finds the writable directory that a path lies in under another spelling, such
// as that of a disk that ignores case: by which directories they are.
func (f *fence) aliased(path, workspace string) (string, bool) {
	var roots []os.FileInfo
	var names []string
	for _, root := range append([]string{workspace}, f.roots...) {
		info, err := os.Lstat(root)
		if err == nil && info.IsDir() && !isTop(root) && !encloses(root, workspace) {
			roots, names = append(roots, info), append(names, root)
		}
	}
	for at := path; ; at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil {
			i := slices.IndexFunc(roots, func(r os.FileInfo) bool { return os.SameFile(r, info) })
			if i >= 0 {
				return names[i], true
			}
		}
		if isTop(at) {
			return "", false
		}
	}
}

// SandboxMode implements vfs.Confiner.
func (f *FS) SandboxMode() sandbox.Mode {
	if f.fence == nil {
		return ""
	}
	return f.fence.standing.Mode
}

// CheckWrite implements vfs.Confiner, by the path that the target was resolved to.
func (f *FS) CheckWrite(_ context.Context, t vfs.Target, p sandbox.Policy) error {
	if err := f.withheld(t.Key, false); err != nil {
		return f.openError("write", t, err)
	}
	return f.fenced(t, t.Key, p)
}

// fenced is the decision about a canonical path as an error.
func (f *FS) fenced(t vfs.Target, path string, p sandbox.Policy) error {
	if f.fence == nil {
		return nil
	}
	j := f.fence.judge(path, p)
	if j.Allowed {
		return nil
	}
	return vfs.SandboxDenied(t, &sandbox.DeniedError{Mode: j.mode, Rule: j.Why, Protected: j.protected})
}

// Explain implements vfs.Explainer.
func (f *FS) Explain(ctx context.Context, t vfs.Target, p sandbox.Policy) (vfs.Access, error) {
	a := vfs.Access{
		Read:  vfs.Verdict{Allowed: true, Rule: "served", Why: "reading is not restricted here"},
		Write: vfs.Verdict{Allowed: true, Rule: "unconfined", Why: "no sandbox mode is in force"},
	}
	if len(f.roots) > 0 {
		r, _, ok := f.rootOf(t.Key)
		if !ok {
			return a, f.outside(t.Path)
		}
		a.Read.Rule, a.Read.Why = "root", "it lies in the served directory "+r.path
	}
	if f.fence != nil {
		a.Write = f.fence.judge(t.Key, p).Verdict
	}
	info, err := os.Lstat(t.Key)
	if w, ok := errors.AsType[*withheldError](f.withheld(t.Key, err == nil && info.IsDir())); ok {
		a.Read = vfs.Verdict{Rule: "withheld", Why: "it is kept from the tools by " + w.rule}
		a.Write = a.Read
	}
	return a, nil
}
