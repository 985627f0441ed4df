// Package localfs is the provider for the local disk: Host serves the whole machine,
// Root only what lies below given directories.
//
// A target's key is the canonical path that its name resolved to. That path is a
// hint: every operation opens it anew without following a single link (for Root from
// the open root directory, which the kernel does not let it leave) and then works on
// what it opened, so nothing is checked first and used later.
//
// The package knows the seam and nothing above it. Contract section 8.
package localfs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/toolfs/toolfs/internal/keylock"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// Options configures a provider. The zero value is useful.
type Options struct {
	// Cwd is the directory that a relative name starts from when the caller gives
	// no base; "" is the process's working directory for Host, the first root for
	// Root. It confines nothing.
	Cwd string

	// MaxGuardedBytes is the size in bytes up to which content is hashed into a
	// version that can authorise a change; above it, guarded writes and edits are
	// FS_TOO_LARGE. Zero is vfs.DefaultMaxGuardedBytes.
	MaxGuardedBytes int64

	// StateDir is where the old content of a file is kept while it is rewritten in
	// place, because it cannot be replaced. It is made when it is first needed; "" is
	// toolfs in the user's state directory. What a killed process left there is
	// undone when a provider that serves the file is made.
	StateDir string

	// Encoding says in what encoding text files without a byte order mark are, by any
	// name that the WHATWG's Encoding Standard has for it, such as "windows-1252",
	// "shift_jis" or "gb18030"; "" is UTF-8. It holds for every file without a mark,
	// and for new ones: nothing is concluded from what a file holds, so a file that is
	// UTF-8 without a mark is read as this encoding too, and is FS_NOT_TEXT or full of
	// wrong characters. Set it for trees that are in this encoding, all of them; pure
	// ASCII is the same in all but utf-16le and utf-16be. Files with a mark are UTF-8
	// or UTF-16, as it says. iso-2022-jp and replacement are not supported.
	Encoding string

	// Deny are patterns, as in an ignore file of git, of what the tools must neither see
	// nor change: below the roots, or as absolute paths. Nothing makes an exception
	// from them, and what a pattern without wildcards names by its path is withheld
	// under its other hard links too. What is withheld is FS_PERMISSION_DENIED, whether it exists or not, and
	// left out of listings, which Withheld counts.
	Deny []string

	// IgnoreFile is the name of files with such patterns, which hold for the directory
	// that they lie in and below; the nearest decides. "" reads none. One that cannot
	// be read withholds its whole directory.
	IgnoreFile string

	// Sandbox makes the provider confine what may be changed; nil leaves that to the
	// roots alone.
	Sandbox *Sandbox

	// Ripgrep is the absolute path of ripgrep, a search program, "" for none. It is asked
	// which files a content search need not read, wherever it can say (Linux only); the
	// results are the same, and seldom there sooner. It may read what is withheld, of which nothing is shown.
	// Nothing else is ever executed.
	Ripgrep string

	// NoSync publishes without waiting for the disk: faster, and what was written
	// last may be lost by a power cut. For tests and throw-away trees.
	NoSync bool
}

// FS is a provider for the local disk. Safe for concurrent use.
type FS struct {
	options  Options
	roots    []*root      // none: the whole machine
	fence    *fence       // nil: nothing is fenced
	withhold *withholding // nil: nothing is withheld
	locks    keylock.Map
	stalls   stalls
	system
}

// Host serves every file that the process may reach.
func Host(o Options) (*FS, error) { return newFS(nil, o) }

// Root serves only what lies below dirs, for reading and for writing, however a path
// or a link gets there. Each must be an existing directory. Names relative to no base
// start from the first one. Close releases the directories.
func Root(dirs []string, o Options) (*FS, error) {
	if len(dirs) == 0 {
		return nil, fmt.Errorf("localfs: Root needs at least one directory")
	}
	return newFS(dirs, o)
}

