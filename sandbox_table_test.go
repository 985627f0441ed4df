package toolfs_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// kind says where a place really is, however it is called.
type kind string

const (
	inside    kind = "inside"
	outside   kind = "outside"
	protected kind = "protected"
	temporary kind = "temporary"
	withheld  kind = "withheld" // by an ignore file, from every tool in every mode
)

// place is a file as a model names it. {out}, {tmp} and {ws} stand for directories.
type place struct {
	name, path string
	kind       kind
	real       string // what the name leads to
	missing    bool   // it does not exist yet
	unserved   bool   // not by a provider that serves only {ws} and {tmp}
}

var tablePlaces = []place{
	{name: "inside", path: "f", kind: inside, real: "{ws}/f"},
	{name: "inside, by ..", path: "d/../f", kind: inside, real: "{ws}/f"},
	{name: "inside, via a link", path: "in/g", kind: inside, real: "{ws}/d/g"},
	{name: "new inside", path: "n/e/w", kind: inside, real: "{ws}/n/e/w", missing: true},
	{name: "new below a link inside", path: "in/n/w", kind: inside, real: "{ws}/d/n/w", missing: true},

	{name: "outside", path: "{out}/o", kind: outside, real: "{out}/o", unserved: true},
	{name: "outside, by ..", path: "../out/o", kind: outside, real: "{out}/o", unserved: true},
	{name: "outside, via a link", path: "leaf", kind: outside, real: "{out}/o", unserved: true},
	{name: "outside, via a linked directory", path: "linked/o", kind: outside, real: "{out}/o", unserved: true},
	{name: "outside, by .. after a link", path: "linked/../beside", kind: outside, real: "{out}/../beside", unserved: true},
	{name: "a dangling link out", path: "dangling", kind: outside, real: "{out}/none", missing: true, unserved: true},
	{name: "new below a link out", path: "linked/n/w", kind: outside, real: "{out}/n/w", missing: true, unserved: true},
	{name: "a directory named like the workspace", path: "{ws}x/o", kind: outside, real: "{ws}x/o", unserved: true},

	{name: "git's configuration", path: ".git/config", kind: protected, real: "{ws}/.git/config"},
	{name: "a hook, in other letters", path: ".GIT/hooks/x", kind: protected, real: "{ws}/.GIT/hooks/x"},
	{name: "a new hook", path: ".git/hooks/n/w", kind: protected, real: "{ws}/.git/hooks/n/w", missing: true},
	{name: "a worktree's .git", path: "tree/.git", kind: protected, real: "{ws}/tree/.git"},
	{name: "git of a directory below", path: "sub/.git/x", kind: protected, real: "{ws}/sub/.git/x"},
	{name: "git, via a link", path: "tig/config", kind: protected, real: "{ws}/.git/config"},
	{name: "what a .git leads to", path: "data/config", kind: protected, real: "{ws}/data/config"},
	{name: "what a .git leads to, through it", path: "far/.git/config", kind: protected, real: "{ws}/data/config"},

	{name: "withheld", path: "keys/k", kind: withheld, real: "{ws}/keys/k"},
	{name: "withheld, in other letters", path: "KEYS/k", kind: withheld, real: "{ws}/KEYS/k"},
	{name: "withheld, via a link", path: "syek/k", kind: withheld, real: "{ws}/keys/k"},
	{name: "new withheld", path: "sub/keys/n/w", kind: withheld, real: "{ws}/sub/keys/n/w", missing: true},
	{name: "what says so", path: "d/.agentignore", kind: protected, real: "{ws}/d/.agentignore"},
	{name: "what says so, in other letters", path: "sub/.AgentIgnore", kind: protected, real: "{ws}/sub/.AgentIgnore"},

	{name: "temporary", path: "{tmp}/t", kind: temporary, real: "{tmp}/t"},
	{name: "new temporary", path: "{tmp}/n/w", kind: temporary, real: "{tmp}/n/w", missing: true},
}

func (f *fenced) fill(s string) string {
	return filepath.Clean(strings.NewReplacer("{ws}", f.ws, "{out}", f.out, "{tmp}", f.tmp).Replace(s))
}

// furnish makes all places anew.
func (f *fenced) furnish() {
	f.Helper()
	for _, dir := range []string{f.base, f.ws, f.out, f.tmp} {
		entries, err := os.ReadDir(dir)
		f.must(err)
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); path != f.ws && path != f.out {
				f.must(os.RemoveAll(path))
			}
		}
	}
	for _, p := range tablePlaces {
		if !p.missing {
			f.file(f.fill(p.real), "one\n")
		}
	}
	f.file(".agentignore", "/keys/\nsub/keys/\n")
	f.file("data/HEAD", "ref: refs/heads/main\n")
	f.must(os.Mkdir(f.ws+"/data/objects", 0o755), os.Mkdir(f.ws+"/data/refs", 0o755), os.Mkdir(f.ws+"/far", 0o755),
		os.Mkdir(f.ws+"/.git/hooks", 0o755))
	for name, target := range map[string]string{
		"in": "d", "leaf": f.out + "/o", "linked": f.out, "dangling": f.out + "/none", "tig": ".git", "syek": "keys", "far/.git": "../data",
	} {
		f.must(os.Symlink(target, filepath.Join(f.ws, name)))
	}
	f.settle()
}

// ask is how a call asks for more; an empty mode asks for nothing.
type ask struct {
	mode   sandbox.Mode
	answer tool.Outcome
}

func asks() []ask {
	list := []ask{{}}
	for _, mode := range []sandbox.Mode{sandbox.WorkspaceWrite, sandbox.DangerFullAccess} {
		for _, o := range []tool.Outcome{approval.AllowedOnce, approval.Rejected, approval.Cancelled, approval.Unavailable} {
			list = append(list, ask{mode, o})
		}
	}
	return list
}

