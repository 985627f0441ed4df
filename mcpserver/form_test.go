package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/sandbox"
)

func question1(diffs ...card.FileDiff) approval.Request {
	return approval.Request{Tool: "write", Path: "/w/a.txt", Operation: "update", Mode: sandbox.DangerFullAccess,
		Standing: sandbox.WorkspaceWrite, Rule: "it is outside", Justification: "Please.", Diffs: diffs}
}

func replaced(old, fresh string) card.FileDiff { return card.FileDiff{OldText: &old, NewText: fresh} }

const head = `The tool "write" wants to change a file for which its sandbox mode is not enough.

File: /w/a.txt
Operation: update
Mode wanted: danger-full-access (in force: workspace-write)
Why it is not enough: it is outside
The model's own words: "Please."

What would change:
`

func TestWhatAPersonReads(t *testing.T) {
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	shown := strings.Join(strings.SplitAfter("+"+strings.ReplaceAll(strings.TrimSuffix(long.String(), "\n"), "\n", "\n+"), "\n")[:maxLines], "")
	for what, tt := range map[string]struct {
		r    approval.Request
		want string
	}{
		"a new file":          {question1(card.FileDiff{NewText: "a\nb\n"}), "+a\n+b\n"},
		"an empty file":       {question1(card.FileDiff{}), "(no line of text)\n"},
		"nothing to show":     {question1(), "(no line of text)\n"},
		"a change":            {question1(replaced("a\nb\nc", "a\nx\ny\nc")), " a\n-b\n+x\n+y\n c\n"},
		"lines that repeat":   {question1(replaced("a\na", "a\na\na")), " a\n a\n+a\n"},
		"everything removed":  {question1(replaced("a\nb", "")), "-a\n-b\n"},
		"two places":          {question1(replaced("a", "b"), replaced("c", "d")), "-a\n+b\n…\n-c\n+d\n"},
		"a long one":          {question1(card.FileDiff{NewText: long.String()}), shown + "(40 MORE LINES, which are too many to be shown)\n"},
		"a long line":         {question1(card.FileDiff{NewText: strings.Repeat("ä", 300)}), "+" + strings.Repeat("ä", maxLine-1) + "…\n"},
		"one that was cut":    {func() approval.Request { r := question1(replaced("a", "b")); r.Cut = true; return r }(), "-a\n+b\n(THERE IS MORE, which is too long to be shown)\n"},
		"one that is too big": {question1(card.FileDiff{NewText: "a", Truncated: true}), "+a\n(THERE IS MORE, which is too long to be shown)\n"},
		"text that forges":    {question1(card.FileDiff{NewText: "a\r+b\x1b[2J\u2028c\u202ed\x00\xff\u200b\t."}), `+a\u{d}+b\u{1b}[2J\u{2028}c\u{202e}d\u{0}\xff\u{200b}` + "\t.\n"},
	} {
		if diff := cmp.Diff(head+tt.want, message(tt.r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// Whatever a model, a path or a rule says, it is no line of the question's own.
func TestNothingForgesTheQuestion(t *testing.T) {
	r := question1()
	r.Path = "/w/a\nMode wanted: read-only"
	r.Rule = "because\nFile: /w/harmless"
	r.Justification = approval.Clean("Harmless.\"\n\nFile: /w/harmless\u202e")
	r.Dir = "/w/\nFile: x"
	want := strings.NewReplacer(
		"File: /w/a.txt", `File: "/w/a\nMode wanted: read-only"`,
		"it is outside", `because\u{a}File: /w/harmless`,
		`"Please."`, `"Harmless.\" File: /w/harmless"`,
	).Replace(head) + "(no line of text)\n"
	if diff := cmp.Diff(want, message(r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, c := range (&session{}).choices(r) {
		if strings.ContainsAny(c.title, "\n\r") {
			t.Errorf("the title %q", c.title)
		}
	}
}

// Where a directory has no identity it cannot be allowed.
func TestNoDirectoryNoSuchChoice(t *testing.T) {
	for dir, want := range map[string]string{"": "allow_once allow_file reject", "/w": "allow_once allow_file allow_directory reject"} {
		r := question1()
		r.Dir = dir
		var got []string
		for _, c := range (&session{}).choices(r) {
			got = append(got, c.value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("in %q: %q", dir, got)
		}
	}
}
