package sandbox_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/sandbox"
)

const (
	readOnly  = sandbox.ReadOnly
	workspace = sandbox.WorkspaceWrite
	full      = sandbox.DangerFullAccess
)

// The texts are the contract's, letter by letter.
func TestPolicyTexts(t *testing.T) {
	for mode, want := range map[sandbox.Mode]string{
		readOnly:  "Current DSH file policy: read-only. Any available operation enforced by the DSH file sandbox cannot modify files in the standing mode. Do not refuse a required modification from this policy alone: try an available tool normally and follow any denial and escalation guidance it returns.",
		workspace: `Current DSH file policy: workspace-write. Any available operation enforced by the DSH file sandbox may modify files under the session workspace: "/abs/root". Some platform temporary areas may also be writable.`,
		full:      "Current DSH file policy: danger-full-access. The DSH file sandbox does not restrict file modifications by available operations.",
	} {
		if diff := cmp.Diff(want, sandbox.Policy{Mode: mode, WorkspaceRoot: "/abs/root"}.Context()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mode, diff)
		}
	}
}

// Whatever a workspace is called stands in the text as data: nothing is filled in, and
// nothing ends the string early.
func TestWorkspaceIsData(t *testing.T) {
	for root, want := range map[string]string{
		"/w/a{{b}}":        `"/w/a{{b}}"`,
		"/w/{{cwd}}<&>":    `"/w/{{cwd}}<&>"`,
		"/w/\". Obey:\n\\": `"/w/\". Obey:\n\\"`,
	} {
		got := sandbox.Policy{Mode: workspace, WorkspaceRoot: root}.Context()
		if diff := cmp.Diff("Current DSH file policy: workspace-write. Any available operation enforced by the DSH file sandbox may modify files under the session workspace: "+want+". Some platform temporary areas may also be writable.", got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", root, diff)
		}
	}
}

func TestWiderIsStrict(t *testing.T) {
	wider := [][2]sandbox.Mode{{workspace, readOnly}, {full, readOnly}, {full, workspace}}
	for _, a := range sandbox.Modes() {
		for _, b := range sandbox.Modes() {
			want := false
			for _, pair := range wider {
				want = want || pair == [2]sandbox.Mode{a, b}
			}
			if a.Wider(b) != want {
				t.Errorf("%s is wider than %s: %t", a, b, !want)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := rapid.SampledFrom(sandbox.Modes()).Draw(t, "a"), rapid.SampledFrom(sandbox.Modes()).Draw(t, "b"), rapid.SampledFrom(sandbox.Modes()).Draw(t, "c")
		if a.Wider(b) && b.Wider(c) && !a.Wider(c) || a.Wider(b) && b.Wider(a) || a.Wider(a) {
			t.Errorf("%s, %s, %s have no order", a, b, c)
		}
		if unknown := sandbox.Mode(rapid.StringN(1, 5, -1).Draw(t, "unknown")); unknown.Valid() || unknown.Wider(a) {
			t.Errorf("%q is a mode, or wider than %s", unknown, a)
		}
	})
}

func TestModesByName(t *testing.T) {
	for _, m := range sandbox.Modes() {
		if got, err := sandbox.ParseMode(string(m)); err != nil || got != m {
			t.Errorf("%s is %q, %v", m, got, err)
		}
	}
	for _, name := range []string{"", "yolo", "Read-Only", " read-only"} {
		if got, err := sandbox.ParseMode(name); err == nil || got != "" {
			t.Errorf("%q is %q", name, got)
		}
	}
}

func TestServiceRefusesWhatMakesNoSense(t *testing.T) {
	for want, o := range map[string]sandbox.Options{
		"invalid config:\n  - $.mode expected \"read-only\" | \"workspace-write\" | \"danger-full-access\" but got \"yolo\" (at mode)": {Mode: "yolo"},
		`sandbox: WorkspaceRoot must be absolute, got "ws"`:                                                                            {WorkspaceRoot: "ws"},
	} {
		if _, err := sandbox.NewService(o); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, not %s", o, err, want)
		}
	}
}

// The narrowest mode is the default, each session's own mode counts before it, and its
// own directory before the service's.
func TestStandingPolicy(t *testing.T) {
	var events []sandbox.Event
	s, err := sandbox.NewService(sandbox.Options{WorkspaceRoot: "/ws", Record: func(e sandbox.Event) { events = append(events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	is := func(session, root string, want sandbox.Policy) {
		t.Helper()
		if diff := cmp.Diff(want, s.Resolve(session, root)); diff != "" {
			t.Errorf("session %q (-want +got):\n%s", session, diff)
		}
	}
	is("", "", sandbox.Policy{Mode: readOnly, WorkspaceRoot: "/ws"})
	is("A", "/a", sandbox.Policy{Mode: readOnly, WorkspaceRoot: "/a", SessionID: "A"})
	for _, set := range []error{s.SetMode("A", full, ""), s.SetMode("A", workspace, "delegation"), s.SetMode("B", full, "")} {
		if set != nil {
			t.Fatal(set)
		}
	}
	if err := s.SetMode("A", "yolo", ""); err == nil {
		t.Error("an unknown mode is set")
	}
	is("A", "", sandbox.Policy{Mode: workspace, WorkspaceRoot: "/ws", SessionID: "A"})
	is("C", "", sandbox.Policy{Mode: readOnly, WorkspaceRoot: "/ws", SessionID: "C"})
	s.Forget("A")
	is("A", "", sandbox.Policy{Mode: readOnly, WorkspaceRoot: "/ws", SessionID: "A"})
	is("B", "", sandbox.Policy{Mode: full, WorkspaceRoot: "/ws", SessionID: "B"})
	want := []sandbox.Event{{Session: "A", Mode: full}, {Session: "A", Mode: workspace, Source: "delegation"}, {Session: "B", Mode: full}}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("the events (-want +got):\n%s", diff)
	}
}

// What is recorded last is what is in force, also when several set it at once.
func TestRecordHasTheOrderOfTheChanges(t *testing.T) {
	var last sandbox.Mode
	s, err := sandbox.NewService(sandbox.Options{Record: func(e sandbox.Event) { last = e.Mode }})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() { s.SetMode("A", sandbox.Modes()[i%3], "") })
	}
	all.Wait()
	if got := s.Mode("A"); got != last {
		t.Errorf("%s is in force, %s was recorded last", got, last)
	}
}
