package wall

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// TestMain is also the worker and the other children of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 1 {
		goleak.VerifyTestMain(m)
		return
	}
	connection := os.NewFile(Connection, "")
	var err error
	switch os.Args[1] {
	case "worker":
		err = Work(context.Background(), connection)
	case "broken-worker":
		err = work(context.Background(), connection, openBroken)
	case "crashing-worker":
		err = work(context.Background(), connection, openCrashing)
	case "mute-worker":
		select {}
	case "starter":
		err = starter(os.Args[2], os.Args[3])
	case "self":
		if err = json.NewEncoder(os.Stdout).Encode(selfConfined(os.Args[2], os.Args[3], sandbox.Mode(os.Args[4]))); err == nil {
			os.Exit(0)
		}
	default:
		goleak.VerifyTestMain(m)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// With the race detector, an ordinary exit would take a second.
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// needLandlock skips where the kernel lacks what is tested.
func needLandlock(t testing.TB) {
	t.Helper()
	if ABI() > 0 {
		return
	}
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		t.Fatal(noLandlock)
	}
	t.Skip(noLandlock)
}

// places are a workspace and a directory outside of it, each with a file f; to-f
// leads from the one to the other.
func places(t testing.TB) (ws, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, outside = filepath.Join(base, "ws"), filepath.Join(base, "ws-evil")
	for _, dir := range []string{ws, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "f"), filepath.Join(ws, "to-f")); err != nil {
		t.Fatal(err)
	}
	return ws, outside
}

// behind makes a provider of the whole machine whose changes are made behind the wall.
func behind(t testing.TB, ws string, o Options, more ...func(*localfs.Options)) *FS {
	t.Helper()
	needLandlock(t)
	files := localfs.Options{Cwd: ws, StateDir: filepath.Join(filepath.Dir(ws), "state"), NoSync: true,
		Sandbox: &localfs.Sandbox{Mode: sandbox.WorkspaceWrite, NoTemp: true}}
	for _, m := range more {
		m(&files)
	}
	inner, err := localfs.Host(files)
	if err != nil {
		t.Fatal(err)
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	f, err := New(t.Context(), inner, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func target(t testing.TB, p vfs.Provider, name string) vfs.Target {
	t.Helper()
	to, err := p.Resolve(t.Context(), "", name)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func content(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
