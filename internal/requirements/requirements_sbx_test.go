package requirements_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
)

// newFence is a world whose disk confines, with the services that go with it. asked are
// the questions; the answer to each is allow once.
func newFence(t *testing.T, mode sandbox.Mode) (w *world, modes *sandbox.Service, asked *[]approval.Request) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	w = &world{T: t, home: filepath.Join(base, "home"), ws: filepath.Join(base, "ws")}
	w.must(err, os.Mkdir(w.home, 0o755), os.Mkdir(w.ws, 0o755))
	w.disk, err = localfs.Host(localfs.Options{Cwd: w.home, StateDir: t.TempDir(), NoSync: true, Sandbox: &localfs.Sandbox{Mode: mode, NoTemp: true}})
	w.must(err)
	t.Cleanup(func() { w.must(w.disk.Close()) })
	modes, err = sandbox.NewService(sandbox.Options{Mode: mode})
	w.must(err)
	asked = &[]approval.Request{}
	asks, err := approval.NewService(approval.Options{Answerer: func(_ context.Context, r approval.Request) (approval.Answer, error) {
		*asked = append(*asked, r)
		return approval.Answer{Outcome: approval.AllowedOnce}, nil
	}})
	w.must(err)
	w.open(unguarded, func(o *toolfs.Options) { o.Sandbox, o.Approval = modes, asks })
	return w, modes, asked
}

// deniedUnder is what a model reads of a change that a mode does not allow.
func deniedUnder(mode sandbox.Mode) string {
	return "[sandbox: file access denied under " + string(mode) + " mode]\n[sandbox: escalation available — retry this exact operation once with sandbox_permissions (the narrowest wider mode that suffices) + justification; the approval prompt asks the user]"
}

var escalationArgs = []string{"sandbox_permissions", "justification"}

// properties are the names of a tool's arguments.
func (w *world) properties(name string) (names []string) {
	w.Helper()
	def, ok := w.set.Registry().Get(name, nil)
	if !ok {
		w.Fatalf("%s is not registered", name)
	}
	var schema struct{ Properties map[string]any }
	w.must(json.Unmarshal(def.Parameters.JSON(), &schema))
	for name := range schema.Properties {
		names = append(names, name)
	}
	return names
}

