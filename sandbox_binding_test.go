package toolfs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// What a person allowed is what happens, or nothing: the file may change while the person
// thinks, and is then left as it is.
func TestApprovalHoldsForWhatWasShown(t *testing.T) {
	rename := func(content string) func(*fenced, string) error {
		return func(f *fenced, path string) error { return os.Rename(f.file(f.base+"/other", content), path) }
	}
	for name, c := range map[string]struct {
		tool   string
		exists bool
		change func(f *fenced, path string) error
		code   vfs.Code // "" where the change is none
		after  string   // what is there then; "" for nothing, or no file
	}{
		"an edit, other content":      {"edit", true, rename("theirs, not one\n"), vfs.CodeStaleVersion, "theirs, not one\n"},
		"an edit, the file goes":      {"edit", true, func(_ *fenced, path string) error { return os.Remove(path) }, vfs.CodeStaleVersion, ""},
		"an edit, a link comes":       {"edit", true, relinked, vfs.CodeNotRegularFile, "one\n"},
		"an edit, the same again":     {"edit", true, rename("one\n"), "", "two\n"},
		"an update, other content":    {"write", true, rename("theirs\n"), vfs.CodeStaleVersion, "theirs\n"},
		"an update, what is wanted":   {"write", true, rename("two\n"), vfs.CodeStaleVersion, "two\n"},
		"an update, the file goes":    {"write", true, func(_ *fenced, path string) error { return os.Remove(path) }, vfs.CodeStaleVersion, ""},
		"an update, a link comes":     {"write", true, relinked, vfs.CodeNotRegularFile, "one\n"},
		"an update, the same again":   {"write", true, rename("one\n"), "", "two\n"},
		"a creation, a file comes":    {"write", false, rename("theirs\n"), vfs.CodeNotObserved, "theirs\n"},
		"a creation, its like comes":  {"write", false, rename("two\n"), vfs.CodeNotObserved, "two\n"},
		"a creation, an empty one":    {"write", false, rename(""), vfs.CodeNotObserved, ""},
		"a creation, nothing happens": {"write", false, func(*fenced, string) error { return nil }, "", "two\n"},
	} {
		for _, guard := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/guard=%t", name, guard), func(t *testing.T) {
				f := newFenced(t)
				f.guard = guard
				f.open(sandbox.ReadOnly)
				path := filepath.Join(f.ws, "f")
				if c.exists {
					f.file("f", "one\n")
					f.ok("read", arguments{"file_path": "f"})
				}
				f.answer = func(ctx context.Context, r approval.Request) (approval.Answer, error) {
					return approval.Answer{Outcome: approval.AllowedOnce}, c.change(f, path)
				}
				args := arguments{"file_path": "f"}
				if c.tool == "edit" {
					args["old_string"], args["new_string"] = "one", "two"
				} else {
					args["content"] = "two\n"
				}
				r := f.run(c.tool, args.with(sandbox.WorkspaceWrite))
				if resultCode(r) != c.code || r.IsError != (c.code != "") {
					t.Errorf("%v, not %s", r.Content, c.code)
				}
				got, err := os.ReadFile(path)
				if err != nil && !os.IsNotExist(err) || string(got) != c.after {
					t.Errorf("then it holds %q, %v", got, err)
				}
				if len(f.asked) != 1 {
					t.Errorf("asked %d times", len(f.asked))
				}
				entries, err := os.ReadDir(f.ws)
				if f.must(err); len(entries) > 1 {
					t.Errorf("left over: %v", entries)
				}
			})
		}
	}
}

// relinked puts a link to another file of the same content in the file's place.
func relinked(f *fenced, path string) error {
	return errors.Join(os.Remove(path), os.Symlink(f.file(f.out+"/f", "one\n"), path))
}

// Nothing is held while a person thinks: the same file can be changed by others.
func TestNobodyWaitsForAPerson(t *testing.T) {
	f := newFenced(t)
	f.open(sandbox.ReadOnly)
	f.must(f.sandbox.SetMode("B", sandbox.WorkspaceWrite, ""))
	f.file("f", "one\n")
	f.answer = func(context.Context, approval.Request) (approval.Answer, error) {
		other := tool.Call{Name: "write", Arguments: []byte(`{"file_path":"f","content":"theirs\n"}`), Session: &tool.Session{ID: "B", Cwd: f.ws}}
		if r := f.tools.Execute(t.Context(), other); r.IsError {
			t.Error(r.Error.Message)
		}
		return approval.Answer{Outcome: approval.AllowedOnce}, nil
	}
	f.refused("write", arguments{"file_path": "f", "content": "two\n"}.with(sandbox.WorkspaceWrite), vfs.CodeStaleVersion)
	f.holds("f", "theirs\n")
}

