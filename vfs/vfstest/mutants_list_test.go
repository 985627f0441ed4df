package vfstest_test

import (
	"context"
	"iter"
	"net/url"
	"path"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

// onEntries changes the whole list of a sound ReadDir.
func onEntries(change func(b *broken, t vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error)) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.list = func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
			return func(yield func(vfs.Entry, error) bool) {
				var entries []vfs.Entry
				var failed error
				for e, err := range b.fs.ReadDir(ctx, t) {
					if failed = err; err == nil {
						entries = append(entries, e)
					}
				}
				entries, failed = change(b, t, entries, failed)
				for _, e := range entries {
					if ctx.Err() == nil && !yield(e, nil) {
						return
					}
				}
				if ctx.Err() != nil {
					failed = vfs.Aborted("list", context.Cause(ctx))
				}
				if failed != nil {
					yield(vfs.Entry{}, failed)
				}
			}
		}
		return nil
	}
}

// onNames changes every name that Resolve is asked for.
func onNames(change func(string) string) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
			return b.fs.Resolve(ctx, base, change(name))
		}
		return nil
	}
}

func listMutants() []mutant {
	return []mutant{
		{name: "lists the first twice", kills: []string{"List/children", "List/many"}, breaks: onEntries(func(_ *broken, _ vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			if len(entries) > 0 {
				entries = append(entries, entries[0])
			}
			return entries, err
		})},
		{name: "hides what begins with a dot", kills: []string{"List/children"}, breaks: onEntries(func(_ *broken, _ vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			var shown []vfs.Entry
			for _, e := range entries {
				if !strings.HasPrefix(e.Name, ".") {
					shown = append(shown, e)
				}
			}
			return shown, err
		})},
		{name: "lists grandchildren", kills: []string{"List/children"}, breaks: onEntries(func(b *broken, t vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			all := entries
			for _, e := range entries {
				if e.Type == vfs.TypeDirectory {
					for below, err := range b.fs.ReadDir(b.ctx, vfs.Target{Key: path.Join(t.Key, e.Name)}) {
						if err == nil {
							all = append(all, vfs.Entry{Name: e.Name + "/" + below.Name, Type: below.Type})
						}
					}
				}
			}
			return all, err
		})},
		{name: "an empty directory is missing", kills: []string{"List/empty"}, breaks: onEntries(func(_ *broken, t vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			if len(entries) == 0 && err == nil {
				err = vfs.NotFound("list", t)
			}
			return entries, err
		})},
		{name: "lists one page", kills: []string{"List/many"}, breaks: onEntries(func(_ *broken, _ vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			return entries[:min(len(entries), 1000)], err
		})},
		{name: "a missing directory is empty", kills: []string{"List/missing"}, breaks: onEntries(func(_ *broken, _ vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			if missing(err) {
				err = nil
			}
			return entries, err
		})},
		{name: "says twice that it is missing", kills: []string{"List/missing"}, breaks: func(b *broken) vfs.Provider {
			b.list = func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
				return func(yield func(vfs.Entry, error) bool) {
					for e, err := range b.fs.ReadDir(ctx, t) {
						if !yield(e, err) || missing(err) && !yield(e, err) {
							return
						}
					}
				}
			}
			return nil
		}},
		{name: "lists a file as itself", kills: []string{"List/file"}, breaks: onEntries(func(b *broken, t vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			if b.isFile(t.Key) {
				return []vfs.Entry{{Name: path.Base(t.Key), Type: vfs.TypeFile}}, nil
			}
			return entries, err
		})},
		{name: "a broken link fails the listing", kills: []string{"List/links"}, breaks: onEntries(func(b *broken, t vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			for _, e := range entries {
				if _, serr := b.fs.ReadFile(path.Join(t.Key, e.Name)); missing(serr) {
					return nil, serr
				}
			}
			return entries, err
		})},
		{name: "leaves out broken links", kills: []string{"List/links"}, breaks: onEntries(func(_ *broken, _ vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			var shown []vfs.Entry
			for _, e := range entries {
				if e.Type != vfs.TypeOther {
					shown = append(shown, e)
				}
			}
			return shown, err
		})},
		{name: "opens what it lists", kills: []string{"List/special"}, blocks: true, breaks: onEntries(func(b *broken, t vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			for _, e := range entries {
				child := path.Join(t.Key, e.Name)
				if info, serr := b.fs.Stat(b.ctx, vfs.Target{Key: child}); serr == nil && info.Type == vfs.TypeOther {
					<-b.ctx.Done() // the other end of the FIFO never comes
				}
			}
			return entries, err
		})},
		{name: "lists on when told to stop", kills: []string{"List/stop"}, breaks: func(b *broken) vfs.Provider {
			b.list = func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
				return func(yield func(vfs.Entry, error) bool) {
					b.fs.ReadDir(ctx, t)(func(e vfs.Entry, err error) bool {
						yield(e, err)
						return true
					})
				}
			}
			return nil
		}},
		{name: "holds its lock while it lists", kills: []string{"List/calls-in-between"}, blocks: true, breaks: func(b *broken) vfs.Provider {
			lock := make(chan struct{}, 1)
			b.list = func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
				return func(yield func(vfs.Entry, error) bool) {
					lock <- struct{}{}
					defer func() { <-lock }()
					b.fs.ReadDir(ctx, t)(yield)
				}
			}
			return onPut(func(b *broken, next putFunc) putFunc {
				return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
					select {
					case lock <- struct{}{}:
						defer func() { <-lock }()
						return next(ctx, t, data, o)
					case <-b.ctx.Done():
						return vfs.Info{}, vfs.Aborted("write", b.ctx.Err())
					}
				}
			})(b)
		}},
	}
}

func nameMutants() []mutant {
	return []mutant{
		{name: "decodes names as in a URL", kills: []string{"Names/plain"}, breaks: onNames(func(name string) string {
			if plain, err := url.PathUnescape(name); err == nil {
				return plain
			}
			return name
		})},
		{name: "trims names", kills: []string{"Names/plain"}, breaks: onNames(func(name string) string {
			if trimmed := strings.TrimSpace(name); trimmed != "" {
				return trimmed
			}
			return name
		})},
		{name: "cuts names at what is no UTF-8", kills: []string{"Names/any-bytes"}, breaks: onEntries(func(_ *broken, _ vfs.Target, entries []vfs.Entry, err error) ([]vfs.Entry, error) {
			for i, e := range entries {
				entries[i].Name = strings.ToValidUTF8(e.Name, "")
			}
			return entries, err
		})},
		{name: "composes Unicode", kills: []string{"Names/no-folding"}, breaks: onNames(func(name string) string { return strings.ReplaceAll(name, "e\u0301", "\u00e9") })},
		{name: "folds case", kills: []string{"Names/case"}, breaks: onNames(strings.ToLower)},
		{name: "needs room for a temporary name", kills: []string{"Names/long"}, breaks: onPut(func(_ *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if len(path.Base(t.Key)) > 251 {
					return vfs.Info{}, failure("write", t, vfs.CodeIOError, "file name too long")
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "cuts names at NUL", kills: []string{"Names/nul"}, breaks: onNames(func(name string) string {
			cut, _, _ := strings.Cut(name, "\x00")
			return cut
		})},
	}
}
