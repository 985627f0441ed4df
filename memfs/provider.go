package memfs

import (
	"context"
	"io/fs"
	"iter"
	"path"
	"strings"
	"sync/atomic"

	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// at gives what a target denotes now.
func (f *FS) at(op string, t vfs.Target) (*node, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if !f.serves(t.Key) {
		return nil, f.outside(t.Path)
	}
	n, err := f.root.lookUp(t.Key)
	switch err {
	case nil:
		return n, nil
	case errMissing, errNotDir:
		return nil, vfs.NotFound(op, t)
	}
	return nil, failed(op, t, err)
}

func (f *FS) info(n *node) vfs.Info {
	info := vfs.Info{Type: n.kind, Size: int64(len(n.content))}
	if f.options.OwnVersions {
		info.Version = n.version
	}
	return info
}

// Stat implements vfs.Provider.
func (f *FS) Stat(ctx context.Context, t vfs.Target) (vfs.Info, error) {
	if ctx.Err() != nil {
		return vfs.Info{}, vfs.Aborted("stat", context.Cause(ctx))
	}
	n, err := f.at("stat", t)
	if err != nil {
		return vfs.Info{}, err
	}
	return f.info(n), nil
}

// Lstat implements vfs.Lstater.
func (f *FS) Lstat(ctx context.Context, base, name string) (vfs.Info, error) {
	dir, last := path.Split(strings.TrimRight(name, "/"))
	if last == "" || last == "." || last == ".." || textenc.Blank(name) {
		t, err := f.Resolve(ctx, base, name)
		if err != nil {
			return vfs.Info{}, err
		}
		return f.Stat(ctx, t)
	}
	parent, err := f.Resolve(ctx, base, "./"+dir)
	if path.IsAbs(dir) {
		parent, err = f.Resolve(ctx, base, dir)
	}
	if err != nil {
		return vfs.Info{}, err
	}
	t := vfs.Target{Key: path.Join(parent.Key, last), Path: path.Join(parent.Path, last)}
	in, err := f.at("stat", parent)
	if err != nil {
		return vfs.Info{}, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	n := in.children[last]
	if n == nil {
		return vfs.Info{}, vfs.NotFound("stat", t)
	}
	return f.info(n), nil
}

// Open implements vfs.Provider.
func (f *FS) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	if ctx.Err() != nil {
		return nil, vfs.Aborted("read", context.Cause(ctx))
	}
	n, err := f.at("read", t)
	switch {
	case err != nil:
		return nil, err
	case n.kind != vfs.TypeFile:
		return nil, vfs.NotRegular("read", t)
	}
	f.opened.Add(1)
	return &file{content: strings.NewReader(n.content), info: f.info(n), target: t, opened: &f.opened}, nil
}

// file is the content that a file had when it was opened.
type file struct {
	content *strings.Reader
	info    vfs.Info
	target  vfs.Target
	opened  *atomic.Int64
	closed  bool
}

// Info implements vfs.File.
func (f *file) Info() vfs.Info { return f.info }

// Read implements io.Reader; after Close it is FS_IO_ERROR.
func (f *file) Read(p []byte) (int, error) {
	if f.closed {
		return 0, &vfs.Error{Op: "read", Path: f.target.Path, Code: vfs.CodeIOError, Msg: "the file is closed", Err: fs.ErrClosed}
	}
	return f.content.Read(p)
}

// Close implements io.Closer; a second call does nothing.
func (f *file) Close() error {
	if !f.closed {
		f.closed = true
		f.opened.Add(-1)
	}
	return nil
}

// ReadDir implements vfs.Provider, in the order of the names: the children that were
// there when it began. It holds no lock while the caller looks at one.
func (f *FS) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	return func(yield func(vfs.Entry, error) bool) {
		entries, err := f.entries(ctx, t)
		if err != nil {
			yield(vfs.Entry{}, err)
			return
		}
		for _, e := range entries {
			if ctx.Err() != nil {
				yield(vfs.Entry{}, vfs.Aborted("list", context.Cause(ctx)))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (f *FS) entries(ctx context.Context, t vfs.Target) ([]vfs.Entry, error) {
	if ctx.Err() != nil {
		return nil, vfs.Aborted("list", context.Cause(ctx))
	}
	dir, err := f.at("list", t)
	switch {
	case err != nil:
		return nil, err
	case dir.kind != vfs.TypeDirectory:
		return nil, &vfs.Error{Op: "list", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	entries := make([]vfs.Entry, 0, len(dir.children))
	for _, name := range dir.sorted() {
		kind := dir.children[name].kind
		if kind == vfs.TypeSymlink {
			kind = f.linkType(path.Join(t.Key, name))
		}
		entries = append(entries, vfs.Entry{Name: name, Type: kind})
	}
	return entries, nil
}

// linkType is the type of what a link leads to; a link that leads nowhere, or out of
// the roots, shows no more than that it is there.
func (f *FS) linkType(link string) vfs.Type {
	key, n, err := f.root.walk(link)
	if err != nil || n == nil || !f.serves(key) {
		return vfs.TypeOther
	}
	return n.kind
}
