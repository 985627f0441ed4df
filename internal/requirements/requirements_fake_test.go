package requirements_test

import (
	"context"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// journal is what happened, in order. Safe for concurrent use.
type journal struct {
	mu      sync.Mutex
	entries []string
}

func (j *journal) add(entry string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
}

// take gives what was added since the last time.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := strings.Join(j.entries, ", ")
	j.entries = nil
	return all
}

// follow adds the events of a gate.
func (j *journal) follow(g *gate.Gate) {
	g.WriteIntent.Prepend(func(_ context.Context, _ gate.WriteIntent, next func() (vfs.Condition, error)) (vfs.Condition, error) {
		j.add("write-intent")
		return next()
	})
	g.EditIntent.Prepend(func(_ context.Context, _ gate.EditIntent, next func() (vfs.Version, error)) (vfs.Version, error) {
		j.add("edit-intent")
		return next()
	})
	g.Observed.Add(func(e gate.Observed) error {
		if e.Absent {
			j.add("observed absent")
		} else {
			j.add("observed " + string(e.Version))
		}
		return nil
	})
}

// counting is a provider that notes every call of the seam. It has no Unwrap, so that
// nothing gets past it.
type counting struct {
	inner vfs.Provider
	*journal
}

func (c counting) Resolve(ctx context.Context, base, name string) (vfs.Target, error) {
	c.add("resolve")
	return c.inner.Resolve(ctx, base, name)
}

func (c counting) Stat(ctx context.Context, t vfs.Target) (vfs.Info, error) {
	c.add("stat")
	return c.inner.Stat(ctx, t)
}

func (c counting) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	c.add("open")
	return c.inner.Open(ctx, t)
}

func (c counting) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	c.add("readDir")
	return c.inner.ReadDir(ctx, t)
}

func (c counting) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	c.add("put")
	return c.inner.Put(ctx, t, data, o)
}

// writing is a provider with its own primitives for writing and editing text, so that
// what a tool hands to them can be seen.
type writing struct{ counting }

func (w writing) WriteText(ctx context.Context, t vfs.Target, content string, o vfs.WriteOptions) (vfs.WriteOutcome, error) {
	w.add("writeText " + o.If.String())
	return vfs.WriteText(ctx, w.inner, t, content, o)
}

func (w writing) EditText(ctx context.Context, t vfs.Target, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
	w.add("editText " + string(o.If))
	return vfs.EditText(ctx, w.inner, t, e, o)
}

// count puts a journal between the tools and the disk.
func (w *world) count(wrap func(counting) vfs.Provider, change ...func(*toolfs.Options)) *journal {
	w.Helper()
	j := &journal{}
	j.follow(w.gate)
	w.open(append(change, func(o *toolfs.Options) { o.Provider = wrap(counting{w.disk, j}) })...)
	return j
}

func seam(c counting) vfs.Provider       { return c }
func primitives(c counting) vfs.Provider { return writing{c} }

// scripted is a provider that says what a test wants of one file and one directory,
// and holds nothing itself.
type scripted struct {
	journal
	text    string
	size    int64
	entries []vfs.Entry
}

func (s *scripted) Resolve(_ context.Context, base, name string) (vfs.Target, error) {
	s.add("resolve " + name + " from " + base)
	return vfs.Target{Key: name, Path: "/" + name}, nil
}

func (s *scripted) info() vfs.Info { return vfs.Info{Type: vfs.TypeFile, Size: s.size} }

func (s *scripted) Stat(context.Context, vfs.Target) (vfs.Info, error) {
	s.add("stat")
	return s.info(), nil
}

func (s *scripted) Open(context.Context, vfs.Target) (vfs.File, error) {
	s.add("open")
	return scriptedFile{strings.NewReader(s.text), s}, nil
}

func (s *scripted) ReadDir(context.Context, vfs.Target) iter.Seq2[vfs.Entry, error] {
	s.add("readDir")
	return func(yield func(vfs.Entry, error) bool) {
		for _, e := range s.entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *scripted) Put(_ context.Context, _ vfs.Target, data []byte, _ vfs.PutOptions) (vfs.Info, error) {
	s.add("put " + string(data))
	s.text = string(data)
	return vfs.Info{Type: vfs.TypeFile, Size: int64(len(data)), Version: vfs.VersionOf(data)}, nil
}

type scriptedFile struct {
	io.Reader
	s *scripted
}

func (f scriptedFile) Info() vfs.Info { return f.s.info() }
func (scriptedFile) Close() error     { return nil }

// loading is a scripted provider that also gives its text whole.
type loading struct{ *scripted }

func (l loading) ReadText(context.Context, vfs.Target) (string, vfs.Info, error) {
	l.add("readText")
	info := l.info()
	info.Version = vfs.VersionOf([]byte(l.text))
	return l.text, info, nil
}

// resolving is the disk, and notes what its Resolve is given last.
type resolving struct {
	*localfs.FS
	base, name string
	ctx        context.Context
}

func (r *resolving) Resolve(ctx context.Context, base, name string) (vfs.Target, error) {
	r.base, r.name, r.ctx = base, name, ctx
	return r.FS.Resolve(ctx, base, name)
}
