package requirements_test

import (
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

const (
	listGuidance  = "Use the list tool — not shell ls — to see what a directory contains. It returns the direct children of one directory, files and subdirectories alike, and defaults to the session workspace, so it is the first step for orienting in an unfamiliar project. When a result is capped, continue with the offset named in its footer."
	readGuidance  = "Use the read tool — not shell commands like cat — to inspect text files. Results include line numbers. Use offset and limit to continue reading large files."
	writeGuidance = "Use the write tool to create files or completely replace file contents. Existing files are overwritten, so read an existing file first (the default fs-policy requires it) and prefer edit for targeted changes."
	editGuidance  = "Use the edit tool for targeted changes to existing UTF-8 text files. It replaces literal old_string with new_string; by default old_string must appear exactly once. If old_string appears multiple times, provide a more specific old_string or set replace_all to true. Read the file first (the default fs-policy requires it), unless you just created or edited it in this session."
)

// guidance is the section of one tool.
func guidance(t *testing.T, name, text string) {
	t.Helper()
	for _, s := range newWorld(t).set.Sections() {
		if s.Name == "tool:"+name {
			equal(t, "the guidance of "+name, text, s.Text)
			return
		}
	}
	t.Errorf("there is no guidance for %s", name)
}

// hide takes tools from one agent.
func hide(t *testing.T, w *world, names ...string) *tool.Scope {
	t.Helper()
	scope := w.set.Registry().Scope(nil)
	lift, err := scope.Restrict(tool.Restriction{Deny: names})
	w.must(err)
	t.Cleanup(lift)
	return scope
}

var promptTests = tests{
	"R-PROMPT-01": func(t *testing.T) {
		w := newWorld(t)
		equal(t, "the sections", []toolfs.Section{
			{Name: "tool:list", Order: 99, Text: listGuidance}, {Name: "tool:read", Order: 100, Text: readGuidance},
			{Name: "tool:write", Order: 101, Text: writeGuidance}, {Name: "tool:edit", Order: 102, Text: editGuidance},
		}, w.set.Sections())
		equal(t, "all together", strings.Join([]string{listGuidance, readGuidance, writeGuidance, editGuidance}, "\n\n"), w.set.Guidance())
	},

	"R-PROMPT-02": func(t *testing.T) {
		w := newWorld(t)
		before := w.set.Guidance()
		scope := hide(t, w, "list", "read", "write", "edit")
		equal(t, "tools left", 0, len(w.set.Registry().Schemas(scope)))
		equal(t, "sections left", 4, len(w.set.Sections()))
		equal(t, "the guidance", before, w.set.Guidance())
	},

	"R-PROMPT-03": func(t *testing.T) {
		guidance(t, "list", listGuidance)
		if strings.Contains(listGuidance, "glob") || strings.Contains(listGuidance, "grep") {
			t.Error("it speaks of other tools")
		}
	},
	"R-PROMPT-04": func(t *testing.T) { guidance(t, "read", readGuidance) },
	"R-PROMPT-05": func(t *testing.T) { guidance(t, "write", writeGuidance) },
	"R-PROMPT-06": func(t *testing.T) { guidance(t, "edit", editGuidance) },

	// The cost is the same for every request while the set is open, and none once it
	// is closed: disposing of the tools removes schemas and sections alike.
	"R-PROMPT-07": func(t *testing.T) {
		w := newWorld(t)
		cost := len(w.set.Guidance())
		hide(t, w, "edit")
		equal(t, "with a tool hidden", cost, len(w.set.Guidance()))
		equal(t, "without a policy", cost, len(newWorld(t, unguarded).set.Guidance()))
		equal(t, "with other limits", cost, len(newWorld(t, limits(toolfs.Limits{ReadLimit: 7, ListMaxEntries: 7})).set.Guidance()))
		w.must(w.set.Close())
		equal(t, "schemas once the set is closed", 0, len(w.set.Registry().Schemas(nil)))
		equal(t, "sections once the set is closed", 0, len(w.set.Sections()))
	},

	"R-PROMPT-08": func(t *testing.T) {
		w := newWorld(t)
		before := w.set.Guidance()
		w.ok("write", args{"file_path": "f", "content": "a"})
		w.run("read", args{"file_path": "missing"})
		equal(t, "after calls", before, w.set.Guidance())
		hide(t, w, "read")
		equal(t, "with a tool hidden", before, w.set.Guidance())
		sections := w.set.Sections()
		sections[0].Text = "changed by a caller"
		equal(t, "after a caller changed its copy", before, w.set.Guidance())
		equal(t, "another set's", before, newWorld(t).set.Guidance())
	},
}

var costTests = tests{
	// What a call gave stays as it was given, whatever happens later.
	"R-CACHE-01": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "one\ntwo\n")
		results := []tool.Result{
			w.run("list", args{}), w.run("read", args{"file_path": "f"}),
			w.run("write", args{"file_path": "f", "content": "three\nfour\n"}),
			w.run("edit", args{"file_path": "f", "old_string": "three", "new_string": "five"}),
			w.run("edit", args{"file_path": "f", "old_string": "three", "new_string": "six"}),
		}
		snapshot := func() (all []string) {
			for _, r := range results {
				all = append(all, r.Content[0].Text, valueJSON(r), metaJSON(t, r))
			}
			return all
		}
		before := snapshot()
		for i := range 20 {
			w.ok("write", args{"file_path": "f", "content": strings.Repeat("x", i)})
			w.ok("read", args{"file_path": "f"})
			w.ok("list", args{})
			w.run("edit", args{"file_path": "f", "old_string": "x", "new_string": "y", "replace_all": true})
		}
		equal(t, "the results", before, snapshot())
	},

	// A success says where and what, and nothing that the model has already.
	"R-COST-01": func(t *testing.T) {
		w := newWorld(t)
		content := strings.Repeat("a long line of content\n", 1000)
		for _, c := range []struct {
			name  string
			args  args
			bytes int
		}{
			{"write", args{"file_path": "f", "content": content}, len("<path></path>\n<type>file</type>\n<content>\nCreated file\n</content>")},
			{"write", args{"file_path": "f", "content": content + "x\n"}, len("<path></path>\n<type>file</type>\n<content>\nUpdated file\n</content>")},
			{"edit", args{"file_path": "f", "old_string": "long", "new_string": "very long", "replace_all": true}, len("The file  has been updated. All occurrences were successfully replaced.")},
		} {
			equal(t, "bytes of "+c.name, c.bytes+len(w.path("f")), len(w.ok(c.name, c.args)))
		}
	},

	// Only what fails says "Error", in one block, and a failure stores nothing.
	"R-COST-02": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a\n")
		for _, name := range []string{"read", "write", "edit"} {
			a := onPath(name, "f")
			a["old_string"], a["new_string"], a["content"] = "x", "y", "x\n"
			if r := w.run(name, a); r.IsError || r.Error != nil || strings.Contains(r.Content[0].Text, "Error") {
				t.Errorf("the success of %s is %v", name, r.Content)
			}
			r := w.run(name, onPath(name, "f/below a file"))
			if len(r.Content) != 1 || r.Meta != nil || r.Value != nil || !strings.HasPrefix(r.Content[0].Text, "Error: ") || strings.Contains(r.Content[0].Text, "\n") {
				t.Errorf("the failure of %s is %v", name, r)
			}
		}
	},
}
