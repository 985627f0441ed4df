package vfstest_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/vfs/vfstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guardLimit lies above what the cases guard, and is small for those that exceed it.
const guardLimit = 320 << 10

// memory is a world over memfs; p is the provider to prove, over fs.
func memory(fs *memfs.FS, p vfs.Provider) vfstest.World {
	return vfstest.World{
		Provider: p, Root: "/ws",
		Write: fs.WriteFile, Read: fs.ReadFile, Remove: fs.Remove, Rename: fs.Rename,
		Mkdir: fs.Mkdir, Symlink: fs.Symlink, Special: fs.Special,
		Crash:   func() vfs.Provider { return fs.CrashClone(nil) },
		Handles: fs.OpenFiles,
	}
}

// inMemory is memfs as it comes: unconfined, as a disk without versions of its own.
func inMemory() vfstest.Config {
	return vfstest.Config{Name: "memfs", New: func(t testing.TB) vfstest.World {
		fs := memfs.New(memfs.Options{Cwd: "/ws", MaxGuardedBytes: guardLimit})
		return memory(fs, fs)
	}}
}

// inConfinedMemory tells versions without reading, confines, and loses in a power cut
// what it did not sync.
func inConfinedMemory() vfstest.Config {
	return vfstest.Config{Name: "memfs, confined, with versions of its own", New: func(t testing.TB) vfstest.World {
		fs := confined()
		w := memory(fs, fs)
		w.Outside = "/ws-evil"
		return w
	}}
}

func confined() *memfs.FS {
	fs := memfs.New(memfs.Options{Roots: []string{"/ws"}, OwnVersions: true, NoSync: true, MaxGuardedBytes: guardLimit})
	if err := fs.Mkdir("/ws-evil"); err != nil {
		panic(err)
	}
	return fs
}

// onDisk is a world over a new directory; open makes the provider for the workspace.
func onDisk(t testing.TB, open func(ws, state string) (*localfs.FS, error)) vfstest.World {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(base, "ws")
	for _, dir := range []string{ws, ws + "-evil"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	again := func() vfs.Provider {
		p, err := open(ws, filepath.Join(base, "state"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		return p
	}
	w := vfstest.World{
		Provider: again(), Root: ws,
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
		Mkdir:   func(name string) error { return os.Mkdir(name, 0o755) },
		Special: special(), Handles: handles(base),
	}
	if excludesOthers {
		w.Again = again
	}
	return w
}

func onHost() vfstest.Config {
	return vfstest.Config{Name: "localfs Host", New: func(t testing.TB) vfstest.World {
		return onDisk(t, func(ws, state string) (*localfs.FS, error) {
			return localfs.Host(localfs.Options{Cwd: ws, StateDir: state, MaxGuardedBytes: guardLimit})
		})
	}}
}

func inRoot() vfstest.Config {
	return vfstest.Config{Name: "localfs Root", New: func(t testing.TB) vfstest.World {
		w := onDisk(t, func(ws, state string) (*localfs.FS, error) {
			return localfs.Root([]string{ws}, localfs.Options{StateDir: state, MaxGuardedBytes: guardLimit, NoSync: true})
		})
		w.Outside = w.Root + "-evil"
		return w
	}}
}
