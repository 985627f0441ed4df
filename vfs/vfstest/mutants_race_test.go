package vfstest_test

import (
	"context"
	"io"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

// A broken provider gives another goroutine its chance where it should not, instead of
// leaving that to the scheduler. Nobody may be there, so its patience ends.
const chance = 20 * time.Millisecond

// meet is where one waits until another has come as far.
func (b *broken) meet() { await(b.meets, b.meets.Add(1)) }

// pause is where one waits until a file was opened or the world changed.
func (b *broken) pause() { await(b.events, b.events.Load()) }

func await(n *atomic.Int64, seen int64) {
	for end := time.Now().Add(chance); n.Load() == seen && time.Now().Before(end); {
		runtime.Gosched()
	}
}

// unlocked checks a condition and then publishes without it.
func unlocked(applies func(vfs.Condition) bool) func(*broken) vfs.Provider {
	return onPut(func(b *broken, next putFunc) putFunc {
		return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
			if !applies(o.If) {
				return next(ctx, t, data, o)
			}
			exists, text := b.exists(t.Key), b.content(t.Key)
			want, guarded := o.If.Version()
			if o.If.Absent() && exists || guarded && (!exists || vfs.VersionOf([]byte(text)) != want) || b.isDir(t.Key) {
				return next(ctx, t, data, o)
			}
			b.meet()
			return next(ctx, t, data, vfs.PutOptions{})
		}
	})
}

func raceMutants() []mutant {
	return []mutant{
		{name: "publishes in two steps", kills: []string{"Put/whole-or-nothing"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if o.If.Always() && b.isFile(t.Key) {
					if info, err := next(ctx, t, data[:len(data)/2], o); err != nil {
						return info, err
					}
					b.pause()
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "looks whether it is absent and then creates", kills: []string{"Put/one-creator"}, breaks: unlocked(vfs.Condition.Absent)},
		{name: "compares versions and then replaces", kills: []string{"Put/one-replacer", "Put/increments"}, breaks: unlocked(func(c vfs.Condition) bool {
			_, guarded := c.Version()
			return guarded
		})},
		{name: "a directory that another just made is in the way", kills: []string{"Put/one-tree"}, breaks: onPut(func(b *broken, next putFunc) putFunc {
			var made table[string, bool]
			return func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if dir := path.Dir(t.Key); !b.exists(dir) {
					if b.meet(); made.swap(dir, true) {
						return vfs.Info{}, failure("write", t, vfs.CodeIOError, "file exists")
					}
				}
				return next(ctx, t, data, o)
			}
		})},
		{name: "its lock is its own", kills: []string{"Put/one-creator-of-processes", "Put/increments-of-processes"}, breaks: func(b *broken) vfs.Provider {
			process := func() *broken {
				p := *b
				var mu sync.Mutex
				racy := *b
				unlocked(func(c vfs.Condition) bool { return !c.Always() })(&racy)
				p.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
					mu.Lock()
					defer mu.Unlock()
					return racy.put(ctx, t, data, o)
				}
				return &p
			}
			b.world.Again = func() vfs.Provider { return process() }
			return process()
		}},
	}
}

// versioned gives the provider versions of its own making: scheme names the version of
// what a key holds now.
func versioned(scheme func(b *broken, key string) vfs.Version) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
			info, err := b.fs.Stat(ctx, t)
			if info.Type == vfs.TypeFile {
				info.Version = scheme(b, t.Key)
			}
			return info, err
		}
		b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
			f, err := b.fs.Open(ctx, t)
			if err != nil {
				return nil, err
			}
			v := scheme(b, t.Key)
			return changed{f, func(i vfs.Info) vfs.Info { i.Version = v; return i }}, nil
		}
		b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
			v, guarded := o.If.Version()
			if _, unguarded := v.Unguarded(); guarded && !unguarded && b.isFile(t.Key) {
				if v != scheme(b, t.Key) {
					return vfs.Info{}, vfs.Stale("write", t)
				}
				o.If = b.now(t)
			}
			info, err := b.fs.Put(ctx, t, data, o)
			if err == nil {
				info.Version = scheme(b, t.Key)
			}
			return info, err
		}
		return nil
	}
}

// stamped is a scheme of a number that each change raises, as a clock would.
func stamped(outside bool) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		var stamps table[string, int]
		raise := func(key string) {
			n, _ := stamps.get(key)
			stamps.set(key, n+1)
		}
		versioned(func(b *broken, key string) vfs.Version {
			n, _ := stamps.get(key)
			if n == 0 || outside {
				return vfs.Version(strings.Repeat("i", n)) + vfs.VersionOf([]byte(b.content(key)))
			}
			return vfs.Version(strings.Repeat("i", n))
		})(b)
		if outside {
			b.world.Write = func(name, content string) error {
				raise(name)
				return b.fs.WriteFile(name, content)
			}
			return nil
		}
		put := b.put
		b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
			info, err := put(ctx, t, data, o)
			if err == nil {
				raise(t.Key)
				info, _ = b.stat(ctx, t)
			}
			return info, err
		}
		return nil
	}
}

