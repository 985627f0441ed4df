package requirements_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
)

// args are a call's arguments.
type args map[string]any

// world is a real disk and the tools over it. Sessions start from another directory
// than the provider does by itself, so that every test notices a mix-up of the two.
type world struct {
	*testing.T
	home string // the provider's own directory
	ws   string // the sessions' directory
	disk *localfs.FS
	gate *gate.Gate
	set  *toolfs.Toolset
}

func newWorld(t *testing.T, change ...func(*toolfs.Options)) *world {
	t.Helper()
	w := newDisk(t)
	w.open(change...)
	return w
}

// newDisk is a world without tools yet.
func newDisk(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	w := &world{T: t, home: filepath.Join(base, "home"), ws: filepath.Join(base, "ws"), gate: &gate.Gate{}}
	w.must(err, os.Mkdir(w.home, 0o755), os.Mkdir(w.ws, 0o755))
	w.disk, err = localfs.Host(localfs.Options{Cwd: w.home, StateDir: t.TempDir(), NoSync: true})
	w.must(err)
	t.Cleanup(func() { w.must(w.disk.Close()) })
	return w
}

// open puts new tools over the disk, or over what change puts in its place.
func (w *world) open(change ...func(*toolfs.Options)) {
	w.Helper()
	if w.set != nil {
		w.gate = &gate.Gate{}
	}
	o := toolfs.Options{Provider: w.disk, Gate: w.gate, Search: noSearch()}
	for _, c := range change {
		c(&o)
	}
	set, err := toolfs.New(o)
	w.must(err)
	w.set = set
	w.Cleanup(func() { w.must(set.Close()) })
}

// noSearch leaves glob and grep out: the requirements are of the family of the other four.
func noSearch() toolfs.SearchOptions { return toolfs.SearchOptions{Off: true} }

func unguarded(o *toolfs.Options) { o.Unguarded = true }

func limits(l toolfs.Limits) func(*toolfs.Options) {
	return func(o *toolfs.Options) { o.Limits = l }
}

func (w *world) must(errs ...error) {
	w.Helper()
	for _, err := range errs {
		if err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) path(name string) string { return filepath.Join(w.ws, name) }

// file puts a file into the sessions' directory and gives its path.
func (w *world) file(name, content string) string {
	w.Helper()
	path := w.path(name)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644))
	return path
}

// settle makes a file look as if nobody had written to it for long: one that was just
// written may be read a second time, to be sure of what it holds.
func (w *world) settle(name string) {
	w.Helper()
	ago := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(w.path(name), ago, ago))
}

// holds fails unless a file has exactly this content.
func (w *world) holds(path, content string) {
	w.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		w.Errorf("%s holds %q (%v), not %q", path, got, err, content)
	}
}

// lacks fails if there is something at path.
func (w *world) lacks(path string) {
	w.Helper()
	if _, err := os.Lstat(path); err == nil {
		w.Errorf("%s exists", path)
	}
}

// call builds a call of session A.
func (w *world) call(name string, a args) tool.Call {
	w.Helper()
	return w.callOf("A", name, a)
}

func (w *world) callOf(session, name string, a args) tool.Call {
	w.Helper()
	raw, err := json.Marshal(a)
	w.must(err)
	return tool.Call{ID: "call-1", Name: name, Arguments: raw, Session: &tool.Session{ID: session, Cwd: w.ws}}
}

func (w *world) run(name string, a args) tool.Result {
	w.Helper()
	return w.set.Execute(w.Context(), w.call(name, a))
}

// ok runs a call that must succeed and gives its text.
func (w *world) ok(name string, a args) string {
	w.Helper()
	return text(w.T, w.run(name, a))
}

// gives runs a call that must succeed with exactly this text.
func (w *world) gives(name string, a args, want string) {
	w.Helper()
	if diff := cmp.Diff(want, w.ok(name, a)); diff != "" {
		w.Errorf("the text of %s %v (-want +got):\n%s", name, a, diff)
	}
}

// fails runs a call that must fail like this.
func (w *world) fails(name string, a args, code, message string) {
	w.Helper()
	failure(w.T, w.run(name, a), code, message)
}

// text is the one text block of a success.
func text(t *testing.T, r tool.Result) string {
	t.Helper()
	if r.IsError || r.Error != nil {
		t.Fatalf("the call failed: %v", r.Content)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("the content is not one text block: %v", r.Content)
	}
	return r.Content[0].Text
}

// failure fails unless r is a failure with this code ("" for none) and message.
func failure(t *testing.T, r tool.Result, code, message string) {
	t.Helper()
	want := tool.Result{
		IsError: true,
		Content: []tool.Block{tool.TextBlock("Error: " + message)},
		Error:   &tool.Failure{Message: message, Info: errorInfo(code)},
	}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(tool.Failure{}, "Err")); diff != "" {
		t.Errorf("the failure (-want +got):\n%s", diff)
	}
}

func errorInfo(code string) *tool.ErrorInfo {
	name := map[string]string{
		"INVALID_ARGS": "ToolArgsError", "UNKNOWN_TOOL": "ToolNotFoundError", "INVALID_TOOL_OUTPUT": "ToolOutputError",
		"ABORTED": "AbortError", "ABORTED_BEFORE_DISPATCH": "AbortError",
	}[code]
	switch {
	case code == "":
		return nil
	case strings.HasPrefix(code, "FS_"):
		name = "FsError"
	}
	return &tool.ErrorInfo{Name: name, Code: code}
}

// valueJSON is a result's canonical value as JSON text.
func valueJSON(r tool.Result) string { return string(tool.AppendJSON(nil, r.Value)) }

// metaJSON is what is stored for a result's card, as JSON text.
func metaJSON(t *testing.T, r tool.Result) string {
	t.Helper()
	raw, err := json.Marshal(r.Meta)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// equal fails unless got is want.
func equal[V any](t *testing.T, what string, want, got V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
