package toolfs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

func writing(path string) arguments { return arguments{"file_path": path, "content": "x"} }

// questions fails unless calls put exactly n questions.
func (f *fenced) questions(n int, calls func()) {
	f.Helper()
	before := len(f.asked)
	calls()
	if got := len(f.asked) - before; got != n {
		f.Errorf("%d questions, not %d", got, n)
	}
}

// What was allowed once is denied the next time; what was allowed for a file or a
// directory goes without a question there, and nowhere else.
func TestGrantsByScope(t *testing.T) {
	for scope, want := range map[approval.Scope]struct{ file, beside, below bool }{
		"":                      {},
		approval.ScopeOnce:      {},
		approval.ScopeFile:      {file: true},
		approval.ScopeDirectory: {file: true, beside: true, below: true},
	} {
		t.Run("scope "+string(scope), func(t *testing.T) {
			f := newFenced(t)
			f.open(sandbox.WorkspaceWrite)
			f.answer = allow(scope)
			f.must(os.Mkdir(f.out+"/d", 0o755), os.Symlink(f.base, f.out+"/d/up"))
			f.questions(1, func() { f.ok("write", writing(f.out+"/d/f").with(sandbox.DangerFullAccess)) })
			for path, free := range map[string]bool{
				f.out + "/d/f": want.file, f.out + "/d/g": want.beside, f.out + "/d/n/e/w": want.below, f.out + "/d/./../d/f": want.file,
				f.out + "/f": false, f.out + "/dd": false, f.out + "/d/up/f": false, f.out + "/d/.git/hooks/x": false, f.out + "/d/.git": false,
			} {
				f.questions(0, func() {
					switch r := f.run("write", writing(path)); {
					case r.IsError == free:
						t.Errorf("%s: %v", path, r.Content)
					case r.IsError && resultCode(r) != vfs.CodeSandboxDenied:
						t.Errorf("%s: %v", path, r.Content)
					}
				})
			}
			// Nobody is asked about it again either.
			n := 1
			if want.file {
				n = 0
			}
			f.questions(n, func() { f.ok("write", writing(f.out+"/d/f").with(sandbox.DangerFullAccess)) })
			other := tool.Call{Name: "write", Arguments: []byte(`{"file_path":"` + f.out + `/d/f","content":"y"}`), Session: &tool.Session{ID: "B", Cwd: f.ws}}
			if r := f.tools.Execute(t.Context(), other); resultCode(r) != vfs.CodeSandboxDenied {
				t.Errorf("another session: %v", r.Content)
			}
		})
	}
}

// Who allows a directory does not mean what git runs in it, in whatever mode the session
// is and wherever the directory lies. Who is shown that very file does.
func TestDirectoryGrantsLeaveOutProtectedPlaces(t *testing.T) {
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		for _, dir := range []string{"ws", "out"} {
			t.Run(string(mode)+"/"+dir, func(t *testing.T) {
				f := newFenced(t)
				f.open(mode)
				at := f.base + "/" + dir
				f.approval.Grants().Add(approval.Grant{Session: "A", Scope: approval.ScopeDirectory, Key: at, Mode: sandbox.DangerFullAccess})
				f.questions(0, func() {
					f.ok("write", writing(at+"/f"))
					f.refused("write", writing(at+"/.git/hooks/x"), vfs.CodeSandboxDenied)
					f.refused("write", writing(at+"/.GIT"), vfs.CodeSandboxDenied)
				})
				f.answer = allow(approval.ScopeFile)
				f.questions(1, func() {
					f.ok("write", writing(at+"/.git/hooks/x").with(sandbox.DangerFullAccess))
					f.ok("write", writing(at+"/.git/hooks/x"))
					f.refused("write", writing(at+"/.git/hooks/y"), vfs.CodeSandboxDenied)
				})
				if why := f.asked[0].Rule; !strings.Contains(why, "git runs and trusts what is in .git") {
					t.Errorf("the person is not told: %s", why)
				}
			})
		}
	}
}

// A grant is a wider mode and no more: what the policy of the tools demands it still
// does, and what is revoked or forgotten is gone.
func TestGrantsEnd(t *testing.T) {
	f := newFenced(t)
	f.guard = true
	f.open(sandbox.ReadOnly)
	f.file("f", "one\n")
	f.answer = allow(approval.ScopeFile)
	f.ok("write", writing("new").with(sandbox.WorkspaceWrite))
	grants := f.approval.Grants()
	list := grants.List("A")
	if len(list) != 1 || list[0].Path != f.ws+"/new" || list[0].Mode != sandbox.WorkspaceWrite {
		t.Fatalf("the grants are %+v", list)
	}
	f.file("new", "theirs\n")
	f.refused("write", writing("new"), vfs.CodeStaleVersion)
	f.ok("read", arguments{"file_path": "new"})
	f.ok("write", writing("new"))
	grants.Revoke(list[0].ID)
	f.refused("write", writing("new"), vfs.CodeSandboxDenied)
	f.ok("write", writing("new").with(sandbox.WorkspaceWrite))
	f.tools.Forget("A")
	if left := grants.List(""); len(left) > 0 {
		t.Errorf("left are %+v", left)
	}
}

// Nothing that a model can call changes a mode, a policy or a grant.
func TestNoToolChangesThePolicy(t *testing.T) {
	f := newFenced(t)
	f.open(sandbox.ReadOnly)
	got := ""
	for _, def := range f.tools.Registry().Definitions(nil) {
		got += def.Name + " "
	}
	if got != "list read write edit glob grep " {
		t.Errorf("the tools are %s", got)
	}
}

// What a model is told of its workspace is the directory that is meant, as data.
func TestContextNamesThePhysicalWorkspace(t *testing.T) {
	f := newFenced(t)
	f.open(sandbox.WorkspaceWrite)
	real := f.base + `/a{{b}}"c`
	f.must(os.Mkdir(real, 0o755), os.Symlink(real, f.base+"/link"))
	sections := f.tools.Contexts(tool.Session{ID: "A", Cwd: f.base + "/link"})
	if len(sections) != 2 || sections[0].Order != 110 || sections[1].Order != 115 {
		t.Fatalf("%+v", sections)
	}
	if want := `session workspace: "` + f.base + `/a{{b}}\"c". Some`; !strings.Contains(sections[0].Text, want) {
		t.Errorf("%s does not say %s", sections[0].Text, want)
	}
}