func newFS(dirs []string, o Options) (*FS, error) {
	if err := checkRipgrep(o.Ripgrep); err != nil {
		return nil, err
	}
	if o.MaxGuardedBytes < 0 {
		return nil, fmt.Errorf("localfs: MaxGuardedBytes must not be negative")
	}
	if o.MaxGuardedBytes == 0 {
		o.MaxGuardedBytes = vfs.DefaultMaxGuardedBytes
	}
	encoding, err := textenc.Lookup(o.Encoding)
	if err != nil {
		return nil, fmt.Errorf("localfs: %w", err)
	}
	o.Encoding = encoding.Name()
	withhold, err := newWithholding(o.IgnoreFile, o.Deny)
	if err != nil {
		return nil, fmt.Errorf("localfs: %w", err)
	}
	f := &FS{options: o, withhold: withhold, system: newSystem(o)}
	for _, dir := range dirs {
		r, err := f.openRoot(dir)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("localfs: cannot serve %q: %w", dir, err)
		}
		f.roots = append(f.roots, r)
	}
	if err := f.setCwd(); err != nil {
		f.Close()
		return nil, err
	}
	if o.Sandbox != nil {
		if f.fence, err = newFence(*o.Sandbox, f.options.Cwd, StateDir(o.StateDir), o.IgnoreFile); err != nil {
			f.Close()
			return nil, fmt.Errorf("localfs: %w", err)
		}
	}
	f.start()
	return f, nil
}

func (f *FS) setCwd() error {
	if f.options.Cwd == "" && len(f.roots) > 0 {
		f.options.Cwd = f.roots[0].path
	}
	cwd, err := filepath.Abs(f.options.Cwd)
	f.options.Cwd = cwd
	return err
}

// Cwd is the absolute directory that relative names start from.
func (f *FS) Cwd() string { return f.options.Cwd }

// Roots gives the canonical paths of the directories served; none means the whole
// machine.
func (f *FS) Roots() []string {
	paths := make([]string, len(f.roots))
	for i, r := range f.roots {
		paths[i] = r.path
	}
	return paths
}

// Close releases the root directories. No call may be running. One that was left behind
// on a file system that does not answer keeps them open: it may still come back to them.
func (f *FS) Close() error {
	if f.stalls.any.Load() > 0 {
		return nil
	}
	for _, r := range f.roots {
		r.close()
	}
	f.system.close()
	return nil
}

// MaxGuardedBytes implements vfs.Guard.
func (f *FS) MaxGuardedBytes() int64 { return f.options.MaxGuardedBytes }

// TextEncoding implements vfs.Encoded.
func (f *FS) TextEncoding() string { return f.options.Encoding }

// ProcessPath implements vfs.Locator.
func (f *FS) ProcessPath(t vfs.Target) (string, error) { return t.Key, nil }

// Contains implements vfs.Container.
func (f *FS) Contains(parent, child vfs.Target) bool { return within(parent.Key, child.Key) }

// within reports whether path is dir or lies below it; both are canonical.
func within(dir, path string) bool {
	if dir == path {
		return true
	}
	sep := string(os.PathSeparator)
	return strings.HasPrefix(path, strings.TrimSuffix(dir, sep)+sep)
}

// held is an FS in the critical section of one key, which lasts until it is released
// and every publication in it is over.
type held struct {
	*FS
	key    string
	unlock func()

	mu       sync.Mutex
	pending  int
	released bool
}

// Put implements vfs.Provider within the critical section.
func (h *held) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	if t.Key != h.key {
		return h.FS.Put(ctx, t, data, o)
	}
	return h.publish(ctx, t, func() (vfs.Info, error) { return h.put(ctx, t, data, o) })
}

// publish runs a publication of the key's file within the critical section.
func (h *held) publish(ctx context.Context, t vfs.Target, put func() (vfs.Info, error)) (vfs.Info, error) {
	h.mu.Lock()
	h.pending++
	h.mu.Unlock()
	return h.putPatiently(ctx, t, func() { h.leave(-1) }, put)
}

func (h *held) release() {
	h.mu.Lock()
	h.released = true
	h.mu.Unlock()
	h.leave(0)
}

// leave gives the section up once nobody needs it.
func (h *held) leave(change int) {
	h.mu.Lock()
	h.pending += change
	over := h.released && h.pending == 0
	h.mu.Unlock()
	if over {
		h.unlock()
	}
}
