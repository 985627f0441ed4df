//go:build !toolfs_portable

package localfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// raceAttacks let others be busy with the file all the time. They are short: the same
// goes on for minutes in internal/torture.
var raceAttacks = map[int]func(*testing.T){
	// An unlocked reader goes on with what it opened.
	38: func(t *testing.T) {
		p := newPlace(t)
		reader, err := os.Open(p.file("f", oldText))
		p.must(err)
		defer reader.Close()
		_, err = p.replace(oldText, newText)
		p.must(err)
		got := make([]byte, 100)
		n, err := reader.Read(got)
		p.must(err)
		if string(got[:n]) != oldText {
			t.Errorf("it reads %q", got[:n])
		}
		p.holds("f", newText)
		p.only("f")
	},

	39: func(t *testing.T) {
		lostUpdates(t, 1, func(path string, field int, value string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			copy(data[field*fieldSize:], value)
			return renameOver(string(data))(path)
		})
	},

	40: func(t *testing.T) {
		for _, writers := range []int{1, 3} {
			t.Run(fmt.Sprint(writers), func(t *testing.T) {
				lostUpdates(t, writers, func(path string, field int, value string) error {
					f, err := os.OpenFile(path, os.O_WRONLY, 0)
					if err != nil {
						return err
					}
					_, err = f.WriteAt([]byte(value), int64(field*fieldSize))
					return errors.Join(err, f.Close())
				})
			})
		}
	},

	44: func(t *testing.T) {
		p := newPlace(t)
		for range 4 {
			p.file("f", "old")
			contents := [2]string{"one", "another"}
			said := bothReplace(p, "old", contents)
			winner := slices.Index(said[:], "done")
			if winner < 0 || said[1-winner] != string(vfs.CodeStaleVersion) {
				t.Fatalf("they say %q", said)
			}
			p.holds("f", contents[winner])
			p.only("f")
		}
	},

	45: func(t *testing.T) {
		const processes, goroutines, times = 4, 4, 10
		p := newPlace(t)
		p.file("f", "0")
		var all sync.WaitGroup
		said := make([][]byte, processes)
		for i := range said {
			c := p.another(nil, "increment", strconv.Itoa(times))
			all.Go(func() {
				var err error
				if said[i], err = c.Output(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		seen := map[string]int{}
		for _, word := range strings.Fields(string(bytes.Join(said, nil))) {
			seen[word]++
		}
		for n := 1; n <= processes*goroutines*times; n++ {
			if seen[strconv.Itoa(n)] != 1 {
				t.Fatalf("%d was acknowledged %d times; they say %.2000s", n, seen[strconv.Itoa(n)], said)
			}
		}
		if len(seen) != processes*goroutines*times {
			t.Errorf("they say %.2000s", said)
		}
		p.holds("f", strconv.Itoa(processes*goroutines*times))
		p.only("f")
	},
}

// fieldSize is how many bytes of the file belong to each writer; the first field is ours.
const fieldSize = 16

func field(n int) string { return fmt.Sprintf("%0*d\n", fieldSize-1, n) }

// lostUpdates has others publish ever higher numbers, each in a field of its own, while
// the file is replaced all the time from what was read of it. Whoever has published a
// number finds it in the file before it publishes the next: at once, or in a moment,
// when a publication that met it is taken back, or beside the file, where what could
// not be put back is kept. On a busy machine they may have the file open whenever it is
// to be replaced; then they hold still for once.
func lostUpdates(t *testing.T, others int, publish func(path string, field int, value string) error) {
	enough := max(30/(others*others), 3) // where many write, one that replaces is seldom alone
	p := placeAt(t, t.TempDir(), Options{})
	path := p.file("f", strings.Repeat(field(0), others+1))
	var over atomic.Bool
	var all sync.WaitGroup
	defer all.Wait()
	defer over.Store(true)
	var still sync.RWMutex // locked while the others hold still
	for i := 1; i <= others; i++ {
		all.Go(func() {
			for n := 1; n <= enough || !over.Load(); n++ {
				still.RLock()
				err := publish(path, i, field(n))
				still.RUnlock()
				if err != nil {
					t.Error(err)
					return
				}
				if !arrived(p.dir, i, field(n)) {
					t.Errorf("number %d of writer %d is lost", n, i)
					return
				}
			}
		})
	}
	replace := func(n int, alone bool) error {
		if alone {
			still.Lock()
			defer still.Unlock()
		}
		data, info, err := vfs.ReadBytes(t.Context(), p.fs, p.target("f"), 1000)
		p.must(err)
		_, err = p.put(t.Context(), "f", field(n)+string(data[fieldSize:]), vfs.IfVersion(info.Version))
		return err
	}
	refused := 0 // in a row
	for n, successes := 1, 0; successes < enough; n++ {
		alone := refused == 5
		err := replace(n, alone)
		code := vfs.CodeOf(err)
		switch {
		case err == nil:
			successes++
			refused = 0
		case !alone && (code == vfs.CodeStaleVersion || code == vfs.CodeBusy):
			refused++
		default:
			t.Error(err)
			return
		}
	}
	over.Store(true)
	all.Wait()
	if left := p.leftovers(); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// arrived waits until a field of the file, or of one that is kept beside it, has a
// value.
func arrived(dir string, field int, value string) bool {
	has := func(name string) bool {
		data, err := os.ReadFile(name)
		return err == nil && len(data) >= (field+1)*fieldSize && string(data[field*fieldSize:(field+1)*fieldSize]) == value
	}
	for deadline := time.Now().Add(patience / 4); time.Now().Before(deadline); runtime.Gosched() {
		if has(filepath.Join(dir, "f")) {
			return true
		}
		kept, _ := filepath.Glob(filepath.Join(dir, "f.conflict-*"))
		if slices.ContainsFunc(kept, has) {
			return true
		}
	}
	return false
}

// createAttacks are about names that are free.
var createAttacks = map[int]func(*testing.T){
	// The mode is what any program's create gives.
	19: func(t *testing.T) {
		for mask, mode := range map[int]uint32{0o022: 0o644, 0o027: 0o640, 0o077: 0o600, 0: 0o666} {
			p := newPlace(t)
			func() {
				defer unix.Umask(unix.Umask(mask))
				info, err := p.create("f", newText)
				p.must(err)
				if info.Publication.Guarantee != vfs.GuaranteeCreated || info.Version != vfs.VersionOf([]byte(newText)) {
					t.Errorf("got %+v", info)
				}
			}()
			if st := p.stat("f"); st.Mode&0o7777 != mode {
				t.Errorf("the mode is %o, want %o", st.Mode&0o7777, mode)
			}
			p.holds("f", newText)
			p.only("f")
		}
	},

	21: func(t *testing.T) { oneCreator(t, newPlace(t), 60) },

	25: func(t *testing.T) {
		for _, call := range []string{"opentemp", "write", "link"} {
			p := newPlace(t)
			p.spy.before = failing(call, 1, unix.ENOSPC)
			_, err := p.create("a/b/c/f", newText)
			p.code(err, vfs.CodeIOError)
			if err == nil || !strings.HasSuffix(err.Error(), ": no space left on device") {
				t.Errorf("it says %v", err)
			}
			p.only()
		}
		// What somebody else made, or uses by now, stays.
		p := newPlace(t)
		p.must(os.Mkdir(p.path("a"), 0o755))
		p.spy.before = at("write", 1, func() error {
			p.file("a/b/theirs", theirText)
			return unix.ENOSPC
		})
		_, err := p.create("a/b/c/f", newText)
		p.code(err, vfs.CodeIOError)
		p.holds("a/b/theirs", theirText)
		if !absent(p.path("a/b/c")) {
			t.Error("a/b/c is still there")
		}
	},

	28: func(t *testing.T) {
		p := newPlace(t)
		providers := []*FS{p.fs, p.again()} // the lock of one is not what decides
		for round := range 50 {
			var both sync.WaitGroup
			for i := range 2 {
				both.Go(func() {
					f := providers[i]
					target, err := f.Resolve(t.Context(), "", fmt.Sprintf("%d/a/b/c/f%d", round, i))
					if err == nil {
						_, err = f.Put(t.Context(), target, []byte(newText), vfs.PutOptions{If: vfs.IfAbsent()})
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
			p.holds(fmt.Sprintf("%d/a/b/c/f0", round), newText)
			p.holds(fmt.Sprintf("%d/a/b/c/f1", round), newText)
		}
	},

	30: func(t *testing.T) {
		mount, beneath := mountPlain(t, 0)
		p := placeAt(t, mount, Options{NoSync: true})
		info, err := p.create("f", newText)
		p.must(err)
		if info.Publication.Guarantee != vfs.GuaranteeCreated {
			t.Errorf("the guarantee is %q", info.Publication.Guarantee)
		}
		_, err = p.create("f", theirText)
		p.code(err, vfs.CodeNotObserved)
		p.holds("f", newText)
		p.only("f")
		p.must(os.Remove(filepath.Join(beneath, "f")))
		oneCreator(t, p, 10)
	},
}

// oneCreator has six processes, as it were, create one file again and again, while
// somebody looks: there is one winner, and never a part of a file.
func oneCreator(t *testing.T, p *place, rounds int) {
	var providers [6]*FS
	for i := range providers {
		providers[i] = p.again()
	}
	content := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 20_000) }
	done := make(chan struct{})
	var looks sync.WaitGroup
	looks.Go(func() {
		for {
			data, err := os.ReadFile(p.path("f"))
			switch {
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				t.Error(err)
				return
			case err == nil && (len(data) != 20_000 || !bytes.Equal(data, content(int(data[0]-'a')))):
				t.Errorf("there are %d bytes in the file", len(data))
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	defer looks.Wait()
	defer close(done)
	for range rounds {
		var wins atomic.Int32
		var all sync.WaitGroup
		winner := -1
		for i, f := range providers {
			all.Go(func() {
				target, err := f.Resolve(context.Background(), "", "f")
				if err == nil {
					_, err = f.Put(context.Background(), target, content(i), vfs.PutOptions{If: vfs.IfAbsent()})
				}
				if err == nil {
					wins.Add(1)
					winner = i
				} else if vfs.CodeOf(err) != vfs.CodeNotObserved {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if wins.Load() != 1 {
			t.Fatalf("there are %d winners", wins.Load())
		}
		p.holds("f", string(content(winner)))
		p.must(os.Remove(p.path("f")))
	}
	p.only()
}
