package vfstest_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/vfs/vfstest"
)

// mutant is a provider that is broken in one way.
type mutant struct {
	name string

	// kills are the cases that are meant to find it out: all of them must fail.
	kills []string

	// breaks changes a sound wrapper; what it returns, if anything, is proved instead.
	breaks func(*broken) vfs.Provider

	options memfs.Options // of what is broken; zero is confined, as inConfinedMemory
	blocks  bool          // it blocks, so that cases must be given up
}

// broken is memfs behind methods that a mutant replaces.
type broken struct {
	fs    *memfs.FS
	ctx   context.Context // ends with the case, or when it is given up
	world *vfstest.World
	key   func(string) string // from the key that Resolve gave to that of fs
	limit int64

	meets, events *atomic.Int64 // see meet and pause

	resolve func(ctx context.Context, base, name string) (vfs.Target, error)
	stat    func(ctx context.Context, t vfs.Target) (vfs.Info, error)
	lstat   func(ctx context.Context, base, name string) (vfs.Info, error)
	open    func(ctx context.Context, t vfs.Target) (vfs.File, error)
	list    func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error]
	put     func(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error)
}

func sound(t testing.TB, fs *memfs.FS) *broken {
	return &broken{fs: fs, ctx: t.Context(), key: func(key string) string { return key }, limit: fs.MaxGuardedBytes(), meets: new(atomic.Int64), events: new(atomic.Int64),
		resolve: fs.Resolve, stat: fs.Stat, lstat: fs.Lstat, open: fs.Open, list: fs.ReadDir, put: fs.Put}
}

func (b *broken) inner(t vfs.Target) vfs.Target { return vfs.Target{Key: b.key(t.Key), Path: t.Path} }

func (b *broken) Resolve(ctx context.Context, base, name string) (vfs.Target, error) {
	return b.resolve(ctx, base, name)
}

func (b *broken) Stat(ctx context.Context, t vfs.Target) (vfs.Info, error) {
	return b.stat(ctx, b.inner(t))
}

func (b *broken) Lstat(ctx context.Context, base, name string) (vfs.Info, error) {
	return b.lstat(ctx, base, name)
}

func (b *broken) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	b.events.Add(1)
	return b.open(ctx, b.inner(t))
}

func (b *broken) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	return b.list(ctx, b.inner(t))
}

func (b *broken) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	return b.put(ctx, b.inner(t), data, o)
}

func (b *broken) MaxGuardedBytes() int64 { return b.limit }

// config makes the mutant's world.
func (m mutant) config() vfstest.Config {
	c := vfstest.Config{Name: m.name, New: func(t testing.TB) vfstest.World {
		fs := confined()
		if m.options.Cwd != "" {
			fs = memfs.New(m.options)
			if err := fs.Mkdir("/ws-evil"); err != nil {
				t.Fatal(err)
			}
		}
		b := sound(t, fs)
		w := memory(fs, b)
		w.Outside = "/ws-evil"
		w.Rename = func(from, to string) error {
			b.events.Add(1)
			return fs.Rename(from, to)
		}
		w.Symlink = func(target, name string) error {
			b.events.Add(1)
			return fs.Symlink(target, name)
		}
		b.world = &w
		if m.breaks != nil {
			if p := m.breaks(b); p != nil {
				w.Provider = p
			}
		}
		return w
	}}
	c.Timeout = 5 * time.Second
	if m.blocks {
		c.Timeout = 60 * time.Millisecond
	}
	return c
}

func mutants() []mutant {
	return slices.Concat(resolveMutants(), linkMutants(), statMutants(), openMutants(), putMutants(), publishMutants(), raceMutants(),
		versionMutants(), textMutants(), editMutants(), listMutants(), nameMutants(), escapeMutants(), laterMutants(), errorMutants(),
		cancelMutants(), wrapMutants())
}

// The wrapper that is not broken passes, so that what kills a mutant is its fault.
func TestSoundWrapperPasses(t *testing.T) {
	vfstest.Run(t, mutant{name: "sound"}.config())
}

var whole = flag.Bool("whole", false, "let every mutant meet all cases, and not only those that are meant to kill it")

func TestMutantsAreKilled(t *testing.T) {
	var mu sync.Mutex
	killers := 0
	t.Run("each", func(t *testing.T) {
		for _, m := range mutants() {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				only := m.kills
				if *whole {
					only = nil
				}
				report := vfstest.Check(m.config(), only...)
				failed := map[string]string{}
				for _, r := range report.Failed() {
					failed[r.String()] = r.Failures[0]
				}
				for _, name := range m.kills {
					why, killed := failed[name]
					if !killed {
						t.Errorf("%s lets it live", name)
					}
					if m.accident(why) {
						t.Errorf("%s kills it by accident: %s", name, why)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				killers += len(failed)
			})
		}
	})
	all := mutants()
	t.Logf("%d cases, %d mutants, each killed by the case that is meant to", len(vfstest.Cases()), len(all))
	if *whole {
		t.Logf("a mutant is killed by %.1f cases on average", float64(killers)/float64(len(all)))
	}
}

// accident reports a failure that is not what a case looks for.
func (m mutant) accident(why string) bool {
	return strings.HasPrefix(why, "cannot set the case up") || strings.HasPrefix(why, "panic") ||
		strings.HasPrefix(why, "the provider blocks") && !m.blocks
}

// A case that is meant to kill no mutant proves nothing, and a mutant that no case is
// meant to kill is none.
func TestEveryCaseKills(t *testing.T) {
	meant := map[string]int{}
	seen := map[string]bool{}
	for _, m := range mutants() {
		if seen[m.name] || len(m.kills) == 0 {
			t.Errorf("the mutant %q is there twice, or killed by nothing", m.name)
		}
		seen[m.name] = true
		for _, name := range m.kills {
			meant[name]++
		}
	}
	for _, k := range vfstest.Cases() {
		if meant[k.String()] == 0 {
			t.Errorf("%s kills nothing", k)
		}
		delete(meant, k.String())
	}
	for name := range meant {
		t.Errorf("%s is no case", name)
	}
}

// failure is an error of a broken provider.
func failure(op string, t vfs.Target, code vfs.Code, msg string) error {
	return &vfs.Error{Op: op, Path: t.Path, Code: code, Msg: msg}
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// isDir and isFile look behind the provider's back.
func (b *broken) isDir(key string) bool {
	info, err := b.fs.Stat(context.Background(), vfs.Target{Key: key})
	return err == nil && info.Type == vfs.TypeDirectory
}

func (b *broken) isFile(key string) bool {
	info, err := b.fs.Stat(context.Background(), vfs.Target{Key: key})
	return err == nil && info.Type == vfs.TypeFile
}

func (b *broken) exists(key string) bool {
	_, err := b.fs.Stat(context.Background(), vfs.Target{Key: key})
	return err == nil
}

// content is what a file holds, "" when it is missing.
func (b *broken) content(key string) string {
	text, _ := b.fs.ReadFile(key)
	return text
}

// absolute is where a name lies when nothing but its spelling counts.
func absolute(base, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	if base == "" {
		base = "/ws"
	}
	return base + "/" + name
}

// table is a map for many at once: a mutant may be wrong, but no race of memory.
type table[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (t *table[K, V]) get(k K) (V, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.m[k]
	return v, ok
}

// swap sets and gives what was there.
func (t *table[K, V]) swap(k K, v V) V {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m == nil {
		t.m = map[K]V{}
	}
	old := t.m[k]
	t.m[k] = v
	return old
}

func (t *table[K, V]) set(k K, v V) { t.swap(k, v) }

func (t *table[K, V]) drop(k K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, k)
}