var sbxTests = tests{
	// A provider that confines takes the service that knows each session's policy.
	"R-ARCH-06": func(t *testing.T) {
		w, modes, _ := newFence(t, sandbox.ReadOnly)
		if _, err := toolfs.New(toolfs.Options{Provider: w.disk}); err == nil || err.Error() != "tool-fs: the mounted filesystem confines but ctx.sandboxPolicy is missing" {
			t.Errorf("without the service: %v", err)
		}
		w.must(modes.SetMode("A", sandbox.WorkspaceWrite, ""))
		w.ok("write", args{"file_path": "f", "content": "a"})
		failure(t, w.set.Execute(t.Context(), w.callOf("B", "write", args{"file_path": "g", "content": "a"})), "FS_SANDBOX_DENIED", deniedUnder(sandbox.ReadOnly))
		w.lacks(w.path("g"))
	},

	// A change can ask for a wider mode, once.
	"R-ARCH-07": func(t *testing.T) {
		w, _, asked := newFence(t, sandbox.ReadOnly)
		for _, name := range []string{"write", "edit"} {
			a := args{"file_path": "f", "sandbox_permissions": "workspace-write", "justification": "why"}
			if name == "write" {
				a["content"] = "a"
			} else {
				a["old_string"], a["new_string"] = "a", "b"
			}
			w.ok(name, a)
			delete(a, "sandbox_permissions")
			delete(a, "justification")
			w.fails(name, a, "FS_SANDBOX_DENIED", deniedUnder(sandbox.ReadOnly))
		}
		w.holds(w.path("f"), "b")
		equal(t, "questions", 2, len(*asked))
	},

	// The two arguments are there for changes under a provider that confines, whatever
	// its mode, and only there.
	"R-SBX-01": func(t *testing.T) {
		for _, mode := range append(sandbox.Modes(), "") {
			w := newWorld(t)
			if mode != "" {
				w, _, _ = newFence(t, mode)
			}
			for _, name := range family {
				for _, argument := range escalationArgs {
					want := mode != "" && (name == "write" || name == "edit")
					if slices.Contains(w.properties(name), argument) != want {
						t.Errorf("under %q, %s has %s: %t", mode, name, argument, !want)
					}
				}
			}
		}
		w := newWorld(t)
		w.fails("write", args{"file_path": "f", "content": "a", "sandbox_permissions": "workspace-write", "justification": "why"}, "",
			"sandbox_permissions is not available in this composition (no sandboxing filesystem to escalate)")
		w.lacks(w.path("f"))
	},

	// What is asked for goes through the approval service; without one it fails.
	"R-SBX-02": func(t *testing.T) {
		w, modes, asked := newFence(t, sandbox.ReadOnly)
		a := args{"file_path": "f", "content": "a", "sandbox_permissions": "workspace-write", "justification": "why"}
		w.ok("write", a)
		equal(t, "questions", 1, len(*asked))
		r := (*asked)[0]
		equal(t, "the reason", "escalate sandbox to workspace-write: why", r.Reason())
		equal(t, "what is asked", []string{"A", "call-1", "write", w.path("f"), "create"}, []string{r.Session, r.CallID, r.Tool, r.Path, r.Operation})
		w.open(unguarded, func(o *toolfs.Options) { o.Sandbox = modes })
		w.fails("write", a, "", `sandbox escalation to "workspace-write" requires approval, but no approval service is composed`)
	},

	// The standing policy is told in words that name no tool.
	"R-SBX-03": func(t *testing.T) {
		w, modes, _ := newFence(t, sandbox.ReadOnly)
		told := func() string { return w.set.Contexts(tool.Session{ID: "A", Cwd: w.ws})[0].Text }
		const head, subject = "Current DSH file policy: ", "Any available operation enforced by the DSH file sandbox "
		equal(t, "read-only", head+"read-only. "+subject+"cannot modify files in the standing mode. Do not refuse a required modification from this policy alone: try an available tool normally and follow any denial and escalation guidance it returns.", told())
		w.must(modes.SetMode("A", sandbox.WorkspaceWrite, ""))
		equal(t, "workspace-write", head+"workspace-write. "+subject+`may modify files under the session workspace: "`+w.ws+`". Some platform temporary areas may also be writable.`, told())
		w.must(modes.SetMode("A", sandbox.DangerFullAccess, ""))
		equal(t, "danger-full-access", head+"danger-full-access. The DSH file sandbox does not restrict file modifications by available operations.", told())
	},

	// A denial says under which mode, and how this very operation may be tried again.
	"R-SBX-04": func(t *testing.T) {
		w, modes, _ := newFence(t, sandbox.ReadOnly)
		w.file("f", "a")
		w.file("../home/f", "a")
		w.fails("write", args{"file_path": "f", "content": "b"}, "FS_SANDBOX_DENIED", deniedUnder(sandbox.ReadOnly))
		w.fails("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"}, "FS_SANDBOX_DENIED", deniedUnder(sandbox.ReadOnly))
		w.must(modes.SetMode("A", sandbox.WorkspaceWrite, ""))
		w.fails("write", args{"file_path": "../home/f", "content": "b"}, "FS_SANDBOX_DENIED", deniedUnder(sandbox.WorkspaceWrite))
		w.fails("edit", args{"file_path": w.home + "/f", "old_string": "a", "new_string": "b"}, "FS_SANDBOX_DENIED", deniedUnder(sandbox.WorkspaceWrite))
		w.holds(w.path("f"), "a")
		w.holds(w.home+"/f", "a")
	},
}
