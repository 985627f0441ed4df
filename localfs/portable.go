//go:build !linux || toolfs_portable

package localfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// system holds what the portable provider needs: nothing. It stands on os.Root, which
// confines as well but knows neither mere handles nor an exchange of two names; what
// is weaker for it is said in the package's documentation of Put.
type system struct{ noSync bool }

func newSystem(o Options) system { return system{noSync: o.NoSync} }

// start has nothing to undo: nothing is ever written in place here.
func (f *FS) start() {}

// root is an open directory that confines.
type root struct {
	dir  *os.Root
	path string
}

func openRoot(dir string) (*root, error) {
	path, err := filepath.EvalSymlinks(dir)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, err
	}
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &root{dir: r, path: path}, nil
}

func (r *root) close() { r.dir.Close() }

// current is the root's path while it still leads to the directory that was opened.
func (r *root) current() string {
	open, err := r.dir.Stat(".")
	if err != nil {
		return ""
	}
	named, err := os.Stat(r.path)
	if err != nil || !os.SameFile(open, named) {
		return ""
	}
	return r.path
}

func (f *FS) canonical(path string) (canonical string, exists bool, err error) {
	canonical, exists, err = walk(path)
	if err == nil && exists && strings.HasSuffix(path, string(os.PathSeparator)) {
		if info, err := os.Lstat(canonical); err == nil && !info.IsDir() {
			return "", false, syscall.ENOTDIR
		}
	}
	return canonical, exists, err
}

var errOutside = errors.New("outside the roots")

// place is a target seen from an open directory.
type place struct {
	dir   *os.Root
	rel   string
	close func()
}

func (f *FS) place(key string) (place, error) {
	if len(f.roots) > 0 {
		r, rel, ok := f.rootOf(key)
		if !ok {
			return place{}, errOutside
		}
		if rel == "" {
			rel = "."
		}
		return place{dir: r.dir, rel: rel, close: func() {}}, nil
	}
	volume := filepath.VolumeName(key) + string(os.PathSeparator)
	dir, err := os.OpenRoot(volume)
	if err != nil {
		return place{}, err
	}
	rel := strings.TrimPrefix(key, volume)
	if rel == "" {
		rel = "."
	}
	return place{dir: dir, rel: rel, close: func() { dir.Close() }}, nil
}

func (f *FS) openError(op string, t vfs.Target, err error) *vfs.Error {
	if errors.Is(err, errOutside) || strings.Contains(err.Error(), "path escapes from parent") {
		return f.outside(t.Path)
	}
	return ioError(op, t.Path, err)
}

func (f *FS) statError(op string, t vfs.Target, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return vfs.NotFound(op, t)
	}
	return f.openError(op, t, err)
}

// Stat implements vfs.Provider.
func (f *FS) Stat(ctx context.Context, t vfs.Target) (vfs.Info, error) {
	if ctx.Err() != nil {
		return vfs.Info{}, vfs.Aborted("stat", context.Cause(ctx))
	}
	return f.stat("stat", t)
}

func (f *FS) stat(op string, t vfs.Target) (vfs.Info, error) {
	p, err := f.place(t.Key)
	if err != nil {
		return vfs.Info{}, f.statError(op, t, err)
	}
	defer p.close()
	info, err := p.dir.Lstat(p.rel)
	if err != nil {
		return vfs.Info{}, f.statError(op, t, err)
	}
	return vfs.Info{Type: typeOf(info.Mode()), Size: info.Size()}, nil
}

// Lstat implements vfs.Lstater.
func (f *FS) Lstat(ctx context.Context, base, name string) (vfs.Info, error) {
	dir, leaf := filepath.Split(strings.TrimRight(name, string(os.PathSeparator)))
	if leaf == "" || leaf == "." || leaf == ".." || textenc.Blank(name) {
		t, err := f.Resolve(ctx, base, name)
		if err != nil {
			return vfs.Info{}, err
		}
		return f.Stat(ctx, t)
	}
	if dir == "" {
		dir = "."
	}
	parent, err := f.Resolve(ctx, base, dir)
	if err != nil {
		return vfs.Info{}, err
	}
	return f.stat("stat", vfs.Target{Key: filepath.Join(parent.Key, leaf), Path: filepath.Join(parent.Path, leaf)})
}

