package localfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// spell makes a name absolute: as it was asked for, and as it is shown.
func (f *FS) spell(base, name string) (t vfs.Target, asked, from string, err error) {
	if textenc.Blank(name) {
		return t, "", "", &vfs.Error{Code: vfs.CodeNotFound, Msg: "file_path must be a non-empty string"}
	}
	if base == "" || !filepath.IsAbs(base) {
		base = filepath.Join(f.options.Cwd, base)
	}
	asked = name
	if !filepath.IsAbs(name) {
		asked = base + string(os.PathSeparator) + name
	}
	t.Path = filepath.Clean(asked)
	if strings.IndexByte(asked, 0) >= 0 {
		err = resolveError(t.Path, &fs.PathError{Err: syscall.EINVAL})
	}
	return t, asked, base, err
}

// resolve finds the key of a name that was spelt out.
func (f *FS) resolve(t vfs.Target, asked, base, name string) (vfs.Target, error) {
	key, exists, err := f.canonical(asked)
	if err == nil && !f.allowed(key) || err != nil && (!f.allowed(t.Path) || f.leadsOut(asked)) {
		return t, f.outside(t.Path)
	}
	if err == nil && !exists {
		err = f.missing(asked, base, name)
	}
	if errors.Is(err, syscall.ENOTDIR) && demandsDirectory(asked) {
		if _, exists, cut := f.canonical(withoutDemand(asked)); cut == nil && exists {
			err = errNotDirectory
		}
	}
	if err != nil {
		return t, resolveError(t.Path, err)
	}
	t.Key = key
	if slices.Contains(strings.Split(asked, string(os.PathSeparator)), "..") {
		if folded, _, err := f.canonical(t.Path); err != nil || folded != key {
			t.Path = key
		}
	}
	return t, nil
}

var (
	errNoSuchDirectory = errors.New(`a name that ends in "/" must be an existing directory`)
	errNoWorkingDir    = errors.New("the working directory does not exist")
	errNotDirectory    = errors.New("not a directory")
)

// missing refuses what must not be created: a directory asked for by its trailing
// separator, and anything in a working directory that has vanished.
func (f *FS) missing(asked, base, name string) error {
	if !filepath.IsAbs(name) {
		if info, err := os.Stat(base); err != nil || !info.IsDir() {
			return errNoWorkingDir
		}
	}
	if demandsDirectory(asked) {
		return errNoSuchDirectory
	}
	return nil
}

// demandsDirectory reports a path that can only mean a directory.
func demandsDirectory(path string) bool {
	last := path[strings.LastIndexByte(path, os.PathSeparator)+1:]
	return last == "" || last == "."
}

// withoutDemand is such a path without what demands the directory.
func withoutDemand(path string) string {
	for demandsDirectory(path) && !isTop(path) {
		path = path[:len(path)-1]
	}
	return path
}

// allowed reports whether a canonical path is served.
func (f *FS) allowed(key string) bool {
	if len(f.roots) == 0 {
		return true
	}
	r, _ := f.longestRoot(key, (*root).current)
	return r != nil
}

// leadsOut reports whether a path that cannot be resolved leaves the roots before it
// fails: then that is all that is said of it, whatever there is outside.
func (f *FS) leadsOut(path string) bool {
	sep := string(os.PathSeparator)
	for links := 0; len(f.roots) > 0 && links <= maxLinks; links++ {
		parent, next := path, ""
		for {
			parent = strings.TrimRight(parent, sep)
			i := strings.LastIndexByte(parent, os.PathSeparator)
			parent, next = parent[:max(i, 0)+1], parent[i+1:]
			canonical, _, err := f.canonical(parent)
			if err == nil && !f.allowed(canonical) {
				return true
			}
			if err == nil || isTop(parent) {
				parent = canonical
				break
			}
		}
		// It comes to nothing at next: a link there may lead out before that.
		target, err := os.Readlink(filepath.Join(parent, next))
		if err != nil {
			return false
		}
		if path = target; !filepath.IsAbs(target) {
			path = parent + sep + target
		}
		if !f.allowed(filepath.Clean(path)) {
			return true
		}
	}
	return false
}

// isTop reports a path that has no parent.
func isTop(path string) bool { return filepath.Dir(path) == path }

// rootOf finds the innermost root that holds the canonical path key, and the path
// from there.
func (f *FS) rootOf(key string) (r *root, rel string, ok bool) {
	r, rel = f.longestRoot(key, func(r *root) string { return r.path })
	if r == nil {
		// A root that was moved since is where it is now. A root's path of old that
		// leads elsewhere by now does no harm: what is opened lies beneath the open
		// root itself.
		r, rel = f.longestRoot(key, (*root).current)
	}
	return r, rel, r != nil
}

func (f *FS) longestRoot(key string, where func(*root) string) (r *root, rel string) {
	longest := -1
	for _, candidate := range f.roots {
		path := where(candidate)
		if path != "" && within(path, key) && len(path) > longest {
			longest, r = len(path), candidate
			rel = strings.TrimPrefix(key[len(path):], string(os.PathSeparator))
		}
	}
	return r, rel
}

func (f *FS) outside(path string) *vfs.Error {
	served := make([]string, len(f.roots))
	for i, r := range f.roots {
		served[i] = vfs.QuotePath(r.path)
		if within(r.path, path) && r.current() == "" {
			return &vfs.Error{Op: "access", Path: path, Code: vfs.CodeNotFound,
				Msg: "the workspace directory " + served[i] + " no longer exists", Err: fs.ErrNotExist}
		}
	}
	return &vfs.Error{Op: "access", Path: path, Code: vfs.CodeSandboxDenied,
		Msg: "it is outside the workspace; use a path below " + strings.Join(served, " or ")}
}

func resolveError(path string, err error) *vfs.Error {
	switch {
	case errors.Is(err, errNotDirectory):
		return &vfs.Error{Op: "resolve", Path: path, Code: vfs.CodeNotDirectory, Msg: err.Error(), Err: err}
	case errors.Is(err, errNoSuchDirectory), errors.Is(err, errNoWorkingDir):
		return &vfs.Error{Op: "resolve", Path: path, Code: vfs.CodeNotFound, Msg: err.Error(), Err: err}
	case errors.Is(err, syscall.ENOTDIR):
		return &vfs.Error{Op: "resolve", Path: path, Code: vfs.CodeNotFound,
			Msg: "a parent path segment is not a directory", Err: err}
	case errors.Is(err, syscall.EINVAL):
		return &vfs.Error{Op: "resolve", Path: path, Code: vfs.CodeIOError, Msg: "the path holds a NUL character", Err: err}
	}
	return ioError("resolve", path, err)
}

// maxLinks is how many links a path may lead through, as in the kernel.
const maxLinks = 40

// walk finds the canonical path of an absolute path in steps, for what does not exist
// whole. It is only ever a hint.
func walk(path string) (canonical string, exists bool, err error) {
	volume := filepath.VolumeName(path)
	at := volume + string(os.PathSeparator)
	rest := components(path[len(volume):])
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if slices.Contains(rest, "..") {
				return "", false, err
			}
			return filepath.Join(append([]string{next}, rest...)...), false, nil
		case err != nil:
			return "", false, err
		case info.Mode()&fs.ModeSymlink == 0:
			if len(rest) > 0 && !info.IsDir() {
				return "", false, syscall.ENOTDIR
			}
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", false, syscall.ELOOP
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", false, err
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			at = volume + string(os.PathSeparator)
			target = target[len(volume):]
		}
		rest = append(components(target), rest...)
	}
	return at, true, nil
}

func components(path string) []string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "." })
}
