//go:build unix

package localfs_test

import (
	"os"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// The directory was one when the name was resolved, and is a link
// out, or protected, when it is written to.
func TestFenceJudgesWhatIsOpened(t *testing.T) {
	for name, swap := range map[string]func(f *fenced, dir string) error{
		"a link out":     func(f *fenced, dir string) error { return os.Symlink(f.out, dir) },
		"a link to .git": func(f *fenced, dir string) error { return os.Symlink(".git", dir) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFenced(t, localfs.Sandbox{NoTemp: true})
			f.mkdir("ws/d")
			f.mkdir("ws/.git")
			target := f.resolve("d/f")
			if err := f.fs.CheckWrite(t.Context(), target, sandbox.Policy{}); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(f.ws+"/d", f.base+"/away"); err != nil {
				t.Fatal(err)
			}
			if err := swap(f, f.ws+"/d"); err != nil {
				t.Fatal(err)
			}
			if _, err := f.fs.Put(t.Context(), target, []byte("x"), vfs.PutOptions{}); err == nil {
				t.Error("it is written")
			}
			for _, dir := range []string{f.base + "/away", f.ws + "/.git", f.out} {
				f.onlyNames(dir)
			}
		})
	}
}

// Put alone denies before it makes anything, also what no forecast was asked for.
func TestFenceDeniesBeforeAnythingIsMade(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	for name, p := range map[string]sandbox.Policy{
		"a/b/c":           {Mode: sandbox.ReadOnly},
		f.out + "/a/b/c":  {},
		".git/hooks/a/b":  {},
		f.base + "/a/b/c": {Mode: sandbox.WorkspaceWrite},
	} {
		_, err := f.fs.Put(t.Context(), f.resolve(name), []byte("x"), vfs.PutOptions{Sandbox: p})
		wantCode(t, err, vfs.CodeSandboxDenied)
	}
	f.onlyNames(f.ws)
	f.onlyNames(f.out)
	f.onlyNames(f.base, "out", "ws")
}
