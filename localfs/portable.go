//go:build !linux || toolfs_portable

package localfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// system holds what the portable provider needs: nothing. It stands on os.Root, which
// confines as well but knows neither mere handles nor an exchange of two names; what
// is weaker for it is said in the package's documentation of Put.
type system struct{ noSync bool }

func newSystem(o Options) system { return system{noSync: o.NoSync} }

func (*system) close() {}

// start has nothing to undo: nothing is ever written in place here.
func (f *FS) start() {}

// root is an open directory that confines.
type root struct {
	dir  *os.Root
	path string
}

func (*system) openRoot(dir string) (*root, error) {
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
	if err == nil && exists && demandsDirectory(path) {
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
	info, err := os.Lstat(key)
	if err := f.withheld(key, err == nil && info.IsDir()); err != nil {
		return place{}, err
	}
	p, err := f.seen(key)
	if err == nil && p.throughLink() {
		p.close()
		return place{}, syscall.ELOOP
	}
	return p, err
}

// throughLink reports a link on the way, which was put there after the key was found;
// os.Root would follow it.
func (p place) throughLink() bool {
	for dir := filepath.Dir(p.rel); dir != "."; dir = filepath.Dir(dir) {
		if info, err := p.dir.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// seen finds the open directory that a key lies in.
func (f *FS) seen(key string) (place, error) {
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
	if w, ok := errors.AsType[*withheldError](err); ok {
		return vfs.Withheld(op, t, w.rule)
	}
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

func (f *FS) stat(op string, t vfs.Target) (vfs.Info, error) {
	info, err := f.lstat(t)
	if info.Type == vfs.TypeSymlink {
		return vfs.Info{}, f.openError(op, t, syscall.ELOOP)
	}
	return info, vfs.WithOp(err, op)
}

// lstat describes the name itself.
func (f *FS) lstat(t vfs.Target) (vfs.Info, error) {
	p, err := f.place(t.Key)
	if err != nil {
		return vfs.Info{}, f.statError("stat", t, err)
	}
	defer p.close()
	info, err := p.dir.Lstat(p.rel)
	if err != nil {
		return vfs.Info{}, f.statError("stat", t, err)
	}
	return vfs.Info{Type: typeOf(info.Mode()), Size: info.Size()}, nil
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
	return &file{File: opened, mode: info.Mode(), changed: info.ModTime(), info: vfs.Info{Type: vfs.TypeFile, Size: info.Size()}, target: t}, nil
}

type file struct {
	*os.File
	mode    fs.FileMode
	changed time.Time // as it was opened
	info    vfs.Info
	target  vfs.Target
	onDisk  bool // never known here
}

// settled is the age from which on any file system's time stamps tell writes apart.
const settled = 2 * time.Second

// Proof implements vfs.Prover. There are no leases here, so that only the file's times
// tell of a writer, and on Windows not even those before the writer closes it.
func (f *file) Proof() vfs.Proof {
	now, err := f.Stat()
	switch {
	case err != nil, now.Size() != f.info.Size, !now.ModTime().Equal(f.changed):
		return vfs.Disturbed
	case runtime.GOOS != "windows" && time.Since(f.changed) > settled:
		return vfs.Proven
	}
	return vfs.Quiet
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

// directory is an open directory that is being read.
type directory struct {
	fs     *FS
	file   *os.File
	target vfs.Target
	filter *childFilter
}

// Close implements io.Closer.
func (d *directory) Close() error { return d.file.Close() }

// next gives some more entries, none at the end.
func (d *directory) next(ctx context.Context) (list []vfs.Entry, err error) {
	for len(list) == 0 && err == nil {
		var entries []fs.DirEntry
		entries, err = d.file.ReadDir(1024)
		for _, e := range entries {
			entry := vfs.Entry{Name: e.Name(), Type: d.fs.entryType(ctx, d.target, e)}
			if !d.filter.withheld(entry.Name, entry.Type == vfs.TypeDirectory) {
				list = append(list, entry)
			}
		}
	}
	if err != nil && err != io.EOF {
		return list, ioError("list", d.target.Path, err)
	}
	return list, nil
}

func (f *FS) openDir(t vfs.Target) (*directory, error) {
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
	return &directory{fs: f, file: dir, target: t, filter: f.childrenOf(t.Key)}, nil
}

// entryType classifies a child; only a link is looked at.
func (f *FS) entryType(ctx context.Context, dir vfs.Target, e fs.DirEntry) vfs.Type {
	kind := typeOf(e.Type())
	if kind != vfs.TypeSymlink {
		return kind
	}
	return f.linkType(ctx, dir, e.Name())
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

// mountOf knows no mounts here: calls that were left behind count together.
func mountOf(string) string { return "" }
