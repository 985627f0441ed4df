package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/toolfs/toolfs/card"
)

// listed is the tools as a client sees them, by name.
func listed(t *testing.T, c *client) (tools map[string]listedTool, order []string) {
	t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	var list struct{ Result struct{ Tools []listedTool } }
	if err := json.Unmarshal([]byte(c.line()), &list); err != nil {
		t.Fatal(err)
	}
	tools = map[string]listedTool{}
	for _, tool := range list.Result.Tools {
		tools[tool.Name] = tool
		order = append(order, tool.Name)
	}
	return tools, order
}

type listedTool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Annotations               map[string]any
}

func TestToolsAreDeclaredAsTheyAre(t *testing.T) {
	dir := workspace(t, nil)
	s := fileServer(t, dir, Options{})
	c := dial(t, s)
	c.hello("2025-06-18")
	tools, order := listed(t, c)
	if got := fmt.Sprint(order); got != "[edit glob grep list read write]" {
		t.Errorf("order %s", got)
	}
	for _, def := range s.toolset.Registry().Definitions(nil) {
		tool := tools[def.Name]
		if tool.Description != def.Description || tool.Title != def.Title || tool.Title == "" {
			t.Errorf("%s: %q, %q", def.Name, tool.Title, tool.Description)
		}
		if got, want := string(tool.InputSchema), string(def.Parameters.JSON()); got != want {
			t.Errorf("%s: input schema %s, want the very bytes %s", def.Name, got, want)
		}
		want := map[string]any{
			"title": def.Title, "readOnlyHint": def.Hints.ReadOnly, "destructiveHint": def.Hints.Destructive,
			"idempotentHint": def.Hints.Idempotent, "openWorldHint": def.Hints.OpenWorld,
		}
		if fmt.Sprint(tool.Annotations) != fmt.Sprint(want) {
			t.Errorf("%s: annotations %v, want %v", def.Name, tool.Annotations, want)
		}
	}
	// What the hints say is so: only writing and editing changes anything.
	for name, readOnly := range map[string]bool{"list": true, "read": true, "write": false, "edit": false} {
		a := tools[name].Annotations
		if a["readOnlyHint"] != readOnly || a["destructiveHint"] == readOnly || a["openWorldHint"] != false {
			t.Errorf("%s: %v", name, a)
		}
	}
	if tools["edit"].Annotations["idempotentHint"] != false || tools["write"].Annotations["idempotentHint"] != true {
		t.Error("to edit twice is not to edit once; to write twice is")
	}
}

// calls makes one call of every kind and gives the answers.
func calls(t *testing.T, c *client, dir string) map[string]answer {
	t.Helper()
	files := map[string]string{"empty.txt": "", "a.txt": strings.Repeat("some line\n", 20), "late.txt": "1\n2\n3\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		what, tool string
		args       args
	}{
		{"list", "list", args{}},
		{"list late", "list", args{"offset": 2}},
		{"read", "read", args{"file_path": "a.txt"}},
		{"read part", "read", args{"file_path": "late.txt", "offset": 2, "limit": 1}},
		{"read empty", "read", args{"file_path": "empty.txt"}},
		{"write new", "write", args{"file_path": "new.txt", "content": "x\n"}},
		{"write again", "write", args{"file_path": "new.txt", "content": "y\n"}},
		{"write same", "write", args{"file_path": "new.txt", "content": "y\n"}},
		{"edit", "edit", args{"file_path": "new.txt", "old_string": "y", "new_string": "z"}},
		{"edit all", "edit", args{"file_path": "a.txt", "old_string": "some", "new_string": "each", "replace_all": true}},
	}
	answers := map[string]answer{}
	for i, s := range steps {
		a := c.call(i, s.tool, s.args)
		if a.Result.IsError || a.Error != nil {
			t.Fatalf("%s: %+v", s.what, a)
		}
		answers[s.what] = a
	}
	return answers
}

