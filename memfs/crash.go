package memfs

import "path"

// Sync makes everything that was published durable, as waiting for the disk does.
func (f *FS) Sync() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.root.sync()
}

func (n *node) sync() {
	if n.unsynced { // a clone may share the others
		n.unsynced, n.before = false, nil
	}
	for _, child := range n.children {
		child.sync()
	}
}

// CrashClone is what is found after a power cut at this moment: another FS, with no
// file open and no lock held, that holds everything durable. Whether a publication that
// was not synced (Options.NoSync) survived, keep decides: it is asked for the file's
// path, in the order of the paths, and for several publications of one file from the
// newest to the oldest until one is kept. A nil keep loses them all. What survives is
// whole, since Put publishes whole files. f goes on unchanged.
func (f *FS) CrashClone(keep func(name string) bool) *FS {
	if keep == nil {
		keep = func(string) bool { return false }
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return &FS{options: f.options, root: f.root.survivor("/", keep)}
}

// survivor copies what a crash leaves of n; nil for nothing.
func (n *node) survivor(at string, keep func(string) bool) *node {
	if n.children == nil {
		for n != nil && n.unsynced && !keep(at) {
			n = n.before
		}
		if n == nil || !n.unsynced {
			return n
		}
		return &node{kind: n.kind, content: n.content, version: n.version}
	}
	left := newDir()
	for _, name := range n.sorted() {
		if child := n.children[name].survivor(path.Join(at, name), keep); child != nil {
			left.children[name] = child
		}
	}
	if n.unsynced && len(left.children) == 0 {
		return nil
	}
	return left
}
