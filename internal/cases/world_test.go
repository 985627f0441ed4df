//go:build linux

package cases_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// args are a call's arguments.
type args map[string]any

// world is a workspace on a real disk, what lies beside it, and the tools over it.
type world struct {
	onThread bool // calls must stay on the caller's thread

	*testing.T
	base    string // holds ws, cache and out, and nothing else
	ws      string
	cache   string
	out     string
	state   string // the provider's own, elsewhere
	disk    vfs.Provider
	gate    *gate.Gate
	set     *toolfs.Toolset
	session string
}

// newWorld serves the whole machine, under the policy unless change says otherwise.
func newWorld(t *testing.T, change ...func(*toolfs.Options)) *world {
	t.Helper()
	w := newPlaces(t)
	disk, err := localfs.Host(localfs.Options{Cwd: w.ws, StateDir: w.state, NoSync: true})
	w.must(err)
	t.Cleanup(func() { w.must(disk.Close()) })
	w.disk = disk
	w.open(change...)
	return w
}

// confined serves the workspace and the cache only.
func confined(t *testing.T, change ...func(*toolfs.Options)) *world {
	t.Helper()
	w := newPlaces(t)
	disk, err := localfs.Root([]string{w.ws, w.cache}, localfs.Options{StateDir: w.state, NoSync: true})
	w.must(err)
	t.Cleanup(func() { w.must(disk.Close()) })
	w.disk = disk
	w.open(change...)
	return w
}

func newPlaces(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	w := &world{T: t, base: base, state: t.TempDir(), session: "A",
		ws: filepath.Join(base, "ws"), cache: filepath.Join(base, "cache"), out: filepath.Join(base, "out")}
	w.must(err, os.Mkdir(w.ws, 0o755), os.Mkdir(w.cache, 0o755), os.Mkdir(w.out, 0o755))
	return w
}

// open puts new tools, with a gate of their own, over the disk.
func (w *world) open(change ...func(*toolfs.Options)) {
	w.Helper()
	w.gate = &gate.Gate{}
	o := toolfs.Options{Provider: w.disk, Gate: w.gate}
	for _, c := range change {
		c(&o)
	}
	set, err := toolfs.New(o)
	w.must(err)
	w.set = set
	w.Cleanup(func() { w.must(set.Close()) })
}

func unguarded(o *toolfs.Options) { o.Unguarded = true }

func over(p vfs.Provider) func(*toolfs.Options) {
	return func(o *toolfs.Options) { o.Provider = p }
}

// as is the same world, seen by another session.
func (w *world) as(session string) *world {
	other := *w
	other.session = session
	return &other
}

func (w *world) must(errs ...error) {
	w.Helper()
	for _, err := range errs {
		if err != nil {
			w.Fatal(err)
		}
	}
}

// path is a name's in the workspace; an absolute one is its own.
func (w *world) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return w.ws + "/" + name
}

// file puts content into a file behind the tools' back.
func (w *world) file(name, content string) string {
	w.Helper()
	path := w.path(name)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644))
	return path
}

// holds fails unless a file has exactly these bytes.
func (w *world) holds(name, content string) {
	w.Helper()
	got, err := os.ReadFile(w.path(name))
	if err != nil || string(got) != content {
		w.Errorf("%s holds %s (%v), not %s", name, brief(string(got)), err, brief(content))
	}
}

func brief(s string) string {
	if len(s) > 200 {
		return fmt.Sprintf("%q… (%d bytes)", s[:200], len(s))
	}
	return fmt.Sprintf("%q", s)
}

// untouched remembers all of a file, and fails when called unless it is all the same:
// bytes, identity, mode and times.
func (w *world) untouched(name string) (check func()) {
	w.Helper()
	state := func() string {
		content, err := os.ReadFile(w.path(name))
		info, err2 := os.Stat(w.path(name))
		w.must(err, err2)
		st := info.Sys().(*syscall.Stat_t)
		return fmt.Sprint(st.Ino, info.Mode(), info.ModTime(), st.Ctim, string(content))
	}
	before := state()
	return func() {
		w.Helper()
		if state() != before {
			w.Errorf("%s was touched", name)
		}
	}
}

