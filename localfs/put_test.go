//go:build unix

package localfs_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

func TestPutConditions(t *testing.T) {
	old, other := vfs.VersionOf([]byte("old")), vfs.VersionOf([]byte("new"))
	tests := []struct {
		name     string
		existing string // "" for none
		If       vfs.Condition
		code     vfs.Code
	}{
		{"unconditional creates", "", vfs.Condition{}, ""},
		{"unconditional overwrites", "old", vfs.Condition{}, ""},
		{"absent creates", "", vfs.IfAbsent(), ""},
		{"absent keeps what is there", "old", vfs.IfAbsent(), vfs.CodeNotObserved},
		{"the version replaces", "old", vfs.IfVersion(old), ""},
		{"another version is stale", "old", vfs.IfVersion(other), vfs.CodeStaleVersion},
		{"a version of nothing is stale and creates nothing", "", vfs.IfVersion(old), vfs.CodeStaleVersion},
		{"a version that cannot be verified", "old", vfs.IfVersion(vfs.UnguardedVersion(1 << 40)), vfs.CodeTooLarge},
		{"a version that is none of ours", "old", vfs.IfVersion("etag-1"), vfs.CodeStaleVersion},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, true)
			path := filepath.Join(w.ws, "f")
			if tt.existing != "" {
				w.write("f", tt.existing)
			}
			info, err := w.fs.Put(t.Context(), w.resolve("f"), []byte("put"), vfs.PutOptions{If: tt.If})
			wantCode(t, err, tt.code)
			switch {
			case tt.code == "":
				if got := w.content(path); got != "put" || info.Version != vfs.VersionOf([]byte("put")) {
					t.Errorf("content %q, info %+v", got, info)
				}
				w.onlyNames(w.ws, "f")
			case tt.existing != "":
				if got := w.content(path); got != tt.existing {
					t.Errorf("content %q, want %q", got, tt.existing)
				}
				w.onlyNames(w.ws, "f")
			default:
				w.onlyNames(w.ws)
			}
		})
	}
}

func TestPutKeepsMode(t *testing.T) {
	for _, mode := range []fs.FileMode{0o644, 0o755, 0o600, 0o640} {
		w := newWorld(t, false)
		path := w.write("f", "old")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := w.fs.Put(t.Context(), w.resolve("f"), []byte("new"), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("old")))}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode %v, want %v (%v)", info.Mode(), mode, err)
		}
	}
}

func TestPutThroughLinksKeepsTheLinks(t *testing.T) {
	w := newWorld(t, true)
	real := w.write("real.md", "old")
	w.link("real.md", "b")
	w.link("b", "a")
	if _, err := w.fs.Put(t.Context(), w.resolve("a"), []byte("new"), vfs.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if info, err := os.Lstat(filepath.Join(w.ws, name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", name, info, err)
		}
	}
	if got := w.content(real); got != "new" {
		t.Errorf("the real file holds %q", got)
	}
}

func TestPutFailureLeavesNoDirectories(t *testing.T) {
	w := newWorld(t, true)
	ctx, cancel := context.WithCancel(t.Context())
	target := w.resolve("a/b/c")
	cancel()
	_, err := w.fs.Put(ctx, target, []byte("x"), vfs.PutOptions{})
	wantCode(t, err, vfs.CodeAborted)
	w.onlyNames(w.ws)
}

func TestVanishedWorkspaceIsNotRecreated(t *testing.T) {
	for _, confined := range []bool{true, false} {
		w := newWorld(t, confined)
		if err := os.Remove(w.ws); err != nil {
			t.Fatal(err)
		}
		target, err := w.fs.Resolve(t.Context(), w.ws, "f")
		if err == nil {
			_, err = w.fs.Put(t.Context(), target, []byte("x"), vfs.PutOptions{})
		}
		wantCode(t, err, vfs.CodeNotFound)
		if _, err := os.Stat(w.ws); !errors.Is(err, fs.ErrNotExist) {
			t.Error("the workspace was created again")
		}
	}
}

func TestRacingCreatesHaveOneWinner(t *testing.T) {
	w := newWorld(t, true)
	for range 50 {
		var wins int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				// A provider of its own each: the in-process lock must not be what decides.
				p, err := localfs.Root([]string{w.ws}, localfs.Options{NoSync: true})
				if err != nil {
					t.Error(err)
					return
				}
				defer p.Close()
				target, err := p.Resolve(t.Context(), "", "f")
				if err != nil {
					t.Error(err)
					return
				}
				_, err = p.Put(t.Context(), target, []byte{byte('0' + i)}, vfs.PutOptions{If: vfs.IfAbsent()})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					wins++
				} else {
					wantCode(t, err, vfs.CodeNotObserved)
				}
			})
		}
		wg.Wait()
		if wins != 1 {
			t.Fatalf("%d winners", wins)
		}
		os.Remove(filepath.Join(w.ws, "f"))
	}
	w.onlyNames(w.ws)
}

func TestEditsOfOneFileAllLand(t *testing.T) {
	w := newWorld(t, true)
	path := w.write("f", "0 1 2 3 4 5 6 7 8 9 a b c d e f\n")
	var wg sync.WaitGroup
	for _, c := range "0123456789abcdef" {
		wg.Go(func() {
			_, err := vfs.EditText(t.Context(), w.fs, w.resolve("f"), vfs.Edit{Old: string(c), New: "<" + string(c) + ">"}, vfs.EditOptions{})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, want := w.content(path), "<0> <1> <2> <3> <4> <5> <6> <7> <8> <9> <a> <b> <c> <d> <e> <f>\n"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestGuardedWritesAtOneVersionHaveOneWinner(t *testing.T) {
	w := newWorld(t, true)
	w.write("f", "old")
	v := vfs.VersionOf([]byte("old"))
	var wins, stale int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			_, err := vfs.WriteText(t.Context(), w.fs, w.resolve("f"), strings.Repeat("x", i+1), vfs.WriteOptions{If: vfs.IfVersion(v)})
			mu.Lock()
			defer mu.Unlock()
			switch vfs.CodeOf(err) {
			case "":
				wins++
			case vfs.CodeStaleVersion:
				stale++
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if wins != 1 || stale != 15 {
		t.Errorf("%d wins, %d stale", wins, stale)
	}
}
