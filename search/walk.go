package search

import (
	"context"
	"sync/atomic"

	"github.com/toolfs/toolfs/vfs"
)

// walker walks a tree in the order of its paths, name by name. One goroutine walks; what
// it finds may be used by others.
type walker struct {
	ctx      context.Context // ends with the caller's, or when enough was found
	stop     context.CancelCauseFunc
	provider vfs.Provider
	counts   counts
	seen     *atomic.Int64 // names that were looked at, for somebody who waits

	// enter is asked whether a directory is walked; files gets some files of one
	// directory, in order.
	enter func(at place, name string) bool
	wants func(at place, name string) bool
	files func(d *openDir, at place, names []string)
	rules *rules // nil: nothing is ignored
	sieve Sieve  // nil: every file is read
}

// place is a directory of a walk.
type place struct {
	path  string // from where the search starts, "" for there
	depth int    // components of path
	rules *layers
}

func (p place) child(name string) string {
	if p.path == "" {
		return name
	}
	return p.path + "/" + name
}

func newWalker(ctx context.Context, p vfs.Provider, seen *atomic.Int64) *walker {
	if seen == nil {
		seen = &atomic.Int64{}
	}
	w := &walker{provider: p, seen: seen}
	w.ctx, w.stop = context.WithCancelCause(ctx)
	return w
}

func (w *walker) cancel() { w.stop(nil) }

// enough ends the search because nobody wants more.
func (w *walker) enough() { w.stop(errEnough) }

func (w *walker) ended() bool { return w.ctx.Err() != nil }

// openDir is an open directory that is closed when the last one who needs it has let go.
type openDir struct {
	vfs.Dir
	users atomic.Int32
}

func opened(d vfs.Dir) *openDir {
	o := &openDir{Dir: d}
	o.users.Store(1)
	return o
}

func (o *openDir) keep() { o.users.Add(1) }

func (o *openDir) release() {
	if o.users.Add(-1) == 0 {
		o.Close()
	}
}

// batchSize is how many files are handed on at once: few enough that the work spreads.
const batchSize = 32

// walk walks a directory, and releases it.
func (w *walker) walk(d *openDir, at place) {
	defer d.release()
	list, err := w.list(d)
	if err != nil {
		w.counts.failed(at.path, err)
	}
	if w.rules != nil {
		at.rules = w.rules.enter(w, d, at, list)
	}
	var batch []string
	flush := func() {
		if len(batch) > 0 {
			w.files(d, at, batch)
			batch = nil
		}
	}
	for i := range list.refs {
		if w.ended() {
			return
		}
		switch name, kind := list.at(i); kind {
		case isFile:
			if !w.wants(at, name) {
				continue
			}
			if batch = append(batch, name); len(batch) == batchSize {
				flush()
			}
		case isDir:
			if !w.enter(at, name) {
				continue
			}
			flush()
			w.descend(d, at, name)
		}
	}
	flush()
}

func (w *walker) descend(d *openDir, at place, name string) {
	child, err := d.OpenDir(w.ctx, name)
	if err != nil {
		w.counts.failed(at.child(name), err)
		return
	}
	w.walk(opened(child), place{path: at.child(name), depth: at.depth + 1, rules: at.rules})
}

// list reads the names of a directory, in order. It gives what it could read.
func (w *walker) list(d *openDir) (*listing, error) {
	list := &listing{}
	err := d.Each(w.ctx, func(name []byte, t vfs.Type) bool {
		list.add(name, t)
		return len(list.refs)%1024 != 0 || !w.ended()
	})
	if keeps, ok := d.Dir.(vfs.WithholdingDir); ok {
		w.counts.withheld.Add(int64(keeps.Withheld()))
	}
	w.seen.Add(int64(len(list.refs)))
	list.sort()
	return list, err
}
