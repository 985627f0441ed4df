//go:build linux

package cases_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/mcpserver"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// person answers questions, and counts them.
type person struct {
	answer approval.Answer
	asked  int
}

// sandboxed serves the whole machine under a standing mode, with one file outside.
// Nobody has to read before changing.
func sandboxed(t *testing.T, mode sandbox.Mode, policy approval.Policy) (*world, *person) {
	t.Helper()
	w := newPlaces(t)
	w.file(w.out+"/secret", "secret\n")
	disk, err := localfs.Host(localfs.Options{Cwd: w.ws, StateDir: w.state, NoSync: true, Sandbox: &localfs.Sandbox{Mode: mode, NoTemp: true}})
	w.must(err)
	t.Cleanup(func() { w.must(disk.Close()) })
	w.disk = disk
	p := &person{}
	modes, err := sandbox.NewService(sandbox.Options{Mode: mode})
	w.must(err)
	asks, err := approval.NewService(approval.Options{Policy: policy, Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
		p.asked++
		return p.answer, nil
	}})
	w.must(err)
	w.open(unguarded, func(o *toolfs.Options) { o.Sandbox, o.Approval = modes, asks })
	return w, p
}

func (a args) wider(mode sandbox.Mode) args {
	a["sandbox_permissions"], a["justification"] = string(mode), "the test needs it"
	return a
}

// denied makes calls that the fence must refuse, in the words that say how to go on.
func (w *world) denied(name string, a args) {
	w.Helper()
	if got := w.refused(name, a, vfs.CodeSandboxDenied); !strings.HasPrefix(got, "[sandbox: file access denied under ") {
		w.Errorf("%s %v: %s", name, a, got)
	}
}