// verdict is what a cell of the table comes to.
type verdict struct {
	code    vfs.Code // "" for success, uncoded for a failure without one
	says    string   // how the message of the failure begins
	asked   bool
	changes bool
}

const uncoded vfs.Code = "uncoded"

func permits(m sandbox.Mode, k kind) bool {
	return m == sandbox.DangerFullAccess || m == sandbox.WorkspaceWrite && (k == inside || k == temporary)
}

func deniedUnder(m sandbox.Mode) verdict {
	return verdict{code: vfs.CodeSandboxDenied, says: fmt.Sprintf("[sandbox: file access denied under %s mode]\n[sandbox: escalation available", m)}
}

// expected is the whole table: modes restrict changes alone, a person is asked only about a
// change that the standing mode forbids, the wanted one allows, and that would succeed.
func expected(host bool, standing sandbox.Mode, name string, p place, a ask) verdict {
	changing := name == "write" || name == "edit"
	switch {
	case changing && a.mode != "" && !a.mode.Wider(standing):
		return verdict{code: uncoded, says: fmt.Sprintf("sandbox escalation to %q is not strictly wider", a.mode)}
	case !host && p.unserved && !(name == "list" && filepath.Dir(p.path) == "."):
		return verdict{code: vfs.CodeSandboxDenied, says: "cannot access "}
	case p.kind == withheld:
		return verdict{code: vfs.CodePermissionDenied, says: "cannot "}
	case !changing && p.missing && !(name == "list" && (p.path == "dangling")):
		return verdict{code: vfs.CodeNotFound, says: "cannot "}
	case !changing:
		return verdict{}
	}
	impossible := name == "edit" && p.missing
	if !permits(standing, p.kind) {
		switch {
		case a.mode == "":
			return deniedUnder(standing)
		case !permits(a.mode, p.kind):
			return deniedUnder(a.mode)
		case impossible: // below, unasked
		case a.answer == approval.Rejected:
			return verdict{code: uncoded, says: fmt.Sprintf("the user rejected escalating this operation to %q", a.mode), asked: true}
		case a.answer == approval.Cancelled:
			return verdict{code: uncoded, says: fmt.Sprintf("approval for escalating to %q was cancelled", a.mode), asked: true}
		case a.answer == approval.Unavailable:
			return verdict{code: uncoded, says: fmt.Sprintf("sandbox escalation to %q requires approval, but no approval channel", a.mode), asked: true}
		default:
			return verdict{asked: true, changes: true}
		}
	}
	if impossible {
		return verdict{code: vfs.CodeStaleVersion, says: "cannot edit "}
	}
	return verdict{changes: true}
}

func do(f *fenced, name string, p place, a ask) tool.Result {
	f.Helper()
	path := p.path
	if strings.HasPrefix(path, "{") {
		path = f.fill(path)
	}
	args := arguments{"file_path": path}
	switch name {
	case "list":
		args = arguments{"path": filepath.Dir(path)}
	case "write":
		args["content"] = "two\n"
	case "edit":
		args["old_string"], args["new_string"] = "one", "two"
	}
	if a.mode != "" {
		args.with(a.mode)
	}
	return f.run(name, args)
}

// TestDecisionTable runs every cell: mode, tool, place, and how a wider mode is asked for
// and answered, over the whole machine and over served directories alone.
func TestDecisionTable(t *testing.T) {
	for _, host := range []bool{true, false} {
		for _, mode := range sandbox.Modes() {
			t.Run(fmt.Sprintf("host=%t/%s", host, mode), func(t *testing.T) {
				f := newFenced(t)
				f.host = host
				f.furnish()
				f.open(mode)
				for _, p := range tablePlaces {
					for _, name := range []string{"list", "read", "write", "edit"} {
						for _, a := range asks() {
							if a.mode == "" || name == "write" || name == "edit" {
								f.cell(mode, name, p, a)
							}
						}
					}
				}
			})
		}
	}
}

func (f *fenced) cell(mode sandbox.Mode, name string, p place, a ask) {
	f.Helper()
	cell := fmt.Sprintf("%s, %s, %s, %s %s", mode, name, p.name, a.mode, a.answer)
	want := expected(f.host, mode, name, p, a)
	f.asked, f.answer = nil, say(a.answer)
	before := f.tree()
	r := do(f, name, p, a)
	got := verdict{code: resultCode(r), asked: len(f.asked) == 1}
	if r.IsError {
		if got.code == "" {
			got.code = uncoded
		}
		if got.says = r.Error.Message; strings.HasPrefix(got.says, want.says) {
			got.says = want.says
		}
	}
	after := f.tree()
	got.changes = !maps.Equal(before, after)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(verdict{})); diff != "" {
		f.Errorf("%s (-want +got):\n%s", cell, diff)
	}
	if got.changes {
		f.onlyThat(cell, f.fill(p.real), before, after)
		f.furnish()
	}
}

// onlyThat fails unless the file at path is all that changed, and the directories above
// it that were missing.
func (f *fenced) onlyThat(cell, path string, before, after map[string]string) {
	f.Helper()
	f.holds(path, "two\n")
	for name := range maps.Keys(before) {
		if _, still := after[name]; !still {
			f.Errorf("%s: %s is gone", cell, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		parent := strings.HasPrefix(path, name+"/") && after[name][0] == 'd'
		if before[name] != after[name] && name != path && !parent {
			f.Errorf("%s: %s was %s and is %s", cell, name, before[name], after[name])
		}
	}
}