func TestStructuredContentSatisfiesItsSchema(t *testing.T) {
	for _, lines := range []bool{false, true} {
		t.Run(fmt.Sprint("lines ", lines), func(t *testing.T) {
			dir := workspace(t, nil)
			c := dial(t, fileServer(t, dir, Options{StructuredLines: lines}))
			c.hello("2025-06-18")
			tools, _ := listed(t, c)
			for what, a := range calls(t, c, dir) {
				name, _, _ := strings.Cut(what, " ")
				var schema jsonschema.Schema
				if err := json.Unmarshal(tools[name].OutputSchema, &schema); err != nil {
					t.Fatal(err)
				}
				resolved, err := schema.Resolve(nil)
				if err != nil {
					t.Fatal(err)
				}
				var value any
				if err := json.Unmarshal(a.Result.StructuredContent, &value); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if err := resolved.Validate(value); err != nil {
					t.Errorf("%s: %s: %v", what, a.Result.StructuredContent, err)
				}
			}
		})
	}
}

func TestStructuredContent(t *testing.T) {
	dir := workspace(t, nil)
	c := dial(t, fileServer(t, dir, Options{}))
	c.hello("2025-06-18")
	answers := calls(t, c, dir)
	path := func(name string) string { return `{"path":"` + filepath.Join(dir, name) + `",` }
	hunk := func(n int) string {
		return fmt.Sprintf(`{"oldStart":1,"oldLines":%d,"newStart":1,"newLines":%d}`, n, n)
	}
	for what, want := range map[string]string{
		"list":        path("") + `"offset":1,"shown":3,"totalEntries":3,"counts":{"directories":0,"files":3,"other":0}}`,
		"list late":   path("") + `"offset":2,"shown":2,"totalEntries":3,"counts":{"directories":0,"files":3,"other":0}}`,
		"read":        path("a.txt") + `"startLine":1,"endLine":20,"totalLines":20}`,
		"read part":   path("late.txt") + `"startLine":2,"endLine":2,"totalLines":3,"nextOffset":3}`,
		"read empty":  path("empty.txt") + `"startLine":1,"endLine":0,"totalLines":0}`,
		"write new":   path("new.txt") + `"operation":"create","hunks":[]}`,
		"write again": path("new.txt") + `"operation":"update","hunks":[` + hunk(1) + `]}`,
		"write same":  path("new.txt") + `"operation":"update","hunks":[]}`,
		"edit":        path("new.txt") + `"replacements":1,"hunks":[` + hunk(1) + `]}`,
		"edit all":    path("a.txt") + `"replacements":20,"hunks":[` + hunk(20) + `]}`,
	} {
		if got := string(answers[what].Result.StructuredContent); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
}

// A client that fails a call whose structured content does not satisfy the schema does
// so for failures too: they have none.
func TestFailuresSayWhatTheyAre(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "a\n"})
	c := dial(t, fileServer(t, dir, Options{}))
	c.hello("2025-06-18")
	for _, tt := range []struct {
		tool  string
		args  any
		text  string
		error string
	}{
		{"read", args{"file_path": "none"}, `Error: cannot read "` + filepath.Join(dir, "none") + `": not found`, `{"name":"FsError","code":"FS_NOT_FOUND"}`},
		{"edit", args{"file_path": "a.txt", "old_string": "a", "new_string": "b"}, `Error: edit requires reading "` + filepath.Join(dir, "a.txt") + `" first — read the file, then retry`, `{"name":"FsError","code":"FS_NOT_OBSERVED"}`},
		{"read", args{}, "Error: invalid arguments: missing required property \"file_path\"", `{"name":"ToolArgsError","code":"INVALID_ARGS"}`},
		{"read", args{"file_path": " "}, "Error: file_path must be a non-empty string", ``},
		{"read", []int{1}, `Error: invalid arguments: "arguments" must be an object`, `{"name":"ToolArgsError","code":"INVALID_ARGS"}`},
	} {
		a := c.call(1, tt.tool, tt.args)
		if !a.Result.IsError || a.Result.StructuredContent != nil {
			t.Errorf("%s %v: %+v", tt.tool, tt.args, a)
		}
		if a.text(t) != tt.text {
			t.Errorf("%s %v: %s", tt.tool, tt.args, a.text(t))
		}
		if got := string(a.Result.Meta[ErrorKey]); got != tt.error {
			t.Errorf("%s %v: %s, want %s", tt.tool, tt.args, got, tt.error)
		}
	}
}

