//go:build !toolfs_portable

package localfs_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// Somebody swaps a directory of the workspace for a link to the outside all the time.
// Whatever becomes of a write, nothing arrives there: not in any mode's blind moment
// between the look and the deed.
func TestFenceHoldsWhileADirectoryIsSwapped(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	f.mkdir("ws/d")
	f.link(f.out, "e")
	var over atomic.Bool
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for !over.Load() {
			if err := unix.Renameat2(unix.AT_FDCWD, f.ws+"/d", unix.AT_FDCWD, f.ws+"/e", unix.RENAME_EXCHANGE); err != nil {
				t.Error(err)
				return
			}
		}
	})
	written, denied := 0, 0
	for i := 0; i < 3000 || (written == 0 || denied == 0) && i < 100_000; i++ {
		name := "d/f"
		if i%3 == 0 {
			name = "d/new/f"
		}
		target, err := f.fs.Resolve(t.Context(), "", name)
		if err != nil {
			continue
		}
		switch _, err := vfs.WriteText(t.Context(), f.fs, target, "x", vfs.WriteOptions{}); {
		case err == nil:
			written++
		case vfs.CodeOf(err) == vfs.CodeSandboxDenied:
			denied++
		}
	}
	over.Store(true)
	swapping.Wait()
	f.onlyNames(f.out)
	if written == 0 || denied == 0 {
		t.Errorf("%d writes succeeded and %d were denied: there was no race", written, denied)
	}
}

// A directory is the same under the other name that a mount gives it: writable where the
// one is, and no writable root where the one would hold the workspace.
func TestFenceKnowsDirectoriesByIdentity(t *testing.T) {
	needsRoot(t)
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	f.mkdir("alias")
	f.mkdir("above")
	f.mkdir("outer/base/ws")
	for at, dir := range map[string]string{"alias": f.ws, "above": f.base + "/outer"} {
		if err := unix.Mount(dir, filepath.Join(f.base, at), "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
		defer unix.Unmount(filepath.Join(f.base, at), unix.MNT_DETACH)
	}
	f.allows(f.base+"/alias/n/f", sandbox.Policy{})
	f.denies(f.base+"/alias/.git/f", sandbox.Policy{}, "protected")
	_, err := localfs.Host(localfs.Options{Cwd: f.base + "/outer/base/ws", Sandbox: &localfs.Sandbox{NoTemp: true, WritableRoots: []string{f.base + "/above"}}})
	if err == nil {
		t.Error("a root that holds the workspace under another name is taken")
	}
	f.open(localfs.Sandbox{NoTemp: true, WritableRoots: []string{f.base + "/above"}})
	f.allows(f.base+"/outer/f", sandbox.Policy{})
	f.denies(f.base+"/outer/g", sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: f.base + "/outer/base/ws"}, "outside")
	f.denies(f.base+"/above/g", sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: f.base + "/outer/base/ws"}, "outside")
}
