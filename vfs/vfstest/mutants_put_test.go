package vfstest_test

import (
	"bytes"
	"context"
	"path"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

type putFunc func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error)

// onPut replaces Put.
func onPut(put func(b *broken, next putFunc) putFunc) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.put = put(b, b.fs.Put)
		return nil
	}
}

// onCondition changes the condition before a sound Put.
func onCondition(change func(*broken, vfs.Target, vfs.Condition) vfs.Condition) func(*broken) vfs.Provider {
	return onPut(func(b *broken, next putFunc) putFunc {
		return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
			o.If = change(b, t, o.If)
			return next(ctx, t, data, o)
		}
	})
}

// now is the condition that a file is as it is.
func (b *broken) now(t vfs.Target) vfs.Condition {
	return vfs.IfVersion(vfs.VersionOf([]byte(b.content(t.Key))))
}

func putMutants() []mutant {
	return []mutant{
		{name: "without a condition it only creates", kills: []string{"Put/unconditional"}, breaks: onCondition(func(_ *broken, _ vfs.Target, c vfs.Condition) vfs.Condition {
			if c.Always() {
				return vfs.IfAbsent()
			}
			return c
		})},
		{name: "IfAbsent makes no directories", kills: []string{"Put/absent-creates", "Put/one-tree"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if o.If.Absent() && !b.exists(path.Dir(t.Key)) {
					return vfs.Info{}, vfs.NotFound("write", t)
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "IfAbsent overwrites", kills: []string{"Put/absent-refuses", "Stale/outside-create", "Put/one-creator"}, breaks: onCondition(func(_ *broken, _ vfs.Target, c vfs.Condition) vfs.Condition {
			if c.Absent() {
				return vfs.Condition{}
			}
			return c
		})},
		{name: "an existing file is another error", kills: []string{"Put/absent-refuses"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				info, err := next(ctx, t, data, o)
				if vfs.CodeOf(err) == vfs.CodeNotObserved {
					err = failure("write", t, vfs.CodeIOError, "file exists")
				}
				return info, err
			}
		})},
		{name: "an empty file counts as none", kills: []string{"Put/version-replaces"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if _, guarded := o.If.Version(); guarded && b.content(t.Key) == "" {
					return vfs.Info{}, vfs.Gone("write", t)
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "ignores the version", kills: []string{"Put/version-refuses", "Stale/outside-write", "Stale/same-size", "Put/one-replacer"}, breaks: onCondition(func(b *broken, t vfs.Target, c vfs.Condition) vfs.Condition {
			if v, guarded := c.Version(); guarded && b.isFile(t.Key) {
				if _, unguarded := v.Unguarded(); !unguarded {
					return b.now(t)
				}
			}
			return c
		})},
		{name: "IfVersion creates", kills: []string{"Put/version-of-nothing", "Stale/outside-remove", "Put/no-parents-left"}, breaks: onCondition(func(b *broken, t vfs.Target, c vfs.Condition) vfs.Condition {
			if _, guarded := c.Version(); guarded && !b.exists(t.Key) {
				return vfs.IfAbsent()
			}
			return c
		})},
		{name: "a size is enough of a version", kills: []string{"Put/unverifiable", "Text/write-conditions"}, breaks: func(b *broken) vfs.Provider {
			onCondition(func(b *broken, t vfs.Target, c vfs.Condition) vfs.Condition {
				v, _ := c.Version()
				if size, unguarded := v.Unguarded(); unguarded && size == int64(len(b.content(t.Key))) {
					return b.now(t)
				}
				return c
			})(b)
			return ownTextWriter{b, func(ctx context.Context, t vfs.Target, content string, o vfs.WriteOptions) (vfs.WriteOutcome, error) {
				info, err := b.Put(ctx, t, []byte(content), vfs.PutOptions{If: o.If})
				return vfs.WriteOutcome{Operation: vfs.Updated, Info: info, After: content}, err
			}}
		}},
		{name: "the guard limit is not kept", kills: []string{"Put/above-the-guard-limit"}, options: memfs.Options{Cwd: "/ws", OwnVersions: true}, breaks: func(b *broken) vfs.Provider {
			b.limit = guardLimit
			return nil
		}},
		{name: "replaces a directory", kills: []string{"Put/directory"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if b.isDir(t.Key) && o.If.Always() && t.Key != "/ws" {
					b.fs.Remove(t.Key)
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "replaces a FIFO", kills: []string{"Put/special"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if b.exists(t.Key) && !b.isDir(t.Key) && !b.isFile(t.Key) {
					b.fs.Remove(t.Key)
				}
				return next(ctx, t, data, o)
			}
		})},
	}
}

// onOutcome changes what a sound Put returns.
func onOutcome(change func(b *broken, before string, info vfs.Info) vfs.Info) func(*broken) vfs.Provider {
	return onPut(func(b *broken, next putFunc) putFunc {
		return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
			before := b.content(t.Key)
			info, err := next(ctx, t, data, o)
			if err != nil {
				return info, err
			}
			return change(b, before, info), nil
		}
	})
}

func publishMutants() []mutant {
	return []mutant{
		{name: "returns the version from before", kills: []string{"Put/outcome", "Stale/own-put-is-fresh", "Edit/outcome"}, breaks: onOutcome(func(_ *broken, before string, i vfs.Info) vfs.Info {
			i.Version = vfs.VersionOf([]byte(before))
			return i
		})},
		{name: "claims to have created what it replaced", kills: []string{"Put/outcome"}, breaks: onOutcome(func(_ *broken, _ string, i vfs.Info) vfs.Info {
			i.Publication.Guarantee = vfs.GuaranteeCreated
			return i
		})},
		{name: "vouches for more than the guard limit", kills: []string{"Put/outcome-at-the-limit"}, breaks: onPut(func(_ *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				info, err := next(ctx, t, data, o)
				if err == nil {
					info.Version = vfs.VersionOf(data)
				}
				return info, err
			}
		})},
		{name: "claims that it is durable", kills: []string{"Put/durable"}, breaks: onOutcome(func(_ *broken, _ string, i vfs.Info) vfs.Info {
			i.Publication.NotDurable = false
			return i
		})},
		{name: "ends the file with a newline", kills: []string{"Put/exact-bytes", "Text/write-exact"}, breaks: onPut(func(_ *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
					data = append(bytes.Clone(data), '\n')
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "uses the caller's data as a buffer", kills: []string{"Put/data-stays-the-callers"}, breaks: onPut(func(_ *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				info, err := next(ctx, t, data, o)
				clear(data)
				return info, err
			}
		})},
		{name: "keeps a hold of the caller's data", kills: []string{"Put/data-stays-the-callers"}, breaks: func(b *broken) vfs.Provider {
			var kept table[string, []byte]
			b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				info, err := b.fs.Put(ctx, t, data, o)
				if err == nil && len(data) < 10 {
					kept.set(t.Key, data)
				}
				return info, err
			}
			b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
				if data, ok := kept.get(t.Key); ok {
					b.fs.Put(ctx, t, data, vfs.PutOptions{})
				}
				return b.fs.Open(ctx, t)
			}
			return nil
		}},
		{name: "makes no directories", kills: []string{"Put/parents"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if o.If.Always() && !b.exists(path.Dir(t.Key)) {
					return vfs.Info{}, vfs.NotFound("write", t)
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "makes directories before it looks", kills: []string{"Put/no-parents-left"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				b.fs.Mkdir(path.Dir(t.Key))
				return next(ctx, t, data, o)
			}
		})},
		{name: "leaves a temporary file", kills: []string{"Put/nothing-else-left"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				info, err := next(ctx, t, data, o)
				if err != nil && b.isFile(t.Key) {
					b.fs.WriteFile(t.Key+".tmp", string(data))
				}
				return info, err
			}
		})},
		{name: "replaces the link and not what it leads to", kills: []string{"Put/through-a-link"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if info, err := b.fs.Lstat(ctx, "", t.Path); err == nil && info.Type == vfs.TypeSymlink && o.If.Always() {
					b.fs.Remove(t.Path)
					t.Key = t.Path
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "leaves the old content to one of two names and tells of one", kills: []string{"Put/hard-link"}, breaks: func(b *broken) vfs.Provider {
			b.world.Link = func(existing, name string) error { return b.fs.WriteFile(name, b.content(existing)) }
			return nil
		}},
	}
}