var sandboxCases = cases{
	// Nothing of a withheld file comes out of any tool, and how many there are is said.
	"116": func(t *testing.T) {
		w := keeping(t, []string{"**/id_rsa", "*.env"}, "")
		w.file("keys/id_rsa", "PRIVATE KEY\n")
		w.file("keys/id_rsa.pub", "public\n")
		w.file("a.env", "PRIVATE=1\n")
		w.kept("keys/id_rsa", "a.env")
		text := w.ok("list", args{"path": "keys"})
		if strings.Contains(text, "id_rsa\n") || !strings.Contains(text, "1 entry is withheld") || !strings.Contains(text, "id_rsa.pub") {
			t.Error(text)
		}
		w.ok("read", args{"file_path": "keys/id_rsa.pub"})
	},

	// Other spellings of a withheld name are withheld.
	"117": func(t *testing.T) {
		w := keeping(t, []string{".env", ".env.*"}, "")
		for _, name := range []string{".env", ".ENV", ".Env", ".Env.local"} {
			w.file(name, "PRIVATE\n")
			w.kept(name)
		}
		w.file("env", "open\n")
		w.ok("read", args{"file_path": "env"})
	},

	// The agent ignore file is the same to every tool.
	"119": func(t *testing.T) {
		w := keeping(t, nil, ".agentignore")
		w.file(".agentignore", "secret/\n")
		w.file("secret/deep/f", "PRIVATE\n")
		w.file("sub/secret", "a file of that name\n")
		w.must(os.Symlink("secret", w.path("way-in")))
		w.kept("secret/deep/f", "way-in/deep/f", "./secret/../secret/deep/f")
		for _, dir := range []string{"secret", "secret/deep", "way-in"} {
			w.refused("list", args{"path": dir}, vfs.CodePermissionDenied)
		}
		if text := w.ok("list", args{}); strings.Contains(text, "secret") || !strings.Contains(text, "1 entry is withheld") {
			t.Error(text)
		}
		w.ok("read", args{"file_path": "sub/secret"})
	},

	// What a client says are its roots neither widens nor replaces what is served.
	"103": func(t *testing.T) {
		w := fence(t)
		w.file("sub/f", "ours\n")
		server, err := mcpserver.New(mcpserver.Options{Toolset: w.set, Cwd: w.ws})
		w.must(err)
		here, there := mcp.NewInMemoryTransports()
		ended := make(chan error, 1)
		go func() { ended <- server.Run(t.Context(), there) }()
		client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
		//lint:ignore SA1019 clients still send roots
		client.AddRoots(&mcp.Root{URI: "file://" + w.ws + "/sub"}, &mcp.Root{URI: "file://" + w.out}, &mcp.Root{URI: "file:///"})
		session, err := client.Connect(t.Context(), here, nil)
		w.must(err)
		call := func(name string, a args) *mcp.CallToolResult {
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any(a)})
			w.must(err)
			return r
		}
		for _, r := range []*mcp.CallToolResult{
			call("write", write(w.out+"/x", "x")), call("read", path(w.out+"/secret")), call("list", args{"path": w.out}), call("list", args{"path": "/"}),
		} {
			if !r.IsError {
				t.Errorf("a client's root is served: %v", r.Content)
			}
		}
		for _, r := range []*mcp.CallToolResult{call("write", write("f", "x")), call("read", path("sub/f"))} {
			if r.IsError {
				t.Errorf("the directory served is not: %v", r.Content)
			}
		}
		w.must(session.Close(), server.Close())
		<-ended
		w.intact()
	},

	"110": func(t *testing.T) {
		w, p := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		w.must(os.Symlink(w.out+"/secret", w.path("l")), os.Symlink(w.out, w.path("d")))
		w.denied("write", write("l", "x"))
		w.denied("edit", edit("l", "secret", "x"))
		w.denied("edit", edit("d/secret", "secret", "x"))
		w.denied("write", write("d/new", "x"))
		w.intact()
		roots := fence(t)
		roots.must(os.Symlink(roots.out+"/secret", roots.path("l")), os.Symlink(roots.out, roots.path("d")))
		for name, a := range map[string]args{"read": path("l"), "write": write("l", "x"), "edit": edit("l", "secret", "x"), "list": {"path": "d"}} {
			roots.refused(name, a, vfs.CodeSandboxDenied)
		}
		roots.intact()
		if p.asked > 0 {
			t.Error("somebody was asked")
		}
	},

	// A sibling whose name begins like the workspace's.
	"111": func(t *testing.T) {
		w, _ := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		name := rapid.StringMatching(`[a-z0-9._-]{1,8}`)
		rapid.Check(t, func(t *rapid.T) {
			sibling := w.ws + name.Draw(t, "suffix")
			for _, path := range []string{sibling + "/x", "../" + filepath.Base(sibling) + "/x", w.ws + "/../" + filepath.Base(sibling) + "/x"} {
				if r := w.run("write", write(path, "x")); codeOf(r) != vfs.CodeSandboxDenied {
					t.Errorf("%s: %v", path, r.Content)
				}
			}
		})
		w.intact()
	},

	"112": func(t *testing.T) {
		w, _ := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		w.must(os.Symlink(w.out, w.path("l")), os.Symlink(w.out+"/made/later", w.path("dangling")))
		for _, name := range []string{"l/new/x", "l/new/deep/x", "dangling", "dangling/x"} {
			w.denied("write", write(name, "x"))
		}
		w.intact()
	},

	"113": func(t *testing.T) {
		w, _ := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		w.must(os.Mkdir(w.path("d"), 0o755), os.Symlink(w.out, w.path("l")))
		w.whileSwapping(exchange(w.path("d"), w.path("l")), func() []tool.Result {
			return []tool.Result{w.run("write", write("d/f", "x")), w.run("write", write("d/new/f", "x")), w.run("edit", edit("d/secret", "secret", "x"))}
		})
		w.intact()
	},

	// One decision for all tools that change something, whatever kind of link it is.
	"115": func(t *testing.T) {
		w, _ := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		w.must(os.Symlink(w.out+"/secret", w.path("file")), os.Symlink(w.out, w.path("dir")), os.Symlink(w.out+"/none", w.path("dangling")))
		for _, name := range []string{"file", "dir/secret", "dangling", "dir/none"} {
			w.denied("write", write(name, "x"))
			w.denied("edit", edit(name, "secret", "x"))
		}
		w.ok("read", path("file"))
		w.ok("list", args{"path": "dir"})
		w.intact()
	},

	// What git runs is not changed without a person's leave.
	"118": func(t *testing.T) {
		w, p := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		w.file(".git/config", "[core]\n")
		w.file("tree/.git", "gitdir: ../.git/worktrees/tree\n")
		w.must(os.Symlink(".git", w.path("link")))
		for _, name := range []string{".git/hooks/pre-commit", ".GIT/config", "tree/.git", "sub/.git/config", ".git", "link/config", ".git/config", ".git./hooks/x", "git~1/config"} {
			w.denied("write", write(name, "x"))
			w.denied("edit", edit(name, "core", "x"))
		}
		w.holds(".git/config", "[core]\n")
		w.only("", ".git", "link", "tree")
		w.only(".git", "config")
		p.answer.Outcome = approval.AllowedOnce
		w.ok("write", write(".git/hooks/pre-commit", "x").wider(sandbox.DangerFullAccess))
		w.denied("write", write(".git/hooks/pre-commit", "y"))
		if p.asked != 1 {
			t.Errorf("asked %d times", p.asked)
		}
		w.ok("write", write(".gitignore", "x"))
	},

	"120": func(t *testing.T) {
		w, p := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		t.Setenv("HOME", w.out)
		w.denied("write", write(w.out+"/.bashrc", "x"))
		w.ok("write", write("~/.bashrc", "x")) // a name like any other, in the workspace
		w.holds(w.ws+"/~/.bashrc", "x")
		w.intact()
		p.answer.Outcome = approval.AllowedOnce
		w.ok("write", write(w.out+"/.bashrc", "x").wider(sandbox.DangerFullAccess))
		w.holds(w.out+"/.bashrc", "x")
	},

	// Nobody is asked inside the workspace, and nobody at all under never; what is
	// denied has a code, and what was allowed holds for what it was allowed for.
	"121": func(t *testing.T) {
		for _, policy := range []approval.Policy{approval.Ask, approval.Never} {
			w, p := sandboxed(t, sandbox.WorkspaceWrite, policy)
			p.answer = approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeFile}
			w.ok("write", write("f", "x"))
			w.ok("write", write("f", "y").wider(sandbox.DangerFullAccess))
			w.denied("write", write(w.out+"/x", "x"))
			if p.asked > 0 {
				t.Errorf("%s: asked %d times", policy, p.asked)
			}
			r := w.run("write", write(w.out+"/x", "x").wider(sandbox.DangerFullAccess))
			if policy == approval.Never {
				w.says(w.failed(r, ""), `the user rejected escalating this operation to "danger-full-access"`)
				w.intact()
				continue
			}
			w.text(r)
			w.ok("write", write(w.out+"/x", "again"))
			w.denied("write", write(w.out+"/y", "x"))
			if p.asked != 1 {
				t.Errorf("asked %d times", p.asked)
			}
		}
	},

	// Nothing that a model can say changes where it is or what it may.
	"122": func(t *testing.T) {
		w, _ := sandboxed(t, sandbox.WorkspaceWrite, approval.Ask)
		got := map[string][]string{}
		for _, def := range w.set.Registry().Definitions(nil) {
			var schema struct{ Properties map[string]any }
			w.must(json.Unmarshal(def.Parameters.JSON(), &schema))
			got[def.Name] = slices.Sorted(maps.Keys(schema.Properties))
		}
		want := map[string][]string{
			"glob": {"path", "pattern"},
			"grep": {"include", "path", "pattern"},
			"list": {"offset", "path"}, "read": {"file_path", "limit", "offset"},
			"write": {"content", "file_path", "justification", "sandbox_permissions"},
			"edit":  {"file_path", "justification", "new_string", "old_string", "replace_all", "sandbox_permissions"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the arguments (-want +got):\n%s", diff)
		}
		for _, extra := range []string{"cwd", "root", "base", "workspaceRoot", "mode", "sandbox_mode"} {
			a := write("../out/x", "x")
			a[extra] = w.out
			if r := w.run("write", a); !r.IsError {
				t.Errorf("%s: %v", extra, r.Content)
			}
		}
		w.intact()
		// A text to look for is that text and no pattern.
		w.file("f", strings.Repeat("a", 50_000))
		within(t, func(context.Context) { w.refused("edit", edit("f", "(a+)+$", "x"), "FS_EDIT_NOT_FOUND") })
	},
}

