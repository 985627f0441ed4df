//go:build linux

package cases_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

// notFound fails unless an edit of content is refused as not found, with the file
// untouched.
func notFound(t *testing.T, content, old string) {
	t.Helper()
	w := newWorld(t)
	p := w.file("f", content)
	w.ok("read", path("f"))
	same := w.untouched("f")
	w.says(w.refused("edit", edit("f", old, "replaced"), vfs.CodeEditNotFound), `old_string was not found in "`+p+`"`)
	w.refused("edit", editAll("f", old, "replaced"), vfs.CodeEditNotFound)
	same()
	w.only(w.ws, "f")
}

// verbatim fails unless content goes to the disk as it is, by a write and as the
// replacement of an edit.
func verbatim(t *testing.T, content string) {
	t.Helper()
	w := newWorld(t)
	w.ok("write", write("f", content))
	w.holds("f", content)
	w.ok("write", write("g", "before HERE after"))
	w.ok("edit", edit("g", "HERE", content))
	w.holds("g", "before "+content+" after")
	w.ok("edit", edit("g", content, "HERE")) // and it is found again
	w.holds("g", "before HERE after")
}

var editCases = cases{
	// A beginning here and an end there make no match.
	"90": func(t *testing.T) {
		var all []string
		for i := range 100 {
			all = append(all, fmt.Sprintf("line %d {", i+1))
		}
		all[49] = "}"
		notFound(t, strings.Join(all, "\n")+"\n", all[4]+"\n}\n"+all[89])
	},

	// Nor does a block whose inside is another.
	"91": func(t *testing.T) {
		notFound(t, "func f() {\n\tx := 1\n\ty := 2\n\treturn\n}\n", "func f() {\n\tx := 1\n\ty := 99\n\treturn\n}")
	},

	// What an earlier edit replaced is no longer there to be found.
	"92": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "func a() {\n\tone()\n}\n\nfunc b() {\n\ttwo()\n}\n")
		w.ok("read", path("f"))
		w.ok("edit", edit("f", "\tone()\n}", "\tuno()\n\tdue()\n}"))
		same := w.untouched("f")
		w.says(w.refused("edit", edit("f", "\tone()\n}\n\nfunc b() {", "\tone()\n}\n\nfunc c() {"), vfs.CodeEditNotFound), `old_string was not found in "`+p+`"`)
		same()
	},

	"93": func(t *testing.T) { verbatim(t, "log(\"$& $1 $$ ${x} $`\") $' $<name> \\1 \\0 & %s %d") },
	"94": func(t *testing.T) {
		verbatim(t, `print('a\nb') \\title \t \u0041 \x41 \' \"`)
		verbatim(t, "a\\nb\nc\\\\d\te")
	},
	"96": func(t *testing.T) { verbatim(t, "&lt;b&gt; &amp;amp; &#39; &quot; <![CDATA[ x ]]>") },

	// One text in two places is a question, not a choice.
	"97": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "func a() {\n\tlog()\n}\nfunc b() {\n\tlog()\n}\n")
		w.ok("read", path("f"))
		same := w.untouched("f")
		w.says(w.refused("edit", edit("f", "\tlog()", "\ttrace()"), vfs.CodeAmbiguousEdit),
			`old_string matched 2 times in "`+p+`"; provide a more specific old_string or set replace_all to true`)
		same()
		w.ok("edit", edit("f", "func b() {\n\tlog()", "func b() {\n\ttrace()"))
		w.holds("f", "func a() {\n\tlog()\n}\nfunc b() {\n\ttrace()\n}\n")
	},

	// Nothing is no text to be replaced, whether there is a file or not.
	"98": func(t *testing.T) {
		for _, change := range []func(*world){func(w *world) { w.open() }, func(w *world) { w.open(unguarded) }} {
			w := newWorld(t)
			change(w)
			w.file("f", "precious")
			same := w.untouched("f")
			w.says(w.refused("edit", edit("f", "", "x"), ""), "old_string must be a non-empty string")
			w.says(w.refused("edit", editAll("f", "", "x"), ""), "old_string must be a non-empty string")
			w.says(w.refused("edit", edit("new", "", "x"), ""), "old_string must be a non-empty string")
			same()
			w.only(w.ws, "f")
		}
	},

	// Edits of one message come one after the other, in the model's order, and a later
	// one meets what an earlier one made of the text.
	"101": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a\n")
		w.ok("read", path("f"))
		for _, r := range w.batch(w.call("edit", edit("f", "a", "b")), w.call("edit", edit("f", "b", "c"))) {
			w.text(r)
		}
		w.holds("f", "c\n")
		w.file("f", "one two three\n")
		w.ok("read", path("f"))
		results := w.batch(w.call("edit", edit("f", "one two", "1 2")), w.call("edit", edit("f", "two three", "2 3")))
		w.text(results[0])
		w.failed(results[1], vfs.CodeEditNotFound)
		w.holds("f", "1 2 three\n")
	},

	// Whoever calls with another shape is told the right names, and nothing happens.
	"102": func(t *testing.T) {
		w := newWorld(t, unguarded)
		w.file("f", "a")
		same := w.untouched("f")
		w.says(w.refused("edit", args{"file_path": "f", "edits": []args{{"old_string": "a", "new_string": "b"}}}, "INVALID_ARGS"),
			`invalid arguments: missing required property "old_string"; missing required property "new_string"`)
		for wrong, right := range map[string]string{"oldString": "old_string", "OLD-STRING": "old_string", "filePath": "file_path", "replaceAll": "replace_all"} {
			a := edit("f", "a", "b")
			delete(a, right)
			a[wrong] = "a"
			if said := w.refused("edit", a, "INVALID_ARGS"); !strings.Contains(said, `"`+right+`"`) || !strings.Contains(said, `"`+wrong+`"`) {
				t.Errorf("to %s it says %s", wrong, said)
			}
		}
		same()
	},
}
