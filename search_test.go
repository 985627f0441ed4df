package toolfs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// searchSet is the tools over files in memory.
func searchSet(t *testing.T, o toolfs.Options, files map[string]string) *toolfs.Toolset {
	t.Helper()
	m := memfs.New(memfs.Options{Roots: []string{"/w"}})
	for name, content := range files {
		if err := m.WriteFile("/w/"+name, content); err != nil {
			t.Fatal(err)
		}
	}
	o.Provider = m
	set, err := toolfs.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

func searchCall(t *testing.T, set *toolfs.Toolset, name string, args map[string]string) tool.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return set.Execute(t.Context(), tool.Call{ID: "1", Name: name, Arguments: raw, Session: &tool.Session{ID: "s", Cwd: "/w"}})
}

// TestSearchResultsAreKept: the notice names a file that holds all of it.
func TestSearchResultsAreKept(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("d/%02d", i)] = "needle\n"
	}
	set := searchSet(t, toolfs.Options{Limits: toolfs.Limits{GlobMaxResults: 3, GrepMaxMatches: 3}, Search: toolfs.SearchOptions{ResultsDir: t.TempDir()}}, files)
	for name, want := range map[string]string{"glob": "d/29\n", "grep": "\nd/29\nLine 1: needle\n"} {
		text := searchCall(t, set, name, map[string]string{"pattern": map[string]string{"glob": "*", "grep": "needle"}[name]}).Content[0].Text
		_, at, _ := strings.Cut(text, "stored at: ")
		at, rest, _ := strings.Cut(at, ". ")
		data, err := os.ReadFile(at)
		if err != nil || !strings.HasSuffix(string(data), want) || !strings.Contains(text, " of 30 ") || !strings.HasPrefix(rest, "It lies outside") {
			t.Errorf("%s: %s\n%q, %v", name, text, data, err)
		}
		if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
	// A call within a call is nobody's answer.
	inner := set.Execute(t.Context(), tool.Call{ID: "2", Parent: "1", Name: "glob", Arguments: []byte(`{"pattern":"*"}`), Session: &tool.Session{ID: "s", Cwd: "/w"}})
	if text := inner.Content[0].Text; !strings.Contains(text, "could not be saved") {
		t.Errorf("within another call: %s", text)
	}
}

// TestSearchBudget: too many results end the search, and those so far are given.
func TestSearchBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("d/%02d", i)] = strings.Repeat("needle\n", 10)
	}
	set := searchSet(t, toolfs.Options{Limits: toolfs.Limits{RawOutputMaxBytes: 2000, GrepMaxMatches: 5}}, files)
	text := searchCall(t, set, "grep", map[string]string{"pattern": "needle"}).Content[0].Text
	for _, want := range []string{"Found 5 of at least 11 matches\n\nd/00\nLine 1: needle\n", "(Incomplete: there are more results than can be held; narrow"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q: %s", want, text)
		}
	}
	set = searchSet(t, toolfs.Options{Limits: toolfs.Limits{RawOutputMaxBytes: 20}}, files)
	if text := searchCall(t, set, "glob", map[string]string{"pattern": "*"}).Content[0].Text; !strings.HasPrefix(text, "d/00\nd/01\nd/02\nd/03\n\n(Incomplete: there are more") {
		t.Errorf("it says %s", text)
	}
}

// TestSampling: one path of every top-level entry in turn.
func TestSampling(t *testing.T) {
	for _, c := range []struct {
		files string
		most  int
		want  string
	}{
		{"guide/f src/e v/a v/b v/c", 3, "guide/f src/e v/a"},
		{"guide/f src/e v/a v/b v/c", 4, "guide/f src/e v/a v/b"},
		{"many/b many/c many/d solo/a", 3, "many/b many/c solo/a"},
	} {
		files := map[string]string{}
		for name := range strings.FieldsSeq(c.files) {
			files[name] = ""
		}
		set := searchSet(t, toolfs.Options{Limits: toolfs.Limits{GlobMaxResults: c.most}}, files)
		text := searchCall(t, set, "glob", map[string]string{"pattern": "*"}).Content[0].Text
		page, _, _ := strings.Cut(text, "\n\n")
		if got := strings.ReplaceAll(page, "\n", " "); got != c.want {
			t.Errorf("%d of %s: %s", c.most, c.files, got)
		}
	}
}