// only fails unless a directory has exactly these children: nothing is left over.
func (w *world) only(dir string, names ...string) {
	w.Helper()
	entries, err := os.ReadDir(w.path(dir))
	w.must(err)
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(names)
	if diff := cmp.Diff(append([]string{}, names...), got); diff != "" {
		w.Errorf("what is in %s (-want +got):\n%s", dir, diff)
	}
}

func (w *world) call(name string, a args) tool.Call {
	w.Helper()
	raw, err := json.Marshal(a)
	w.must(err)
	return tool.Call{ID: "call", Name: name, Arguments: raw, Session: &tool.Session{ID: w.session, Cwd: w.ws}}
}

func (w *world) run(name string, a args) tool.Result {
	w.Helper()
	ctx := w.Context()
	if w.onThread {
		ctx = context.WithoutCancel(ctx)
	}
	return w.set.Execute(ctx, w.call(name, a))
}

// ok runs a call that must succeed and gives its text.
func (w *world) ok(name string, a args) string {
	w.Helper()
	return w.text(w.run(name, a))
}

// text is the one text block of a success.
func (w *world) text(r tool.Result) string {
	w.Helper()
	if r.IsError || len(r.Content) != 1 || r.Content[0].Type != "text" {
		w.Fatalf("no success with one text: %v", r.Content)
	}
	return r.Content[0].Text
}

// refused runs a call that must fail with this code, and gives its message.
func (w *world) refused(name string, a args, code vfs.Code) string {
	w.Helper()
	return w.failed(w.run(name, a), code)
}

func (w *world) failed(r tool.Result, code vfs.Code) string {
	w.Helper()
	switch {
	case !r.IsError:
		w.Fatalf("no failure: %v", r.Content)
	case codeOf(r) != code:
		w.Errorf("the failure is %s %s, not %s", codeOf(r), r.Error.Message, code)
	}
	return r.Error.Message
}

// says fails unless a message is this.
func (w *world) says(got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("it says %q, not %q", got, want)
	}
}

func codeOf(r tool.Result) vfs.Code {
	if r.Error == nil || r.Error.Info == nil {
		return ""
	}
	return vfs.Code(r.Error.Info.Code)
}

func path(name string) args           { return args{"file_path": name} }
func write(name, content string) args { return args{"file_path": name, "content": content} }
func edit(name, old, new string) args {
	return args{"file_path": name, "old_string": old, "new_string": new}
}
func editAll(name, old, new string) args {
	return args{"file_path": name, "old_string": old, "new_string": new, "replace_all": true}
}

// edited reads a file, edits it, and fails unless it then has exactly these bytes.
func (w *world) edited(before, old, new, after string) {
	w.Helper()
	w.file("f", before)
	w.ok("read", path("f"))
	w.ok("edit", edit("f", old, new))
	w.holds("f", after)
}

// shown are the lines of a read's text, with their numbers taken off, and its footer.
func (w *world) shown(text string) (lines []string, footer string) {
	w.Helper()
	_, body, ok := strings.Cut(text, "</path>\n<type>file</type>\n<content>\n")
	body, ok2 := strings.CutSuffix(body, "\n</content>")
	if !ok || !ok2 {
		w.Fatalf("no envelope: %s", brief(text))
	}
	end := strings.LastIndexByte(body, '\n') + 1
	body, footer = body[:end], body[end:]
	if body == "" {
		return nil, footer
	}
	for numbered := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n") {
		_, line, ok := strings.Cut(numbered, ": ")
		if !ok {
			w.Fatalf("no number: %q", numbered)
		}
		lines = append(lines, line)
	}
	return lines, footer
}

// lines reads a file and gives its lines.
func (w *world) lines(name string) []string {
	w.Helper()
	lines, _ := w.shown(w.ok("read", path(name)))
	return lines
}

// wantLines fails unless read shows these lines.
func (w *world) wantLines(name string, want ...string) {
	w.Helper()
	if diff := cmp.Diff(want, w.lines(name)); diff != "" {
		w.Errorf("the lines of %s (-want +got):\n%s", name, diff)
	}
}

// patience bounds a wait for what must happen.
const patience = 10 * time.Second

// within fails, without waiting for the end, if f takes for ever.
func within(t *testing.T, f func(ctx context.Context)) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(t.Context())
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it blocks")
	}
}

// cannot skips a test for want of something, which is a failure where nothing may be
// skipped.
func cannot(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		cannot(t, "it needs root, to act on files of others")
	}
}
