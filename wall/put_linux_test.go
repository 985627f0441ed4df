package wall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

func TestPutIsMadeByTheWorker(t *testing.T) {
	ws, _ := places(t)
	f := behind(t, ws, Options{})
	if s := f.Status(); !s.Confined || s.ABI < 1 || s.Why == "" {
		t.Errorf("the status is %+v", s)
	}
	to := target(t, f, "d/new")
	info, err := f.Put(t.Context(), to, []byte("hello"), vfs.PutOptions{If: vfs.IfAbsent()})
	if err != nil || info.Version != vfs.VersionOf([]byte("hello")) || info.Size != 5 {
		t.Errorf("created as %+v, %v", info, err)
	}
	info, err = f.Put(t.Context(), to, []byte("more"), vfs.PutOptions{If: vfs.IfVersion(info.Version)})
	if err != nil || excludesOthers && info.Publication.Guarantee != vfs.GuaranteeExchanged {
		t.Errorf("replaced as %+v, %v", info, err)
	}
	if got := content(t, filepath.Join(ws, "d/new")); got != "more" {
		t.Errorf("the file holds %q", got)
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	ws, outside := places(t)
	f := behind(t, ws, Options{})
	bare, err := localfs.Host(f.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	cancelled, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("why")
	cancel(cause)
	for _, tt := range []struct {
		name string
		file string
		ctx  context.Context
		o    vfs.PutOptions
		code vfs.Code
		is   error
	}{
		{"exists", "f", t.Context(), vfs.PutOptions{If: vfs.IfAbsent()}, vfs.CodeNotObserved, fs.ErrExist},
		{"stale", "f", t.Context(), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf(nil))}, vfs.CodeStaleVersion, nil},
		{"gone", "none", t.Context(), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf(nil))}, vfs.CodeStaleVersion, fs.ErrNotExist},
		{"bytes", "\xff/none", t.Context(), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf(nil))}, vfs.CodeStaleVersion, fs.ErrNotExist},
		{"directory", ".", t.Context(), vfs.PutOptions{}, vfs.CodeSandboxDenied, fs.ErrPermission},
		{"outside", filepath.Join(outside, "f"), t.Context(), vfs.PutOptions{}, vfs.CodeSandboxDenied, fs.ErrPermission},
		{"protected", ".git/config", t.Context(), vfs.PutOptions{}, vfs.CodeSandboxDenied, fs.ErrPermission},
		{"read-only", "f", t.Context(), vfs.PutOptions{Sandbox: sandbox.Policy{Mode: sandbox.ReadOnly}}, vfs.CodeSandboxDenied, fs.ErrPermission},
		{"cancelled", "f", cancelled, vfs.PutOptions{}, vfs.CodeAborted, cause},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to := target(t, f, tt.file)
			_, err := f.Put(tt.ctx, to, []byte("x"), tt.o)
			_, want := bare.Put(tt.ctx, to, []byte("x"), tt.o)
			if tt.name != "directory" && vfs.CodeOf(err) != tt.code {
				t.Errorf("%v has code %s, not %s", err, vfs.CodeOf(err), tt.code)
			}
			if err == nil || err.Error() != want.Error() || vfs.CodeOf(err) != vfs.CodeOf(want) {
				t.Errorf("behind the wall: %v; without: %v", err, want)
			}
			if tt.is != nil && errors.Is(err, tt.is) != errors.Is(want, tt.is) {
				t.Errorf("%v is %v: %t, without the wall %t", err, tt.is, errors.Is(err, tt.is), errors.Is(want, tt.is))
			}
			got, _ := errors.AsType[*sandbox.DeniedError](err)
			denied, _ := errors.AsType[*sandbox.DeniedError](want)
			if (got == nil) != (denied == nil) || got != nil && *got != *denied {
				t.Errorf("denied by %+v; without the wall by %+v", got, denied)
			}
		})
	}
	if got := content(t, filepath.Join(outside, "f")); got != "old" {
		t.Errorf("the file outside holds %q", got)
	}
}

