package vfstest_test

import (
	"context"
	"path"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func resolveMutants() []mutant {
	return []mutant{
		{name: "resolves nothing that is missing", kills: []string{"Resolve/missing-file"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if err == nil && !b.exists(t.Key) {
					return t, vfs.NotFound("resolve", t)
				}
				return t, err
			}
			return nil
		}},
		{name: "shows no path", kills: []string{"Resolve/missing-file", "Resolve/shown-path"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				return vfs.Target{Key: t.Key}, err
			}
			return nil
		}},
		{name: "key of a missing file differs", kills: []string{"Resolve/key-survives-creation"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if err == nil && !b.exists(t.Key) {
					t.Key = "missing:" + t.Key
				}
				return t, err
			}
			b.key = func(key string) string { return strings.TrimPrefix(key, "missing:") }
			return nil
		}},
		{name: "key is the name as it was spelled", kills: []string{"Resolve/spellings"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if err == nil {
					t.Key = absolute(base, name)
				}
				return t, err
			}
			b.key = func(key string) string {
				t, _ := b.fs.Resolve(b.ctx, "", key)
				return t.Key
			}
			return nil
		}},
		{name: "shows the last name only", kills: []string{"Resolve/shown-path"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				t.Path = path.Base(t.Path)
				return t, err
			}
			return nil
		}},
		{name: "ignores the base", kills: []string{"Resolve/base"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, _, name string) (vfs.Target, error) { return b.fs.Resolve(ctx, "", name) }
			return nil
		}},
		{name: "key without the extension", kills: []string{"Resolve/distinct"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				t.Key = strings.TrimSuffix(t.Key, ".txt")
				return t, err
			}
			return nil
		}},
		{name: "a blank name is the directory", kills: []string{"Resolve/blank"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				if strings.TrimSpace(name) == "" {
					name = "."
				}
				return b.fs.Resolve(ctx, base, name)
			}
			return nil
		}},
		{name: "replaces a file by a directory", kills: []string{"Resolve/below-a-file"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if missing := vfs.CodeOf(err) == vfs.CodeNotFound; missing && t.Path != "" {
					return vfs.Target{Key: t.Path, Path: t.Path}, nil
				}
				return t, err
			}
			b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				for dir := path.Dir(t.Key); dir != "/"; dir = path.Dir(dir) {
					if b.isFile(dir) {
						b.fs.Remove(dir)
					}
				}
				return b.fs.Put(ctx, t, data, o)
			}
			return nil
		}},
		{name: "drops a trailing slash", kills: []string{"Resolve/trailing-slash"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				if trimmed := strings.TrimRight(strings.TrimSuffix(name, "/."), "/"); trimmed != "" {
					name = trimmed
				}
				return b.fs.Resolve(ctx, base, name)
			}
			return nil
		}},
		{name: "folds names without a look", kills: []string{"Resolve/missing-before-dot-dot", "Resolve/dot-dot-after-a-link"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				if name != "" && strings.Contains(name, "..") {
					name = path.Clean(absolute(base, name))
				}
				return b.fs.Resolve(ctx, base, name)
			}
			return nil
		}},
	}
}

func linkMutants() []mutant {
	return []mutant{
		{name: "a link has a key of its own", kills: []string{"Resolve/link-to-a-file", "Stale/alias"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if info, lerr := b.fs.Lstat(ctx, base, name); err == nil && lerr == nil && info.Type == vfs.TypeSymlink {
					t.Key = "alias:" + t.Key
				}
				return t, err
			}
			b.key = func(key string) string { return strings.TrimPrefix(key, "alias:") }
			return cachedByKey{b, &table[string, vfs.Version]{}} // aliases matter to whoever goes by keys
		}},
		{name: "links above a file are not followed into its key", kills: []string{"Resolve/link-above-a-file"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if err == nil && path.Dir(t.Key) != path.Dir(t.Path) {
					t.Key = t.Path
				}
				return t, err
			}
			b.key = func(key string) string {
				t, _ := b.fs.Resolve(b.ctx, "", key)
				return t.Key
			}
			return nil
		}},
		{name: "links are followed to what exists only", kills: []string{"Resolve/link-above-nothing", "Resolve/dangling-link"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if err == nil && !b.exists(t.Key) {
					t.Key = t.Path
				}
				return t, err
			}
			return nil
		}},
		{name: "replaces a dangling link", kills: []string{"Resolve/dangling-link"}, breaks: func(b *broken) vfs.Provider {
			b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if info, err := b.fs.Lstat(ctx, "", t.Path); err == nil && info.Type == vfs.TypeSymlink && !b.exists(t.Key) {
					b.fs.Remove(t.Path)
					t.Key = t.Path
				}
				return b.fs.Put(ctx, t, data, o)
			}
			return nil
		}},
		{name: "a loop of links is a missing file", kills: []string{"Resolve/link-loop"}, breaks: func(b *broken) vfs.Provider {
			b.resolve = func(ctx context.Context, base, name string) (vfs.Target, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if vfs.CodeOf(err) == vfs.CodeIOError {
					return vfs.Target{Key: t.Path, Path: t.Path}, nil
				}
				return t, err
			}
			return nil
		}},
	}
}

// cachedByKey trusts a version for the key under which it was learned.
type cachedByKey struct {
	*broken
	versions *table[string, vfs.Version]
}

func (c cachedByKey) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	f, err := c.broken.Open(ctx, t)
	if err != nil {
		return nil, err
	}
	v, known := c.versions.get(t.Key)
	if !known {
		v = f.Info().Version
		c.versions.set(t.Key, v)
	}
	return changed{f, func(i vfs.Info) vfs.Info { i.Version = v; return i }}, nil
}

func (c cachedByKey) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	want, guarded := o.If.Version()
	if v, known := c.versions.get(t.Key); guarded && known && v == want {
		o.If = vfs.Condition{}
	}
	info, err := c.broken.Put(ctx, t, data, o)
	if err == nil {
		c.versions.set(t.Key, info.Version)
	}
	return info, err
}

// changed is a file with another Info.
type changed struct {
	vfs.File
	info func(vfs.Info) vfs.Info
}

func (c changed) Info() vfs.Info { return c.info(c.File.Info()) }
