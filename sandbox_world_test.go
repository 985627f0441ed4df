package toolfs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// fenced is tools over a fenced disk: a workspace, what lies beside it, and a directory
// among the system's temporary files, where the workspace itself must not be.
type fenced struct {
	*testing.T
	base, ws, out, tmp string

	host   bool // serve the whole machine, not only ws and tmp
	guard  bool // read before write
	answer func(context.Context, approval.Request) (approval.Answer, error)
	asked  []approval.Request

	sandbox  *sandbox.Service
	approval *approval.Service
	tools    *toolfs.Toolset
}

func newFenced(t *testing.T) *fenced {
	t.Helper()
	f := &fenced{T: t, host: true, base: scratch(t, "/var/tmp"), tmp: scratch(t, "/tmp")}
	f.ws, f.out = filepath.Join(f.base, "ws"), filepath.Join(f.base, "out")
	f.must(os.Mkdir(f.ws, 0o755), os.Mkdir(f.out, 0o755))
	return f
}

func scratch(t *testing.T, in string) string {
	t.Helper()
	dir, err := os.MkdirTemp(in, "toolfs-fenced")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// open puts tools with this standing mode over the disk.
func (f *fenced) open(mode sandbox.Mode, change ...func(*localfs.Sandbox)) {
	f.Helper()
	s := localfs.Sandbox{Mode: mode}
	for _, c := range change {
		c(&s)
	}
	o := localfs.Options{Cwd: f.ws, StateDir: filepath.Join(f.base, "state"), NoSync: true, Sandbox: &s, IgnoreFile: ".agentignore"}
	disk, err := localfs.Host(o)
	if !f.host {
		disk, err = localfs.Root([]string{f.ws, f.tmp}, o)
	}
	f.must(err)
	f.Cleanup(func() { f.must(disk.Close()) })
	f.sandbox, err = sandbox.NewService(sandbox.Options{Mode: mode})
	f.must(err)
	f.approval, err = approval.NewService(approval.Options{Answerer: func(ctx context.Context, r approval.Request) (approval.Answer, error) {
		f.asked = append(f.asked, r)
		return f.answer(ctx, r)
	}})
	f.must(err)
	f.tools, err = toolfs.New(toolfs.Options{Provider: disk, Unguarded: !f.guard, Sandbox: f.sandbox, Approval: f.approval})
	f.must(err)
	f.Cleanup(func() { f.must(f.tools.Close()) })
}

func (f *fenced) must(errs ...error) {
	f.Helper()
	for _, err := range errs {
		if err != nil {
			f.Fatal(err)
		}
	}
}

func (f *fenced) file(path, content string) string {
	f.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.ws, path)
	}
	f.must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644))
	return path
}

type arguments map[string]any

// with adds what asks for a wider mode.
func (a arguments) with(mode sandbox.Mode) arguments {
	a["sandbox_permissions"], a["justification"] = string(mode), "the test needs it"
	return a
}

func (f *fenced) run(name string, a arguments) tool.Result {
	f.Helper()
	raw, err := json.Marshal(a)
	f.must(err)
	return f.tools.Execute(f.Context(), tool.Call{ID: "call", Name: name, Arguments: raw, Session: &tool.Session{ID: "A", Cwd: f.ws}})
}

func (f *fenced) ok(name string, a arguments) {
	f.Helper()
	if r := f.run(name, a); r.IsError {
		f.Fatalf("%s %v: %s", name, a, r.Error.Message)
	}
}

// refused runs a call that must fail with this code, "" for none, and gives its message.
func (f *fenced) refused(name string, a arguments, code vfs.Code) string {
	f.Helper()
	r := f.run(name, a)
	if !r.IsError {
		f.Fatalf("%s %v: %v", name, a, r.Content)
	}
	if got := resultCode(r); got != code {
		f.Errorf("%s %v fails with %q %s, not %q", name, a, got, r.Error.Message, code)
	}
	return r.Error.Message
}

func resultCode(r tool.Result) vfs.Code {
	if r.Error == nil || r.Error.Info == nil {
		return ""
	}
	return vfs.Code(r.Error.Info.Code)
}

func (f *fenced) holds(path, content string) {
	f.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.ws, path)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		f.Errorf("%s holds %q (%v), not %q", path, got, err, content)
	}
}

// say answers every question alike.
func say(o tool.Outcome) func(context.Context, approval.Request) (approval.Answer, error) {
	return func(context.Context, approval.Request) (approval.Answer, error) {
		return approval.Answer{Outcome: o}, nil
	}
}

// allow answers every question with leave for this scope.
func allow(s approval.Scope) func(context.Context, approval.Request) (approval.Answer, error) {
	return func(context.Context, approval.Request) (approval.Answer, error) {
		return approval.Answer{Outcome: approval.AllowedOnce, Scope: s}, nil
	}
}

// settle makes all look old, so that whatever is done in a directory shows in its time.
func (f *fenced) settle() {
	f.Helper()
	ago := time.Unix(1e9, 0)
	for _, top := range []string{f.base, f.tmp} {
		f.must(filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Type()&fs.ModeSymlink != 0 {
				return err
			}
			return os.Chtimes(path, ago, ago)
		}))
	}
}

// tree is all that is in the places, and when each was last changed.
func (f *fenced) tree() map[string]string {
	f.Helper()
	all := map[string]string{}
	for _, top := range []string{f.base, f.tmp} {
		f.must(filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			content := ""
			switch {
			case d.Type()&fs.ModeSymlink != 0:
				content, err = os.Readlink(path)
			case d.Type().IsRegular():
				var data []byte
				data, err = os.ReadFile(path)
				content = string(data)
			}
			all[path] = fmt.Sprintf("%s %s %q", info.Mode(), info.ModTime().UTC(), content)
			return err
		}))
	}
	return all
}