// TestEscalation is the way of a call that a person allowed to do more: from read-only to
// the worker, and from there on to here.
func TestEscalation(t *testing.T) {
	ws, outside := places(t)
	f := behind(t, ws, Options{}, func(o *localfs.Options) { o.Sandbox.Mode = sandbox.ReadOnly })
	if f.workers.workers[ws] != nil || !f.Status().Confined {
		t.Errorf("in read-only mode a worker runs already, or the status is %+v", f.Status())
	}
	inside, beyond := target(t, f, "f"), target(t, f, filepath.Join(outside, "f"))
	put := func(to vfs.Target, mode sandbox.Mode, want vfs.Code) {
		t.Helper()
		_, err := f.Put(t.Context(), to, []byte(mode), vfs.PutOptions{Sandbox: sandbox.Policy{Mode: mode}})
		if vfs.CodeOf(err) != want {
			t.Errorf("a change of %s in mode %q gives %v", to.Path, mode, err)
		}
	}
	put(inside, "", vfs.CodeSandboxDenied)
	put(inside, sandbox.WorkspaceWrite, "")
	put(beyond, sandbox.WorkspaceWrite, vfs.CodeSandboxDenied)
	put(beyond, sandbox.DangerFullAccess, "")
	put(beyond, sandbox.WorkspaceWrite, vfs.CodeSandboxDenied)
	if got := content(t, filepath.Join(ws, "f")) + " " + content(t, filepath.Join(outside, "f")); got != "workspace-write danger-full-access" {
		t.Errorf("the files hold %q", got)
	}
}

// TestWritableRootsThatCome is a writable directory that is made, or made anew, while
// the worker runs.
func TestWritableRootsThatCome(t *testing.T) {
	ws, _ := places(t)
	later := filepath.Join(filepath.Dir(ws), "later")
	f := behind(t, ws, Options{}, func(o *localfs.Options) { o.Sandbox.WritableRoots = []string{later} })
	for range 2 {
		if err := os.MkdirAll(filepath.Join(later, "d"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Put(t.Context(), target(t, f, filepath.Join(later, "d/e/f")), []byte("x"), vfs.PutOptions{}); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(later); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSessionsOfTheirOwn is calls for different workspaces, more than there are workers.
func TestSessionsOfTheirOwn(t *testing.T) {
	ws, outside := places(t)
	f := behind(t, ws, Options{})
	for i := range maxWorkers + 2 {
		dir := filepath.Join(outside, fmt.Sprint("session-", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		policy := sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: dir}
		if _, err := f.Put(t.Context(), target(t, f, filepath.Join(dir, "f")), []byte("x"), vfs.PutOptions{Sandbox: policy}); err != nil {
			t.Error(err)
		}
		if _, err := f.Put(t.Context(), target(t, f, "f"), []byte("x"), vfs.PutOptions{Sandbox: policy}); vfs.CodeOf(err) != vfs.CodeSandboxDenied {
			t.Errorf("another session's workspace: %v", err)
		}
	}
	if n := len(f.workers.workers); n > maxWorkers {
		t.Errorf("%d workers run", n)
	}
}

// TestWithheldFiles are withheld by the worker as well.
func TestWithheldFiles(t *testing.T) {
	ws, _ := places(t)
	f := behind(t, ws, Options{}, func(o *localfs.Options) { o.Deny, o.IgnoreFile = []string{"*.key"}, ".agentignore" })
	if err := os.WriteFile(filepath.Join(ws, ".agentignore"), []byte("/hidden\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"my.key", "hidden"} {
		path := filepath.Join(ws, name)
		if _, err := f.Put(t.Context(), vfs.Target{Key: path, Path: path}, []byte("x"), vfs.PutOptions{}); vfs.CodeOf(err) != vfs.CodePermissionDenied {
			t.Errorf("%s: %v", name, err)
		}
	}
}