func versionMutants() []mutant {
	return []mutant{
		{name: "version from the size", kills: []string{"Stale/same-size", "Stale/outside-rename", "Stale/outside-write"}, breaks: versioned(func(b *broken, key string) vfs.Version {
			return vfs.Version("size." + strings.Repeat("i", min(len(b.content(key)), 99)))
		})},
		{name: "Put and Open tell different versions", kills: []string{"Stale/own-put-is-fresh", "Put/outcome"}, breaks: onOutcome(func(_ *broken, _ string, i vfs.Info) vfs.Info {
			i.Version = "put." + i.Version
			return i
		})},
		{name: "version from after the read", kills: []string{"Stale/bytes-that-were-read"}, breaks: onOpen(func(b *broken, t vfs.Target, f vfs.File) vfs.File {
			return changed{f, func(i vfs.Info) vfs.Info {
				i.Version = vfs.VersionOf([]byte(b.content(t.Key)))
				return i
			}}
		})},
		{name: "version from before the read", kills: []string{"Stale/bytes-that-were-read", "Stale/proof-of-a-read", "Open/one-version"}, breaks: onOpen(func(b *broken, t vfs.Target, f vfs.File) vfs.File {
			at := 0
			return reading{f, func(p []byte) (int, error) {
				text := b.content(t.Key)
				n := copy(p, text[min(at, len(text)):])
				if at += n; n == 0 {
					return 0, io.EOF
				}
				return n, nil
			}}
		})},
		{name: "always sees somebody write", kills: []string{"Stale/proof-of-a-read"}, breaks: onOpen(func(_ *broken, _ vfs.Target, f vfs.File) vfs.File { return doubting{f} })},
		{name: "version from a counter", kills: []string{"Stale/same-content-again"}, breaks: stamped(false)},
		{name: "version from the time", kills: []string{"Stale/same-bytes-rewritten"}, breaks: stamped(true)},
		{name: "believes its own cache", kills: []string{"Stale/outside-write", "Stale/outside-remove"}, breaks: func(b *broken) vfs.Provider {
			var cache table[string, string]
			b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
				f, err := b.fs.Open(ctx, t)
				text, ok := cache.get(t.Key)
				if err == nil && !ok {
					cache.set(t.Key, b.content(t.Key))
				}
				if err == nil && ok {
					return reading{changed{f, func(i vfs.Info) vfs.Info {
						i.Size, i.Version = int64(len(text)), vfs.VersionOf([]byte(text))
						return i
					}}, strings.NewReader(text).Read}, nil
				}
				return f, err
			}
			b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				if text, ok := cache.get(t.Key); ok {
					if v, guarded := o.If.Version(); guarded && v == vfs.VersionOf([]byte(text)) {
						o.If = vfs.Condition{}
					}
				}
				info, err := b.fs.Put(ctx, t, data, o)
				if err == nil {
					cache.set(t.Key, string(data))
				}
				return info, err
			}
			return nil
		}},
		{name: "notices writes and no renames", kills: []string{"Stale/outside-rename"}, breaks: func(b *broken) vfs.Provider {
			var seen table[string, vfs.Version]
			versioned(func(b *broken, key string) vfs.Version {
				v, known := seen.get(key)
				if !known {
					v = vfs.VersionOf([]byte(b.content(key)))
					seen.set(key, v)
				}
				return v
			})(b)
			put := b.put
			b.put = func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
				info, err := put(ctx, t, data, o)
				if err == nil {
					seen.drop(t.Key)
					info.Version = vfs.VersionOf(data)
				}
				return info, err
			}
			b.world.Write = func(name, content string) error {
				seen.drop(name)
				return b.fs.WriteFile(name, content)
			}
			return nil
		}},
		{name: "remembers that it was missing", kills: []string{"Stale/outside-create"}, breaks: func(b *broken) vfs.Provider {
			var gone table[string, bool]
			b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
				info, err := b.fs.Stat(ctx, t)
				gone.set(t.Key, missing(err))
				return info, err
			}
			return onCondition(func(_ *broken, t vfs.Target, c vfs.Condition) vfs.Condition {
				if was, _ := gone.get(t.Key); was && c.Absent() {
					return vfs.Condition{}
				}
				return c
			})(b)
		}},
		{name: "follows a link that was put in its place", kills: []string{"Stale/link-in-its-place"}, options: memfs.Options{Cwd: "/ws"}, breaks: followLater(func(string) bool { return true })},
	}
}

// followLater opens the path of a key anew at each call, through whatever links are
// there by now, if allowed permits where that leads.
func followLater(allowed func(key string) bool) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.key = func(key string) string {
			if t, err := b.fs.Resolve(context.Background(), "", key); err == nil && allowed(t.Key) {
				return t.Key
			}
			return key
		}
		return nil
	}
}

// doubting is a file that never trusts what was read.
type doubting struct{ vfs.File }

func (doubting) Proof() vfs.Proof { return vfs.Disturbed }
