package wall

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/vfs/vfstest"
)

// TestConformance proves the provider behind the wall as any other: what is written by
// another process is as exact, as exclusive and as confined.
func TestConformance(t *testing.T) {
	needLandlock(t)
	vfstest.Run(t, vfstest.Config{Name: "localfs Root behind the wall", Lacks: lacking(), New: world})
}

func world(t testing.TB) vfstest.World {
	ws, outside := places(t)
	for _, name := range []string{filepath.Join(ws, "f"), filepath.Join(ws, "to-f"), filepath.Join(outside, "f")} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	again := func() vfs.Provider {
		inner, err := localfs.Root([]string{ws}, localfs.Options{StateDir: filepath.Join(filepath.Dir(ws), "state"), MaxGuardedBytes: 320 << 10,
			NoSync: true, Sandbox: &localfs.Sandbox{Mode: sandbox.WorkspaceWrite, NoTemp: true}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(t.Context(), inner, Options{Stderr: os.Stderr})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	w := vfstest.World{
		Provider: again(), Root: ws, Outside: outside,
		Read: func(name string) (string, error) {
			data, err := os.ReadFile(name)
			return string(data), err
		},
		Write: func(name, content string) error {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			return os.WriteFile(name, []byte(content), 0o644)
		},
		Remove: os.RemoveAll, Rename: os.Rename, Symlink: os.Symlink, Link: os.Link,
		Mkdir: func(name string) error { return os.Mkdir(name, 0o755) },
	}
	if excludesOthers {
		w.Again = again
	}
	return w
}