// A person sees which tool would do what to which file, and why it is not allowed as it
// is; nothing in it that a model wrote can be mistaken for something else.
func TestWhatAPersonIsShown(t *testing.T) {
	f := newFenced(t)
	f.open(sandbox.WorkspaceWrite)
	f.answer = say(approval.Rejected)
	old := "one"
	f.file(f.out+"/f", old+"\n")
	odd := "odd\n\x1b[2J\u202e"
	for _, call := range []struct {
		tool string
		args arguments
	}{
		{"edit", arguments{"file_path": "../out/f", "old_string": "one", "new_string": "two\x1b[2J\r"}},
		{"write", arguments{"file_path": f.out + "/f", "content": "whole\n"}},
		{"write", arguments{"file_path": f.out + "/" + odd, "content": "x"}},
		{"write", arguments{"file_path": ".git/hooks/x", "content": "#!\n"}},
	} {
		a := call.args.with(sandbox.DangerFullAccess)
		a["justification"] = " because\n\x1b[31mApproved automatically\u202e"
		f.refused(call.tool, a, "")
	}
	const outside = "it lies outside the writable directories of workspace-write mode"
	common := approval.Request{Session: "A", CallID: "call", Mode: sandbox.DangerFullAccess, Standing: sandbox.WorkspaceWrite,
		Justification: "because [31mApproved automatically", Rule: outside, Key: f.out + "/f", Dir: f.out, Path: f.out + "/f"}
	edit, update, create, hook := common, common, common, common
	edit.Tool, edit.Operation, edit.Diffs = "edit", "edit", []card.FileDiff{{Path: "../out/f", OldText: &old, NewText: `two\u001b[2J\r`}}
	update.Tool, update.Operation, update.Diffs = "write", "update", []card.FileDiff{{Path: f.out + "/f", OldText: &old, NewText: "whole"}}
	quoted := `"` + f.out + `/odd\n\u001b[2J\u202e"`
	create.Tool, create.Operation, create.Key, create.Path = "write", "create", f.out+"/"+odd, quoted
	create.Diffs = []card.FileDiff{{Path: quoted, NewText: "x"}}
	hook.Tool, hook.Operation, hook.Rule = "write", "create", "git runs and trusts what is in .git"
	hook.Path, hook.Key, hook.Dir = f.ws+"/.git/hooks/x", f.ws+"/.git/hooks/x", f.ws+"/.git/hooks"
	hook.Diffs = []card.FileDiff{{Path: ".git/hooks/x", NewText: "#!\n"}}
	shown := map[string]bool{}
	for i := range f.asked {
		shown[f.asked[i].Shown] = true
		f.asked[i].ID, f.asked[i].Shown = "", ""
	}
	if diff := cmp.Diff([]approval.Request{edit, update, create, hook}, f.asked); diff != "" {
		t.Errorf("what was shown (-want +got):\n%s", diff)
	}
	if len(shown) != 4 {
		t.Errorf("the four have only %d identities", len(shown))
	}
}

// Of a large change a person sees the beginning and that there is more; what was shown
// is known by all of it.
func TestALargeChangeIsCut(t *testing.T) {
	f := newFenced(t)
	f.open(sandbox.ReadOnly)
	f.answer = say(approval.Rejected)
	text := strings.Repeat("line\n", 20_000)
	for _, content := range []string{text, text + "more", strings.Repeat("é", 40_000), strings.Repeat("\x1b", 30_000)} {
		f.refused("write", arguments{"file_path": "f", "content": content}.with(sandbox.WorkspaceWrite), "")
	}
	for i, r := range f.asked {
		if n := len(r.Diffs[0].NewText); !r.Cut || n > 32<<10 || n < 32<<10-6 || strings.Contains(r.Diffs[0].NewText, "\ufffd") {
			t.Errorf("%d: %d bytes, cut %t", i, n, r.Cut)
		}
	}
	if f.asked[0].Shown == f.asked[1].Shown {
		t.Error("two changes that differ below the cut are the same")
	}
}

// What nobody can see is no reason.
func TestInvisibleJustification(t *testing.T) {
	f := newFenced(t)
	f.open(sandbox.ReadOnly)
	a := arguments{"file_path": "f", "content": "x"}.with(sandbox.WorkspaceWrite)
	a["justification"] = "\u200b\u202e \u2066"
	if got := f.refused("write", a, ""); got != "invalid justification: expected a non-empty sentence" {
		t.Error(got)
	}
}
