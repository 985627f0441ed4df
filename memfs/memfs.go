// Package memfs is a provider in memory: for the tests of whoever builds on the file
// tools, for throw-away worlds, and for the question what a power cut leaves behind.
//
// It behaves as a disk does. Directories are things of their own: an empty one exists,
// Put makes those that are missing, and they stay when their last file goes. Names are
// byte strings between slashes, symbolic links are followed component by component, and
// the key of a target is its canonical absolute path. There are no modes, no times and
// no hard links.
//
// What the world does to the files behind an agent's back is done with WriteFile,
// Remove, Rename, Symlink and so on; they know no confinement and last at once.
package memfs

import (
	"context"
	"path"
	"sync"
	"sync/atomic"

	"github.com/toolfs/toolfs/internal/keylock"
	"github.com/toolfs/toolfs/vfs"
)

// Options configures a provider. The zero value is useful.
type Options struct {
	// Cwd is the absolute directory that a relative name starts from when the caller
	// gives no base; "" is the first root, or "/" without roots. It confines nothing.
	Cwd string

	// Roots are absolute directories outside of which nothing is served, neither for
	// reading nor for writing, however a path or a link gets there. None: everything
	// is served.
	Roots []string

	// MaxGuardedBytes is the size in bytes up to which content has a version that can
	// authorise a change. Zero or less is vfs.DefaultMaxGuardedBytes.
	MaxGuardedBytes int64

	// OwnVersions makes Stat and Open tell the version. Without it they leave the
	// version to whoever reads the content, as a local disk does.
	OwnVersions bool

	// NoSync makes Put return without waiting for the disk: what it published is there
	// for everyone, but NotDurable, and a crash before the next Sync may lose it. What
	// it replaced is held until then.
	NoSync bool
}

// FS is a provider in memory. Safe for concurrent use.
type FS struct {
	options Options
	locks   keylock.Map
	opened  atomic.Int64

	mu   sync.RWMutex
	root *node // the directory "/"
}

var (
	_ vfs.Provider  = (*FS)(nil)
	_ vfs.Exclusive = (*FS)(nil)
	_ vfs.Lstater   = (*FS)(nil)
	_ vfs.Guard     = (*FS)(nil)
)

// New makes a provider that holds nothing but the directories of its options.
func New(o Options) *FS {
	o.Roots = append([]string(nil), o.Roots...)
	for i, dir := range o.Roots {
		o.Roots[i] = path.Join("/", dir)
	}
	if o.Cwd == "" && len(o.Roots) > 0 {
		o.Cwd = o.Roots[0]
	}
	o.Cwd = path.Join("/", o.Cwd)
	if o.MaxGuardedBytes <= 0 {
		o.MaxGuardedBytes = vfs.DefaultMaxGuardedBytes
	}
	f := &FS{options: o, root: newDir()}
	for _, dir := range append(o.Roots, o.Cwd) {
		f.root.makeDirs(split(dir), false)
	}
	return f
}

// MaxGuardedBytes implements vfs.Guard.
func (f *FS) MaxGuardedBytes() int64 { return f.options.MaxGuardedBytes }

// OpenFiles is how many files are open that were not closed yet.
func (f *FS) OpenFiles() int { return int(f.opened.Load()) }

// Exclusive implements vfs.Exclusive: one critical section per file identity, first
// come first served.
func (f *FS) Exclusive(ctx context.Context, t vfs.Target) (vfs.Provider, func(), error) {
	unlock, err := f.locks.Lock(ctx, t.Key)
	if err != nil {
		return nil, nil, vfs.Aborted("write", err)
	}
	return held{f, t.Key}, unlock, nil
}

// held is an FS in the critical section of one key.
type held struct {
	*FS
	key string
}

// Put implements vfs.Provider within the critical section.
func (h held) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	if t.Key != h.key {
		return h.FS.Put(ctx, t, data, o)
	}
	return h.put(ctx, t, data, o)
}

// Put implements vfs.Provider. It holds nothing of data afterwards.
func (f *FS) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	unlock, err := f.locks.Lock(ctx, t.Key)
	if err != nil {
		return vfs.Info{}, vfs.Aborted("write", err)
	}
	defer unlock()
	return f.put(ctx, t, data, o)
}