func TestNothingIsSaidTwice(t *testing.T) {
	const needle, other = "needle-in-a-haystack", "quite-another-needle"
	dir := workspace(t, map[string]string{"a.txt": needle + "\n"})
	long := strings.Repeat("long line to be held back from the SDK\n", 500)
	for _, tt := range []struct {
		options     Options
		read, write int
	}{
		{Options{}, 1, 0},
		{Options{StructuredLines: true}, 2, 0},
		{Options{OmitStructured: true}, 1, 0},
	} {
		c := dial(t, fileServer(t, dir, tt.options))
		c.hello("2025-06-18")
		c.send(callLine(1, "read", args{"file_path": "a.txt"}))
		if line := c.line(); strings.Count(line, needle) != tt.read {
			t.Errorf("read: %s", line)
		}
		os.Remove(filepath.Join(dir, "b.txt"))
		c.send(callLine(2, "write", args{"file_path": "b.txt", "content": other + "\n" + long}))
		if line := c.line(); strings.Contains(line, other) {
			t.Errorf("a new file: %s", line)
		}
		c.send(callLine(3, "write", args{"file_path": "b.txt", "content": needle + "\n" + long}))
		if line := c.line(); strings.Count(line, needle) != 1 || strings.Count(line, other) != 1 {
			t.Errorf("an overwrite: %s", line)
		}
		c.send(callLine(4, "edit", args{"file_path": "b.txt", "old_string": needle, "new_string": other}))
		if line := c.line(); strings.Count(line, needle) != 1 || strings.Count(line, other) != 1 {
			t.Errorf("an edit: %s", line)
		}
	}
}

func TestOmittedStructureIsOmittedEverywhere(t *testing.T) {
	dir := workspace(t, nil)
	c := dial(t, fileServer(t, dir, Options{OmitStructured: true}))
	c.hello("2025-06-18")
	tools, _ := listed(t, c)
	for name, tool := range tools {
		if tool.OutputSchema != nil {
			t.Errorf("%s has the output schema %s", name, tool.OutputSchema)
		}
	}
	for what, a := range calls(t, c, dir) {
		if a.Result.StructuredContent != nil {
			t.Errorf("%s: %s", what, a.Result.StructuredContent)
		}
	}
}

// What the card leaves out can be put back from the rest of the answer.
func TestCards(t *testing.T) {
	dir := workspace(t, nil)
	c := dial(t, fileServer(t, dir, Options{}))
	c.hello("2025-06-18")
	answers := calls(t, c, dir)
	for what, want := range map[string]string{
		"list":        `{"call":{"card":"generic","title":"List .","kind":"read","locations":[{"path":"."}]}}`,
		"read part":   `{"call":{"card":"generic","title":"Read late.txt (2 - 2)","kind":"read","locations":[{"path":"late.txt","line":2}]},"result":{"card":"read","path":"` + filepath.Join(dir, "late.txt") + `","offset":2,"totalLines":3}}`,
		"write new":   `{"call":{"card":"diff","title":"Write new.txt","locations":[{"path":"new.txt"}]},"result":{"card":"diff","title":"Write new.txt"}}`,
		"write again": `{"call":{"card":"diff","title":"Write new.txt","locations":[{"path":"new.txt"}]},"result":{"card":"diff","title":"Write new.txt","diffs":[{"path":"new.txt","oldText":"x","newText":"y"}]}}`,
	} {
		if got := string(answers[what].Result.Meta[CardKey]); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	var edit struct{ Result card.Diff }
	if err := json.Unmarshal(answers["edit"].Result.Meta[CardKey], &edit); err != nil {
		t.Fatal(err)
	}
	if edit.Result.Card != "diff" || len(edit.Result.Diffs) != 1 || edit.Result.Diffs[0].NewText != "z" {
		t.Errorf("%+v", edit.Result)
	}
}
