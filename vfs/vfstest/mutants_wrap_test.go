package vfstest_test

import (
	"context"
	"net/url"
	"strings"
	"sync"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

// section is a provider with exclusive sections: one lock for all keys, which waits as
// long as patient says.
type section struct {
	*broken
	lock    chan struct{}
	patient func(ctx context.Context) <-chan struct{} // what ends a wait
	held    func(s section) vfs.Provider
}

func newSection(b *broken) section {
	return section{broken: b, lock: make(chan struct{}, 1), patient: context.Context.Done, held: func(s section) vfs.Provider { return s.broken }}
}

func (s section) take(ctx context.Context) error {
	if ctx.Err() != nil {
		return vfs.Aborted("write", context.Cause(ctx))
	}
	select {
	case s.lock <- struct{}{}:
		return nil
	case <-s.patient(ctx):
		return vfs.Aborted("write", context.Cause(ctx))
	}
}

func (s section) Exclusive(ctx context.Context, _ vfs.Target) (vfs.Provider, func(), error) {
	if err := s.take(ctx); err != nil {
		return nil, nil, err
	}
	return s.held(s), sync.OnceFunc(func() { <-s.lock }), nil
}

func (s section) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	if err := s.take(ctx); err != nil {
		return vfs.Info{}, err
	}
	defer func() { <-s.lock }()
	return s.broken.Put(ctx, t, data, o)
}

type unwrapping struct {
	*broken
	inner vfs.Provider
}

func (u unwrapping) Unwrap() vfs.Provider { return u.inner }

type containing struct{ *broken }

func (containing) Contains(parent, child vfs.Target) bool {
	return strings.HasPrefix(child.Key, parent.Key)
}

type located struct{ *broken }

func (located) ProcessPath(t vfs.Target) (string, error) {
	return (&url.URL{Path: t.Key}).EscapedPath(), nil
}

func wrapMutants() []mutant {
	return []mutant{
		{name: "leaves a goroutine", kills: []string{"Leak/goroutines"}, blocks: true, breaks: func(b *broken) vfs.Provider {
			b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
				go func() { <-b.ctx.Done() }()
				return b.fs.Stat(ctx, t)
			}
			return nil
		}},
		{name: "does not close its files", kills: []string{"Leak/handles"}, breaks: onOpen(func(_ *broken, _ vfs.Target, f vfs.File) vfs.File { return unclosed{f} })},
		{name: "keeps the lock when a Put fails", kills: []string{"Leak/locks"}, blocks: true, breaks: func(b *broken) vfs.Provider {
			lock := make(chan struct{}, 1)
			return onPut(func(b *broken, next putFunc) putFunc {
				return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
					select {
					case lock <- struct{}{}:
					case <-b.ctx.Done():
						return vfs.Info{}, vfs.Aborted("write", b.ctx.Err())
					}
					info, err := next(ctx, t, data, o)
					if err == nil {
						<-lock
					}
					return info, err
				}
			})(b)
		}},
		{name: "gives away what it confines", kills: []string{"Wrap/sealed"}, breaks: func(b *broken) vfs.Provider {
			free := memfs.New(memfs.Options{})
			write := b.world.Write
			b.world.Write = func(name, content string) error {
				free.WriteFile(name, content)
				return write(name, content)
			}
			return unwrapping{b, struct{ vfs.Provider }{free}}
		}},
		{name: "WriteText ignores the limit of the old text", kills: []string{"Wrap/same-by-composition"}, breaks: onWrite(func(_ *broken, _ vfs.Target, content string, o vfs.WriteOptions, next nextWrite) (vfs.WriteOutcome, error) {
			o.DiffBasisMaxBytes = 0
			return next(content, o)
		})},
		{name: "contains by a prefix of the text", kills: []string{"Wrap/contains"}, breaks: func(b *broken) vfs.Provider { return containing{b} }},
		{name: "escapes the path for processes", kills: []string{"Wrap/process-path"}, breaks: func(b *broken) vfs.Provider { return located{b} }},
		{name: "its exclusive section excludes nobody", kills: []string{"Wrap/exclusive"}, blocks: true, breaks: func(b *broken) vfs.Provider {
			return open{b}
		}},
		{name: "what is held can change nothing else", kills: []string{"Wrap/exclusive-is-whole"}, blocks: true, breaks: func(b *broken) vfs.Provider {
			s := newSection(b)
			s.held = func(s section) vfs.Provider { return s }
			s.patient = func(context.Context) <-chan struct{} { return b.ctx.Done() }
			return s
		}},
		{name: "whoever waits cannot be cancelled", kills: []string{"Cancel/while-waiting"}, blocks: true, breaks: func(b *broken) vfs.Provider {
			s := newSection(b)
			s.patient = func(context.Context) <-chan struct{} { return b.ctx.Done() }
			return s
		}},
	}
}

// open has exclusive sections in name only.
type open struct{ *broken }

func (o open) Put(ctx context.Context, t vfs.Target, data []byte, p vfs.PutOptions) (vfs.Info, error) {
	o.events.Add(1)
	return o.broken.Put(ctx, t, data, p)
}

func (o open) Exclusive(context.Context, vfs.Target) (vfs.Provider, func(), error) {
	return slow(o), func() {}, nil
}

// slow lets others go ahead after a Put.
type slow struct{ *broken }

func (s slow) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	info, err := s.broken.Put(ctx, t, data, o)
	s.pause()
	return info, err
}
