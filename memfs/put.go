package memfs

import (
	"context"

	"github.com/toolfs/toolfs/vfs"
)

// put checks and publishes in one step. The caller holds the critical section of the key.
func (f *FS) put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return vfs.Info{}, vfs.Aborted("write", context.Cause(ctx))
	}
	old, err := f.allowed(t, o.If)
	if err != nil {
		return vfs.Info{}, err
	}
	n := f.newFile(data)
	n.unsynced = f.options.NoSync
	if !f.publish(t.Key, n) {
		return vfs.Info{}, failed("write", t, errNotDir)
	}
	done := vfs.Info{Type: vfs.TypeFile, Size: int64(len(data)), Version: n.version,
		Publication: vfs.Publication{Guarantee: vfs.GuaranteeCreated, NotDurable: f.options.NoSync}}
	if old != nil {
		done.Publication.Guarantee, done.Publication.LinkCount = vfs.GuaranteeExchanged, 1
	}
	return done, nil
}

func (f *FS) newFile(data []byte) *node {
	n := &node{kind: vfs.TypeFile, content: string(data)}
	if size := int64(len(data)); size > f.options.MaxGuardedBytes {
		n.version = vfs.UnguardedVersion(size)
	} else {
		n.version = vfs.VersionOf(data)
	}
	return n
}

// allowed gives the file that a put replaces, nil for none, or why it must not take place.
func (f *FS) allowed(t vfs.Target, c vfs.Condition) (*node, error) {
	if !f.serves(t.Key) {
		return nil, f.outside(t.Path)
	}
	want, guarded := c.Version()
	size, unguarded := want.Unguarded()
	if !unguarded {
		size, _, _ = want.Digest()
	}
	old, err := f.root.lookUp(t.Key)
	switch {
	case unguarded || size > f.options.MaxGuardedBytes:
		return nil, vfs.TooLarge("write", t, size, f.options.MaxGuardedBytes)
	case err == errMissing && guarded:
		return nil, vfs.Gone("write", t)
	case err == errMissing:
		return nil, nil
	case err != nil:
		return nil, failed("write", t, err)
	case old.kind != vfs.TypeFile:
		return nil, vfs.NotRegular("write", t)
	case c.Absent():
		return nil, vfs.Exists(t)
	case guarded && old.version != want:
		return nil, vfs.Stale("write", t)
	}
	return old, nil
}

// publish puts a node at a canonical path and makes the directories that are missing;
// false when something else is in the way. The caller holds the lock.
func (f *FS) publish(key string, n *node) bool {
	parents, name := leaf(key)
	if name == "/" {
		return false
	}
	dir := f.root.makeDirs(parents, n.unsynced)
	if dir == nil {
		return false
	}
	if n.unsynced {
		n.before = dir.children[name]
	}
	dir.children[name] = n
	return true
}
