package memfs

import (
	"path"

	"github.com/toolfs/toolfs/vfs"
)

// WriteFile makes content the whole of a file, through links, and makes the directories
// that are missing. Like everything in this file it is the world's hand and not the
// provider's: it obeys no roots, it is durable at once, and a relative name starts from
// Options.Cwd. Codes: FS_NOT_FOUND, FS_NOT_REGULAR_FILE, FS_IO_ERROR.
func (f *FS) WriteFile(name, content string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := vfs.Target{Path: path.Clean(f.abs(name))}
	key, at, err := f.root.walk(f.abs(name))
	switch {
	case err != nil:
		return failed("write", t, err)
	case at != nil && at.kind != vfs.TypeFile:
		return vfs.NotRegular("write", t)
	case !f.publish(key, f.newFile([]byte(content))):
		return failed("write", t, errNotDir)
	}
	return nil
}

// ReadFile is the whole content of a file, through links. Codes: FS_NOT_FOUND,
// FS_NOT_REGULAR_FILE, FS_IO_ERROR.
func (f *FS) ReadFile(name string) (string, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	t := vfs.Target{Path: path.Clean(f.abs(name))}
	_, at, err := f.root.walk(f.abs(name))
	switch {
	case err != nil:
		return "", failed("read", t, err)
	case at == nil:
		return "", vfs.NotFound("read", t)
	case at.kind != vfs.TypeFile:
		return "", vfs.NotRegular("read", t)
	}
	return at.content, nil
}

// Files is the content of every file by its absolute path. Links, special files and
// empty directories do not show.
func (f *FS) Files() map[string]string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	files := map[string]string{}
	collect(f.root, "/", files)
	return files
}

func collect(dir *node, at string, files map[string]string) {
	for name, n := range dir.children {
		switch n.kind {
		case vfs.TypeFile:
			files[path.Join(at, name)] = n.content
		case vfs.TypeDirectory:
			collect(n, path.Join(at, name), files)
		}
	}
}

// Mkdir makes a directory and those above it that are missing; one that is there is no
// failure. Codes: FS_NOT_FOUND, FS_NOT_DIRECTORY, FS_IO_ERROR.
func (f *FS) Mkdir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, _, err := f.place("create", name)
	if err != nil {
		return err
	}
	if f.root.makeDirs(split(t.Key), false) == nil {
		return &vfs.Error{Op: "create", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
	}
	return nil
}

// Symlink makes name a link to target, which need not exist. Codes: FS_NOT_OBSERVED
// when name exists, FS_NOT_FOUND, also for an empty target, FS_IO_ERROR.
func (f *FS) Symlink(target, name string) error {
	if target == "" {
		return vfs.NotFound("link to", vfs.Target{Path: target})
	}
	return f.add(name, &node{kind: vfs.TypeSymlink, content: target})
}

// Special makes name something that is neither file nor directory nor link, as a FIFO
// or a device is. Codes: those of Symlink.
func (f *FS) Special(name string) error { return f.add(name, &node{kind: vfs.TypeOther}) }

func (f *FS) add(name string, n *node) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, old, err := f.place("create", name)
	switch {
	case err != nil:
		return err
	case old != nil:
		return vfs.Exists(t)
	case !f.publish(t.Key, n):
		return failed("create", t, errNotDir)
	}
	return nil
}

// Remove takes away what name denotes, a link itself, a directory with all that is in
// it. Code: FS_NOT_FOUND.
func (f *FS) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, old, err := f.place("remove", name)
	switch {
	case err != nil:
		return err
	case old == nil:
		return vfs.NotFound("remove", t)
	}
	f.take(t.Key)
	return nil
}

// Rename gives what has the name from the name to, and replaces what had it. Codes:
// FS_NOT_FOUND, FS_NOT_REGULAR_FILE when to lies below from, FS_IO_ERROR.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, n, err := f.place("rename", from)
	switch {
	case err != nil:
		return err
	case n == nil:
		return vfs.NotFound("rename", t)
	}
	dest, _, err := f.place("rename", to)
	switch {
	case err != nil:
		return err
	case within(t.Key, dest.Key):
		return vfs.NotRegular("rename", dest)
	}
	parents, name := leaf(dest.Key)
	dir := f.root.makeDirs(parents, false)
	if dir == nil || name == "/" {
		return failed("rename", dest, errNotDir)
	}
	f.take(t.Key)
	dir.children[name] = n
	return nil
}

// take removes a name that is there.
func (f *FS) take(key string) {
	if dir, err := f.root.lookUp(path.Dir(key)); err == nil {
		delete(dir.children, path.Base(key))
	}
}

// place is where something can be put under a name: its canonical path, and what is
// there now. Only the links above it are followed.
func (f *FS) place(op, name string) (t vfs.Target, n *node, err error) {
	t.Path = path.Clean(f.abs(name))
	dir, _, err := f.root.walk(path.Dir(t.Path))
	if err != nil {
		return t, nil, failed(op, t, err)
	}
	t.Key = path.Join(dir, path.Base(t.Path))
	if in, err := f.root.lookUp(dir); err == nil {
		n = in.children[path.Base(t.Path)]
	}
	return t, n, nil
}

func (f *FS) abs(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(f.options.Cwd, name)
}
