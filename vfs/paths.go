package vfs

import (
	"context"
	"iter"
	"net/url"
	"path/filepath"
	"strings"
)

// ListDir reads a whole directory, in the provider's order.
func ListDir(ctx context.Context, p Provider, t Target) ([]Entry, error) {
	entries, _, err := ListDirWithheld(ctx, p, t)
	return entries, err
}

// ListDirWithheld is ListDir, and how many entries the provider keeps to itself.
func ListDirWithheld(ctx context.Context, p Provider, t Target) (entries []Entry, withheld int, err error) {
	if err := aborted(ctx, "list"); err != nil {
		return nil, 0, err
	}
	kept := func() int { return 0 }
	var all iter.Seq2[Entry, error]
	if w, ok := As[Withholder](p); ok {
		all, kept = w.ReadDirWithheld(ctx, t)
	} else {
		all = p.ReadDir(ctx, t)
	}
	for e, err := range all {
		if err != nil {
			return nil, 0, WithOp(err, "list")
		}
		entries = append(entries, e)
	}
	return entries, kept(), nil
}

// ProcessPath is an absolute path under which a process in the provider's world can
// open the target; FS_IO_ERROR where there is no such path.
func ProcessPath(p Provider, t Target) (string, error) {
	if l, ok := As[Locator](p); ok {
		return l.ProcessPath(t)
	}
	return "", &Error{Op: "locate", Path: t.Path, Code: CodeIOError, Msg: "this file system has no paths for processes"}
}

// FileURL is the target's canonical file: URI, escaped.
func FileURL(p Provider, t Target) (string, error) {
	path, err := ProcessPath(p, t)
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), nil
}

// Contains reports whether child is parent or lies below it, by canonical identity.
func Contains(p Provider, parent, child Target) bool {
	if c, ok := As[Container](p); ok {
		return c.Contains(parent, child)
	}
	if parent.Key == child.Key {
		return true
	}
	return strings.HasPrefix(child.Key, strings.TrimSuffix(parent.Key, "/")+"/")
}

// Lstat describes a name itself, without following a link in its last component. A
// provider without links answers as Stat does.
func Lstat(ctx context.Context, p Provider, base, name string) (Info, error) {
	if err := aborted(ctx, "lstat"); err != nil {
		return Info{}, err
	}
	if l, ok := As[Lstater](p); ok {
		return l.Lstat(ctx, base, name)
	}
	t, err := p.Resolve(ctx, base, name)
	if err != nil {
		return Info{}, err
	}
	return p.Stat(ctx, t)
}