// Open implements vfs.Provider.
func (f *FS) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	if ctx.Err() != nil {
		return nil, vfs.Aborted("read", context.Cause(ctx))
	}
	return f.open(t)
}

// open looks before it opens, and opens without waiting, since there are no mere
// handles here; what was opened is looked at again.
func (f *FS) open(t vfs.Target) (*file, error) {
	p, err := f.place(t.Key)
	if err != nil {
		return nil, f.statError("read", t, err)
	}
	defer p.close()
	info, err := p.dir.Lstat(p.rel)
	switch {
	case err != nil:
		return nil, f.statError("read", t, err)
	case !info.Mode().IsRegular():
		return nil, vfs.NotRegular("read", t)
	}
	opened, err := p.dir.OpenFile(p.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, f.statError("read", t, err)
	}
	info, err = opened.Stat()
	if err != nil || !info.Mode().IsRegular() {
		opened.Close()
		return nil, vfs.NotRegular("read", t)
	}
	return &file{File: opened, mode: info.Mode(), info: vfs.Info{Type: vfs.TypeFile, Size: info.Size()}, target: t}, nil
}

type file struct {
	*os.File
	mode   fs.FileMode
	info   vfs.Info
	target vfs.Target
}

// Info implements vfs.File.
func (f *file) Info() vfs.Info { return f.info }

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != nil && err != io.EOF {
		err = ioError("read", f.target.Path, err)
	}
	return n, err
}

// ReadDir implements vfs.Provider.
func (f *FS) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	return func(yield func(vfs.Entry, error) bool) {
		dir, err := f.openDir(t)
		if err != nil {
			yield(vfs.Entry{}, err)
			return
		}
		defer dir.Close()
		for {
			if ctx.Err() != nil {
				yield(vfs.Entry{}, vfs.Aborted("list", context.Cause(ctx)))
				return
			}
			entries, err := dir.ReadDir(1024)
			for _, e := range entries {
				if !yield(vfs.Entry{Name: e.Name(), Type: f.entryType(ctx, t, e)}, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(vfs.Entry{}, ioError("list", t.Path, err))
				return
			}
		}
	}
}

func (f *FS) openDir(t vfs.Target) (*os.File, error) {
	info, err := f.stat("list", t)
	switch {
	case err != nil:
		return nil, err
	case info.Type != vfs.TypeDirectory:
		return nil, &vfs.Error{Op: "list", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
	}
	p, err := f.place(t.Key)
	if err != nil {
		return nil, f.statError("list", t, err)
	}
	defer p.close()
	dir, err := p.dir.Open(p.rel)
	if err != nil {
		return nil, f.statError("list", t, err)
	}
	return dir, nil
}

// entryType classifies a child; only a link is looked at.
func (f *FS) entryType(ctx context.Context, dir vfs.Target, e fs.DirEntry) vfs.Type {
	kind := typeOf(e.Type())
	if kind != vfs.TypeSymlink {
		return kind
	}
	child, err := f.Resolve(ctx, dir.Key, e.Name())
	if err != nil {
		return vfs.TypeOther
	}
	info, err := f.Stat(ctx, child)
	if err != nil {
		return vfs.TypeOther
	}
	return info.Type
}

// typeOf classifies what a directory entry or a target is.
func typeOf(mode fs.FileMode) vfs.Type {
	switch {
	case mode.IsRegular():
		return vfs.TypeFile
	case mode.IsDir():
		return vfs.TypeDirectory
	case mode&fs.ModeSymlink != 0:
		return vfs.TypeSymlink
	}
	return vfs.TypeOther
}
