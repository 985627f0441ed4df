package requirements_test

import (
	"os"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

var writeTests = tests{
	"R-WRITE-01": func(t *testing.T) {
		w := newWorld(t)
		w.ok("write", args{"file_path": "f", "content": "a"})
		w.ok("write", args{"file_path": "empty", "content": ""})
		w.fails("write", args{"file_path": "f"}, "INVALID_ARGS", `invalid arguments: missing required property "content"`)
		def, _ := w.set.Registry().Get("write", nil)
		equal(t, "the description", "Create or fully replace a UTF-8 text file.", def.Description)
		equal(t, "the parameters", `{"type":"object","properties":{"file_path":{"type":"string","description":"Path to write, resolved by the filesystem backend."},"content":{"type":"string","description":"Full UTF-8 text content to write."}},"required":["file_path","content"]}`,
			string(def.Parameters.JSON()))
	},

	"R-WRITE-02": func(t *testing.T) {
		w := newWorld(t)
		for _, content := range []string{"first\n", "second, longer\n", "s", "", "crlf\r\nno end", "日本 😀\n"} {
			w.ok("write", args{"file_path": "made/on/the/way/f", "content": content})
			w.holds(w.path("made/on/the/way/f"), content)
		}
		w.must(os.Symlink("made", w.path("link")))
		w.ok("write", args{"file_path": "link/on/g", "content": "through the link"})
		w.holds(w.path("made/on/g"), "through the link")
		// What cannot be made leaves nothing of what was made for it.
		r := w.run("write", args{"file_path": "new/dir/" + strings.Repeat("x", 300), "content": "a"})
		if !r.IsError || r.Error.Info == nil || r.Error.Info.Name != "FsError" {
			t.Errorf("a name that is too long gives %v", r.Content)
		}
		w.lacks(w.path("new"))
	},

	"R-WRITE-03": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a")
		write := func(content string) args { return args{"file_path": "f", "content": content} }
		w.fails("write", write("b"), "FS_NOT_OBSERVED", `cannot overwrite existing "`+p+`" without reading it first — read the file, then retry`)
		w.holds(p, "a")
		w.ok("read", args{"file_path": "f"})
		w.ok("write", write("b"))
		w.ok("write", write("c")) // one's own write counts as having seen it
		w.file("f", "x")          // as long as what was seen, and as new as a clock can tell
		w.fails("write", write("d"), "FS_STALE_VERSION", `cannot write "`+p+`": file changed since it was read — re-read the file, then retry`)
		w.holds(p, "x")
		w.ok("read", args{"file_path": "f"})
		w.ok("write", write("d"))
		w.must(os.Remove(p))
		w.fails("write", write("e"), "FS_STALE_VERSION", `cannot write "`+p+`": file no longer exists — re-read the file, then retry`)
		w.lacks(p)
		w.ok("write", args{"file_path": "new", "content": "n"})
	},

	"R-WRITE-04": func(t *testing.T) {
		w := newWorld(t, unguarded)
		for _, content := range []string{"a", "b"} {
			w.file("f", "changed by another")
			w.ok("write", args{"file_path": "f", "content": content})
			w.holds(w.path("f"), content)
		}
	},

	// The gate is asked once, what it says goes to the provider as it is, and only
	// then is the outcome observed. Nothing is looked at beforehand.
	"R-WRITE-05": func(t *testing.T) {
		w := newDisk(t)
		a, b := string(vfs.VersionOf([]byte("a"))), string(vfs.VersionOf([]byte("b")))
		j := w.count(primitives)
		w.ok("write", args{"file_path": "f", "content": "a"})
		equal(t, "a creation", "resolve, write-intent, writeText createIfAbsent, observed "+a, j.take())
		w.ok("write", args{"file_path": "f", "content": "b"})
		equal(t, "a replacement", "resolve, write-intent, writeText replaceIfVersion "+a+", observed "+b, j.take())
		w.run("write", args{"file_path": "f/child", "content": "c"})
		equal(t, "a write below a file", "resolve", j.take())
		w.file("f", "c")
		w.run("write", args{"file_path": "f", "content": "d"})
		equal(t, "a refusal", "resolve, write-intent, writeText replaceIfVersion "+b, j.take())

		bare := newDisk(t)
		j = bare.count(primitives, unguarded)
		bare.ok("write", args{"file_path": "f", "content": "a"})
		equal(t, "without a policy", "resolve, write-intent, writeText unconditional, observed "+a, j.take())

		five := newDisk(t)
		j = five.count(seam)
		five.ok("write", args{"file_path": "f", "content": "a"})
		five.ok("write", args{"file_path": "f", "content": "b"})
		if got := j.take(); strings.Contains(got, "stat") {
			t.Errorf("a Stat among: %s", got)
		}
	},

	"R-WRITE-06": func(t *testing.T) {
		w := newWorld(t)
		envelope := func(said string) string {
			return "<path>" + w.path("f") + "</path>\n<type>file</type>\n<content>\n" + said + "\n</content>"
		}
		w.gives("write", args{"file_path": "f", "content": "a"}, envelope("Created file"))
		w.gives("write", args{"file_path": "f", "content": "b"}, envelope("Updated file"))
		// What is there already is not written again (decision V-15).
		before, err := os.Stat(w.path("f"))
		w.must(err)
		w.gives("write", args{"file_path": "f", "content": "b"}, envelope("Updated file"))
		if after, err := os.Stat(w.path("f")); err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
			t.Errorf("the file was replaced by the same (%v)", err)
		}
	},
}