// TestGrepPreview: what is shown of a long line is the part with the match, whole
// characters of it.
func TestGrepPreview(t *testing.T) {
	files := map[string]string{"f": strings.Repeat("é", 40) + "needle" + strings.Repeat("ü", 40) + "\n"}
	set := searchSet(t, toolfs.Options{Limits: toolfs.Limits{GrepMaxLineBytes: 21}}, files)
	r := searchCall(t, set, "grep", map[string]string{"pattern": "needle"})
	if want := "Found 1 match\n\nf\nLine 1: … ééneedleüüüüü (line truncated)"; r.Content[0].Text != want {
		t.Errorf("it says %q, not %q", r.Content[0].Text, want)
	}
	if line := r.Value.(*toolfs.GrepValue).Matches[0].Line; line+"\n" != files["f"] {
		t.Errorf("the value has %q", line)
	}
}

// TestSearchMetaBudget: what is stored for the card is bounded, and says that it was cut.
func TestSearchMetaBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("directory/%02d", i)] = "needle\n"
	}
	set := searchSet(t, toolfs.Options{Limits: toolfs.Limits{SearchMetaMaxBytes: 300}}, files)
	for name, pattern := range map[string]string{"glob": "*", "grep": "needle"} {
		r := searchCall(t, set, name, map[string]string{"pattern": pattern})
		data, err := json.Marshal(r.Meta)
		if err != nil || len(data) > 300 || !strings.Contains(string(data), `"truncated":true,"total":40`) {
			t.Errorf("%s: %d bytes, %s, %v", name, len(data), data, err)
		}
		_, done := set.Cards(tool.Call{Name: name, Arguments: fmt.Appendf(nil, `{"pattern":%q}`, pattern)}, r)
		card, err := json.Marshal(done)
		if err != nil || string(card) != `{"card":"search",`+string(data[1:]) {
			t.Errorf("%s: the card %s, %v", name, card, err)
		}
	}
}

// TestNamesForgeNothing: a path with a line feed is one path.
func TestNamesForgeNothing(t *testing.T) {
	set := searchSet(t, toolfs.Options{}, map[string]string{"a\nb": "needle\n", "bad\xff": "needle\n"})
	r := searchCall(t, set, "glob", map[string]string{"pattern": "*"})
	if diff := cmp.Diff([]string{"\"a\\nb\"\nbad\\xff"}, []string{r.Content[0].Text}); diff != "" {
		t.Error(diff)
	}
	if text := searchCall(t, set, "grep", map[string]string{"pattern": "needle"}).Content[0].Text; !strings.Contains(text, "\n\n\"a\\nb\"\nLine 1: needle") {
		t.Errorf("it says %s", text)
	}
}

// TestSearchCodes: what a search that gives nothing fails with.
func TestSearchCodes(t *testing.T) {
	set := searchSet(t, toolfs.Options{}, map[string]string{"f": ""})
	for _, c := range []struct{ pattern, path, code string }{
		{"(", ".", toolfs.CodeSearchInvalidPattern},
		{"a", "none", toolfs.CodeSearchFailed},
		{"a", "/outside", string(vfs.CodeSandboxDenied)},
	} {
		r := searchCall(t, set, "grep", map[string]string{"pattern": c.pattern, "path": c.path})
		if !r.IsError || r.Error.Info == nil || r.Error.Info.Code != c.code {
			t.Errorf("%+v: %+v", c, r.Error)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := set.Execute(ctx, tool.Call{Name: "grep", Arguments: []byte(`{"pattern":"a"}`)}); r.Error.Info.Code != tool.CodeAbortedBeforeDispatch {
		t.Errorf("cancelled before: %+v", r.Error)
	}
}
