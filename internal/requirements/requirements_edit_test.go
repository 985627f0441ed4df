package requirements_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

var editTests = tests{
	"R-EDIT-01": func(t *testing.T) {
		w := newWorld(t, unguarded)
		w.file("f", "a b a")
		w.ok("edit", args{"file_path": "f", "old_string": "b", "new_string": ""})
		w.ok("edit", args{"file_path": "f", "old_string": "a", "new_string": "c", "replace_all": true})
		w.holds(w.path("f"), "c  c")
		w.fails("edit", args{"file_path": "f"}, "INVALID_ARGS",
			`invalid arguments: missing required property "old_string"; missing required property "new_string"`)
		def, _ := w.set.Registry().Get("edit", nil)
		equal(t, "the description", "Edit an existing UTF-8 text file by replacing literal text.", def.Description)
		equal(t, "the parameters", `{"type":"object","properties":{"file_path":{"type":"string","description":"Path to edit, resolved by the filesystem backend."},"old_string":{"type":"string","description":"Literal text to replace. Must match exactly."},"new_string":{"type":"string","description":"Literal replacement text. Use an empty string to delete the match."},"replace_all":{"type":"boolean","description":"Replace all matches. Defaults to false; when false, old_string must appear exactly once."}},"required":["file_path","old_string","new_string"]}`,
			string(def.Parameters.JSON()))
	},

	// What is not said to be replaced everywhere must be there once; positions that
	// overlap are several (decision V-04).
	"R-EDIT-02": func(t *testing.T) {
		for _, c := range []struct {
			content, old, new string
			all               bool
			want              string
			matches           int
		}{
			{"one two", "two", "2", false, "one 2", 1},
			{"one two", "two", "2", true, "one 2", 1},
			{"a.b", ".", "-", false, "a-b", 1},
			{"a+b", "a+b", "$1 \\1 $& %s", false, "$1 \\1 $& %s", 1},
			{"x\ny\nz\n", "x\ny", "y\nx", false, "y\nx\nz\n", 1},
			{"  \n", "  ", "\t", false, "\t\n", 1},
			{"one two", "three", "3", false, "", 0},
			{"one two", "Two", "3", true, "", 0},
			{"a a", "a", "b", false, "", 2},
			{"a a", "a", "b", true, "b b", 2},
			{"aaa", "aa", "b", false, "", 2},
			{"aaa", "aa", "b", true, "ba", 1},
			{"a", "a", "aa", true, "aa", 1},
		} {
			t.Run(fmt.Sprintf("%q in %q all %v", c.old, c.content, c.all), func(t *testing.T) {
				w := newWorld(t, unguarded)
				p := w.file("f", c.content)
				a := args{"file_path": "f", "old_string": c.old, "new_string": c.new, "replace_all": c.all}
				switch {
				case c.want != "":
					w.ok("edit", a)
					w.holds(p, c.want)
				case c.matches == 0:
					w.fails("edit", a, "FS_EDIT_NOT_FOUND", `old_string was not found in "`+p+`"`)
					w.holds(p, c.content)
				default:
					w.fails("edit", a, "FS_AMBIGUOUS_EDIT", fmt.Sprintf(
						`old_string matched %d times in "%s"; provide a more specific old_string or set replace_all to true`, c.matches, p))
					w.holds(p, c.content)
				}
			})
		}
	},

	// Any window of the file is a read of it, and the text does not matter before the
	// version does.
	"R-EDIT-03": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", strings.Repeat("line\n", 499)+"the last\n")
		edit := func(old, new string) args { return args{"file_path": "f", "old_string": old, "new_string": new} }
		w.fails("edit", edit("last", "end"), "FS_NOT_OBSERVED", `edit requires reading "`+p+`" first — read the file, then retry`)
		w.ok("read", args{"file_path": "f", "offset": 1, "limit": 1})
		w.ok("edit", edit("last", "end"))
		w.ok("edit", edit("end", "very end"))
		w.file("f", "changed\n")
		w.fails("edit", edit("nowhere", "x"), "FS_STALE_VERSION", `cannot edit "`+p+`": file changed since it was read — re-read the file, then retry`)
		w.holds(p, "changed\n")
		w.ok("read", args{"file_path": "f"})
		w.fails("edit", edit("nowhere", "x"), "FS_EDIT_NOT_FOUND", `old_string was not found in "`+p+`"`)
		w.ok("edit", edit("changed", "done"))
		w.holds(p, "done\n")
	},

	"R-EDIT-04": func(t *testing.T) {
		w := newWorld(t, unguarded)
		p := w.file("f", "a")
		w.ok("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"})
		w.file("f", "other b")
		w.ok("edit", args{"file_path": "f", "old_string": "b", "new_string": "c"})
		w.holds(p, "other c")
		w.fails("edit", args{"file_path": "missing", "old_string": "b", "new_string": "c"}, "FS_STALE_VERSION",
			`cannot edit "`+w.path("missing")+`": file changed since it was read — re-read the file, then retry`)
		w.lacks(w.path("missing"))
	},

	"R-EDIT-05": func(t *testing.T) {
		w := newDisk(t)
		w.file("f", "a")
		j := w.count(primitives)
		edit := func(old, new string) args { return args{"file_path": "f", "old_string": old, "new_string": new} }
		a, b := string(vfs.VersionOf([]byte("a"))), string(vfs.VersionOf([]byte("b")))
		w.run("edit", edit("a", "b"))
		equal(t, "an edit unread", "resolve, edit-intent", j.take())
		w.ok("read", args{"file_path": "f"})
		j.take()
		w.ok("edit", edit("a", "b"))
		equal(t, "an edit", "resolve, edit-intent, editText "+a+", observed "+b, j.take())
		w.run("edit", edit("nowhere", "c"))
		equal(t, "an edit without a match", "resolve, edit-intent, editText "+b, j.take())

		bare := newDisk(t)
		bare.file("f", "a")
		j = bare.count(primitives, unguarded)
		bare.ok("edit", edit("a", "b"))
		equal(t, "without a policy", "resolve, edit-intent, editText , observed "+b, j.take())

		five := newDisk(t)
		five.file("f", "a")
		j = five.count(seam, unguarded)
		five.ok("edit", edit("a", "b"))
		equal(t, "over the five methods", "resolve, edit-intent, open, put, observed "+b, j.take())
	},

	"R-EDIT-06": func(t *testing.T) {
		w := newWorld(t, unguarded)
		p := w.file("f", "a b c")
		w.gives("edit", args{"file_path": "f", "old_string": "a", "new_string": "1"}, "The file "+p+" has been updated successfully.")
		w.gives("edit", args{"file_path": "f", "old_string": "b", "new_string": "2", "replace_all": false}, "The file "+p+" has been updated successfully.")
		w.gives("edit", args{"file_path": "f", "old_string": "c", "new_string": "3", "replace_all": true}, "The file "+p+" has been updated. All occurrences were successfully replaced.")
	},

	// The text stays in the call: no result repeats it, not even one that fails.
	"R-EDIT-07": func(t *testing.T) {
		w := newWorld(t)
		const secret = "correct horse battery staple"
		w.file("unread", "x")
		for _, c := range []struct {
			name string
			args args
		}{
			{"write", args{"file_path": "f", "content": secret}},
			{"edit", args{"file_path": "f", "old_string": secret, "new_string": "new " + secret}},
			{"edit", args{"file_path": "f", "old_string": "no " + secret, "new_string": secret}},
			{"edit", args{"file_path": "unread", "old_string": secret, "new_string": ""}},
			{"write", args{"file_path": "unread", "content": secret}},
		} {
			r := w.run(c.name, c.args)
			for _, block := range r.Content {
				if strings.Contains(block.Text, secret) {
					t.Errorf("%s %v repeats the text: %s", c.name, c.args, block.Text)
				}
			}
		}
	},
}
