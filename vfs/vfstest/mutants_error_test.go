package vfstest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/toolfs/toolfs/vfs"
)

// onErrors changes the errors of Stat, Open, ReadDir and Put.
func onErrors(change func(t vfs.Target, err *vfs.Error) error) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		worse := func(t vfs.Target, err error) error {
			if e, ok := errors.AsType[*vfs.Error](err); ok {
				return change(t, e)
			}
			return err
		}
		b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
			info, err := b.fs.Stat(ctx, t)
			return info, worse(t, err)
		}
		b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
			f, err := b.fs.Open(ctx, t)
			return f, worse(t, err)
		}
		b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
			info, err := b.fs.Put(ctx, t, data, o)
			return info, worse(t, err)
		}
		b.list = func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
			return func(yield func(vfs.Entry, error) bool) {
				for e, err := range b.fs.ReadDir(ctx, t) {
					if !yield(e, worse(t, err)) {
						return
					}
				}
			}
		}
		return nil
	}
}

func errorMutants() []mutant {
	return []mutant{
		{name: "an error of the system as it came", kills: []string{"Errors/coded"}, breaks: onErrors(func(t vfs.Target, e *vfs.Error) error {
			if e.Code == vfs.CodeNotFound {
				return &fs.PathError{Op: "open", Path: t.Path, Err: fs.ErrNotExist}
			}
			return e
		})},
		{name: "wraps an error in words of its own", kills: []string{"Errors/coded"}, breaks: onErrors(func(_ vfs.Target, e *vfs.Error) error {
			return fmt.Errorf("provider: %w", e)
		})},
		{name: "a code of its own", kills: []string{"Errors/coded"}, breaks: onErrors(func(_ vfs.Target, e *vfs.Error) error {
			c := *e
			if c.Code == vfs.CodeNotRegularFile {
				c.Code = "FS_IS_DIRECTORY"
			}
			return &c
		})},
		{name: "words of its own", kills: []string{"Errors/texts"}, breaks: onErrors(func(_ vfs.Target, e *vfs.Error) error {
			c := *e
			if c.Code == vfs.CodeNotFound {
				c.Msg = "no such file or directory"
			}
			return &c
		})},
		{name: "shows inner paths", kills: []string{"Errors/no-inner-path"}, breaks: onErrors(func(t vfs.Target, e *vfs.Error) error {
			c := *e
			c.Path = t.Key
			return &c
		})},
		{name: "puts names into its messages", kills: []string{"Errors/unforgeable"}, breaks: onErrors(func(t vfs.Target, e *vfs.Error) error {
			c := *e
			c.Msg += " (" + t.Path + ")"
			return &c
		})},
	}
}

// deaf is a context that is never cancelled.
func deaf(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

func cancelMutants() []mutant {
	return []mutant{
		{name: "Resolve ignores the context", kills: []string{"Cancel/resolve", "Cancel/cause"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				return b.fs.Resolve(deaf(ctx), base, name)
			}
			return nil
		}},
		{name: "Stat ignores the context", kills: []string{"Cancel/stat"}, breaks: func(b *broken) vfs.Provider {
			b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) { return b.fs.Stat(deaf(ctx), t) }
			return nil
		}},
		{name: "Open ignores the context", kills: []string{"Cancel/open"}, breaks: func(b *broken) vfs.Provider {
			b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) { return b.fs.Open(deaf(ctx), t) }
			return nil
		}},
		{name: "ReadDir ignores the context", kills: []string{"Cancel/list", "Cancel/while-listing"}, breaks: func(b *broken) vfs.Provider {
			b.list = func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] { return b.fs.ReadDir(deaf(ctx), t) }
			return nil
		}},
		{name: "ReadDir looks at the context when it begins", kills: []string{"Cancel/while-listing"}, breaks: func(b *broken) vfs.Provider {
			b.list = func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
				if ctx.Err() != nil {
					return b.fs.ReadDir(ctx, t)
				}
				return b.fs.ReadDir(deaf(ctx), t)
			}
			return nil
		}},
		{name: "Put ignores the context", kills: []string{"Cancel/put"}, breaks: func(b *broken) vfs.Provider {
			b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				return b.fs.Put(deaf(ctx), t, data, o)
			}
			return nil
		}},
		{name: "a cancelled Put has written", kills: []string{"Cancel/put", "Put/no-parents-left"}, breaks: func(b *broken) vfs.Provider {
			b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				info, err := b.fs.Put(deaf(ctx), t, data, o)
				if ctx.Err() != nil {
					err = vfs.Aborted("write", context.Cause(ctx))
				}
				return info, err
			}
			return nil
		}},
		{name: "loses the cause of a cancellation", kills: []string{"Cancel/cause"}, breaks: onErrors(func(_ vfs.Target, e *vfs.Error) error {
			if e.Code == vfs.CodeAborted {
				return &vfs.Error{Code: e.Code, Msg: e.Msg, Err: context.Canceled}
			}
			return e
		})},
	}
}