// keeping serves a workspace of which patterns or an ignore file keep something back.
func keeping(t *testing.T, deny []string, ignoreFile string) *world {
	t.Helper()
	w := newPlaces(t)
	disk, err := localfs.Root([]string{w.ws}, localfs.Options{StateDir: w.state, NoSync: true, Deny: deny, IgnoreFile: ignoreFile})
	w.must(err)
	t.Cleanup(func() { w.must(disk.Close()) })
	w.disk = disk
	w.open(unguarded)
	return w
}

// kept makes every call that could show or change withheld files: each is refused, shows
// nothing of the content and changes nothing.
func (w *world) kept(names ...string) {
	w.Helper()
	for _, name := range names {
		for tool, a := range map[string]args{"read": {"file_path": name}, "write": write(name, "x"), "edit": edit(name, "PRIVATE", "x")} {
			if text := w.refused(tool, a, vfs.CodePermissionDenied); strings.Contains(text, "PRIVATE ") || !strings.Contains(text, "withheld from the tools by") {
				w.Errorf("%s %s: %s", tool, name, text)
			}
		}
		base := filepath.Base(name)
		for tool, a := range map[string]args{"grep": {"pattern": "PRIVATE"}, "glob": {"pattern": "**/" + base}} {
			text := w.ok(tool, a)
			if strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "PRIVATE=") || strings.Contains(text, base+"\n") || !strings.Contains(text, "withheld") {
				w.Errorf("%s %s: %s", tool, name, text)
			}
		}
		for tool, a := range map[string]args{"grep": {"pattern": "PRIVATE", "path": name}} {
			if r := w.run(tool, a); !r.IsError && !strings.Contains(w.text(r), "withheld") {
				w.Errorf("%s in %s: %s", tool, name, w.text(r))
			}
		}
		data, err := os.ReadFile(w.path(name))
		if err != nil || !strings.HasPrefix(string(data), "PRIVATE") {
			w.Errorf("%s holds %q, %v", name, data, err)
		}
	}
}
