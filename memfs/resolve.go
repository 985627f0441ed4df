package memfs

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// Resolve implements vfs.Provider. The path shown is the one that was asked for, made
// absolute, links kept, "." and ".." folded unless that would name another file.
func (f *FS) Resolve(ctx context.Context, base, name string) (vfs.Target, error) {
	if ctx.Err() != nil {
		return vfs.Target{}, vfs.Aborted("resolve", context.Cause(ctx))
	}
	if textenc.Blank(name) {
		return vfs.Target{}, &vfs.Error{Code: vfs.CodeNotFound, Msg: "file_path must be a non-empty string"}
	}
	if !path.IsAbs(base) {
		base = path.Join(f.options.Cwd, base)
	}
	asked := name
	if !path.IsAbs(name) {
		asked = base + "/" + name
	}
	t := vfs.Target{Path: path.Clean(asked)}
	if strings.IndexByte(asked, 0) >= 0 {
		return t, &vfs.Error{Op: "resolve", Path: t.Path, Code: vfs.CodeIOError, Msg: "the path holds a NUL character"}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	key, at, err := f.root.walk(asked)
	if !f.serves(key) || err != nil && !f.serves(t.Path) {
		return t, f.outside(t.Path)
	}
	if err == nil && at == nil && !path.IsAbs(name) {
		err = f.baseGone(base)
	}
	if err != nil {
		return t, failed("resolve", t, err)
	}
	if last := asked[strings.LastIndexByte(asked, '/')+1:]; last == "" || last == "." {
		if err := notDirectory(t, at); err != nil {
			return t, err
		}
	}
	t.Key = key
	if slices.Contains(strings.Split(asked, "/"), "..") {
		if folded, _, err := f.root.walk(t.Path); err != nil || folded != key {
			t.Path = key
		}
	}
	return t, nil
}

// baseGone refuses to begin anything in a working directory that has vanished.
func (f *FS) baseGone(base string) error {
	if _, at, err := f.root.walk(base); err != nil || at == nil || at.kind != vfs.TypeDirectory {
		return &vfs.Error{Code: vfs.CodeNotFound, Msg: "the working directory does not exist"}
	}
	return nil
}

// notDirectory refuses what a name asks for by its end to be a directory, when it is none.
func notDirectory(t vfs.Target, at *node) error {
	e := &vfs.Error{Op: "resolve", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
	switch {
	case at == nil:
		e.Code, e.Msg = vfs.CodeNotFound, `a name that ends in "/" must be an existing directory`
	case at.kind == vfs.TypeDirectory:
		return nil
	}
	return e
}

// serves reports whether a canonical path lies in a root that is there.
func (f *FS) serves(key string) bool {
	return len(f.options.Roots) == 0 || slices.ContainsFunc(f.options.Roots, func(root string) bool {
		return within(root, key) && f.rootStands(root)
	})
}

func (f *FS) rootStands(root string) bool {
	at, err := f.root.lookUp(root)
	return err == nil && at.kind == vfs.TypeDirectory
}

// outside words the refusal to serve a path; it says nothing of what is there.
func (f *FS) outside(shown string) *vfs.Error {
	served := make([]string, len(f.options.Roots))
	for i, root := range f.options.Roots {
		served[i] = vfs.QuotePath(root)
		if within(root, shown) && !f.rootStands(root) {
			return &vfs.Error{Op: "access", Path: shown, Code: vfs.CodeNotFound,
				Msg: "the workspace directory " + served[i] + " no longer exists", Err: errMissing}
		}
	}
	return &vfs.Error{Op: "access", Path: shown, Code: vfs.CodeSandboxDenied,
		Msg: "it is outside the workspace; use a path below " + strings.Join(served, " or ")}
}

// failed gives every failure of the tree a code and words without inner paths.
func failed(op string, t vfs.Target, err error) error {
	if e, ok := err.(*vfs.Error); ok {
		e.Op, e.Path = op, t.Path
		return e
	}
	e := &vfs.Error{Op: op, Path: t.Path, Code: vfs.CodeNotFound, Msg: err.Error(), Err: err}
	if err == errManyLinks || err == errIsLink {
		e.Code = vfs.CodeIOError
	}
	return e
}
