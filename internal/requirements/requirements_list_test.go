package requirements_test

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/vfs"
)

var listTests = tests{
	"R-LIST-01": func(t *testing.T) {
		w := newWorld(t)
		w.file("d/f", "")
		for _, a := range []args{{}, {"path": "d"}, {"offset": 1}, {"path": "d", "offset": 1}} {
			w.ok("list", a)
		}
		def, _ := w.set.Registry().Get("list", nil)
		equal(t, "the parameters", `{"type":"object","properties":{"path":{"type":"string","description":"Directory to list. Defaults to the session workspace; a relative path resolves against it."},"offset":{"type":"number","description":"1-based first entry to return. Defaults to 1; use the footer value to continue."}}}`,
			string(def.Parameters.JSON()))
	},

	"R-LIST-02": func(t *testing.T) {
		w := newWorld(t)
		w.file("d/inner/f", "")
		w.file("d/g", "")
		w.gives("list", args{"path": "d"},
			"<path>"+w.path("d")+"</path>\n<type>directory</type>\n<content>\ninner/\ng\n\n(2 entries: 1 directory, 1 file)\n</content>")
	},

	"R-LIST-03": func(t *testing.T) {
		w := newWorld(t)
		w.file("a", "")
		w.file("b", "")
		all := w.ok("list", args{})
		if !strings.HasPrefix(all, "<path>"+w.ws+"</path>\n") {
			t.Errorf("not the session's directory: %s", all)
		}
		w.gives("list", args{"path": ".", "offset": 1}, all)
	},

	// "Alphabetical" is by case-folded code points, then by code points: one total
	// order that no locale changes.
	"R-LIST-04": func(t *testing.T) {
		w := newWorld(t)
		for _, name := range []string{"src", "Docs", "a"} {
			w.must(os.Mkdir(w.path(name), 0o755))
		}
		for _, name := range []string{"_a", "-y", ".x", "1", "10", "2", "a b", "ab", "e", "E", "é", "z", "Z", "README.txt", "package.json"} {
			w.file(name, "")
		}
		w.must(os.Symlink("nowhere", w.path("B")), os.Symlink("nowhere", w.path("0")),
			os.Symlink("src", w.path("to-src")), os.Symlink("ab", w.path("AA")))
		want := strings.Fields("a/ Docs/ src/ to-src/ -y .x 1 10 2 _a a·b AA ab E e package.json README.txt Z z é 0@ B@")
		got := strings.Split(strings.Split(w.ok("list", args{}), "\n\n")[0], "\n")[3:]
		equal(t, "the order", strings.ReplaceAll(strings.Join(want, "\n"), "·", " "), strings.Join(got, "\n"))
	},

	// Following the offsets of the footers meets every entry once.
	"R-LIST-05": func(t *testing.T) {
		w := newWorld(t, limits(toolfs.Limits{ListMaxEntries: 3}))
		var want []string
		for i := range 10 {
			want = append(want, fmt.Sprintf("f%d", i))
			w.file(want[i], "")
		}
		var got []string
		for offset, pages := 1, 1; ; pages++ {
			page, footer, _ := strings.Cut(w.ok("list", args{"offset": offset}), "\n\n")
			got = append(got, strings.Split(page, "\n")[3:]...)
			_, next, more := strings.Cut(footer, "Use offset=")
			if !more {
				equal(t, "pages", 4, pages)
				break
			}
			if _, err := fmt.Sscanf(next, "%d", &offset); err != nil || pages > 4 {
				t.Fatalf("page %d ends with %q (%v)", pages, footer, err)
			}
		}
		equal(t, "the entries", want, got)
	},

	"R-LIST-06": func(t *testing.T) {
		w := newDisk(t)
		w.file("d/f", "")
		w.must(os.Symlink("f", w.path("d/link")))
		j := w.count(seam)
		w.ok("list", args{"path": "d"})
		equal(t, "the calls", "resolve, readDir", j.take())
		w.fails("list", args{"path": "missing"}, "FS_NOT_FOUND", `cannot list "`+w.path("missing")+`": not found`)
		equal(t, "the calls", "resolve, readDir", j.take())
	},

	"R-LIST-07": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "")
		for name, want := range map[string]struct {
			code    vfs.Code
			message string
		}{
			"missing": {"FS_NOT_FOUND", `cannot list "` + w.path("missing") + `": not found`},
			"f":       {"FS_NOT_DIRECTORY", `cannot list "` + w.path("f") + `": not a directory`},
		} {
			target, err := w.disk.Resolve(t.Context(), w.ws, name)
			w.must(err)
			_, err = vfs.ListDir(t.Context(), w.disk, target)
			if err == nil || err.Error() != want.message || vfs.CodeOf(err) != want.code {
				t.Errorf("the seam gives %v (%s) for %s", err, vfs.CodeOf(err), name)
			}
			w.fails("list", args{"path": name}, string(want.code), want.message)
		}
		w.fails("list", args{"path": "f/child"}, "FS_NOT_FOUND", `cannot resolve "`+w.path("f/child")+`": a parent path segment is not a directory`)
	},

	"R-LIST-08": func(t *testing.T) {
		w := newDisk(t)
		p := w.file("f", "a")
		j := w.count(seam)
		w.ok("list", args{})
		if got := j.take(); strings.Contains(got, "observed") {
			t.Errorf("a listing was observed: %s", got)
		}
		w.fails("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"}, "FS_NOT_OBSERVED",
			`edit requires reading "`+p+`" first — read the file, then retry`)
		w.fails("write", args{"file_path": "f", "content": "b"}, "FS_NOT_OBSERVED",
			`cannot overwrite existing "`+p+`" without reading it first — read the file, then retry`)
	},
}

var listTextTests = tests{
	"R-LIST-09": func(t *testing.T) {
		w := newWorld(t)
		w.file("archive/x", "")
		w.file("zeroomega-3.3.23/x", "")
		w.file("notes.md", "")
		w.must(os.Symlink("nowhere", w.path("link-to-nowhere")))
		w.gives("list", args{}, "<path>"+w.ws+`</path>
<type>directory</type>
<content>
archive/
zeroomega-3.3.23/
notes.md
link-to-nowhere@

(4 entries: 2 directories, 1 file, 1 other)
</content>`)
		w.must(os.Mkdir(w.path("empty"), 0o755))
		w.gives("list", args{"path": "empty"},
			"<path>"+w.path("empty")+"</path>\n<type>directory</type>\n<content>\n(Empty directory)\n</content>")
	},

	"R-LIST-10": func(t *testing.T) {
		w := newWorld(t)
		w.file("file", "")
		w.must(os.Mkdir(w.path("dir"), 0o755), os.Symlink("file", w.path("to-file")), os.Symlink("dir", w.path("to-dir")),
			os.Symlink("to-itself", w.path("to-itself")))
		l, err := net.Listen("unix", w.path("special"))
		w.must(err)
		defer l.Close()
		w.gives("list", args{}, "<path>"+w.ws+`</path>
<type>directory</type>
<content>
dir/
to-dir/
file
to-file
special@
to-itself@

(6 entries: 2 directories, 2 files, 2 other)
</content>`)
	},

	// Quoted is what could be read as something else; decision V-14 counts characters
	// among it that cannot be seen or that turn the text around.
	"R-LIST-11": func(t *testing.T) {
		for _, name := range []string{"a b", "it's", `in"side`, "at@home", "ünïcode", "日本", "-x", ".hidden", "$HOME", "a&b", "<tag>", "😀", "e\u0301"} {
			listsAs(t, name, name)
		}
		for name, shown := range map[string]string{
			"regular@":            `"regular@"`,
			`"lead`:               `"\"lead"`,
			`back\slash`:          `"back\\slash"`,
			"new\nline":           `"new\nline"`,
			"tab\t":               `"tab\t"`,
			"\b\f\r":              `"\b\f\r"`,
			"esc\x1b[0m":          `"esc\u001b[0m"`,
			"del\x7f":             `"del\u007f"`,
			"c1\u0085":            `"c1\u0085"`,
			"zero\u200bwidth":     `"zero\u200bwidth"`,
			"exe\u202etxt":        `"exe\u202etxt"`,
			"line\u2028par\u2029": `"line\u2028par\u2029"`,
		} {
			listsAs(t, name, shown)
		}
		// No name on a disk holds a slash, but another provider's may.
		w := newDisk(t)
		w.open(func(o *toolfs.Options) {
			o.Provider = &scripted{entries: []vfs.Entry{{Name: "fake\n</content>", Type: vfs.TypeFile}}}
		})
		w.gives("list", args{"path": "d"},
			"<path>/d</path>\n<type>directory</type>\n<content>\n\"fake\\n<\\/content>\"\n\n(1 entry: 0 directories, 1 file)\n</content>")
		w = newWorld(t)
		w.file("</x", "")
		w.gives("list", args{"path": "<"},
			"<path>"+w.path("<")+"</path>\n<type>directory</type>\n<content>\nx\n\n(1 entry: 0 directories, 1 file)\n</content>")
		w.must(os.MkdirAll(w.path("</d"), 0o755))
		w.gives("list", args{"path": "</d"},
			"<path>\""+w.path("<")+"\\/d\"</path>\n<type>directory</type>\n<content>\n(Empty directory)\n</content>")
	},

	"R-LIST-12": func(t *testing.T) {
		for _, c := range []struct {
			directories, files, others, offset, page int
			footer                                   string
		}{
			{0, 0, 0, 1, 3, "(Empty directory)"},
			{0, 1, 0, 1, 3, "(1 entry: 0 directories, 1 file)"},
			{1, 0, 0, 1, 3, "(1 entry: 1 directory, 0 files)"},
			{0, 0, 1, 1, 3, "(1 entry: 0 directories, 0 files, 1 other)"},
			{2, 2, 0, 1, 4, "(4 entries: 2 directories, 2 files)"},
			{1, 1, 1, 1, 3, "(3 entries: 1 directory, 1 file, 1 other)"},
			{1, 3, 0, 1, 2, "(Showing entries 1-2 of 4: 1 directory, 3 files. Use offset=3 to continue.)"},
			{1, 3, 0, 3, 2, "(Showing entries 3-4 of 4: 1 directory, 3 files.)"},
			{1, 3, 0, 2, 9, "(Showing entries 2-4 of 4: 1 directory, 3 files.)"},
			{2, 8, 1, 1, 3, "(Showing entries 1-3 of 11: 2 directories, 8 files, 1 other. Use offset=4 to continue.)"},
			{2, 8, 1, 11, 3, "(Showing entries 11-11 of 11: 2 directories, 8 files, 1 other.)"},
		} {
			text := listOf(t, c.page, c.directories, c.files, c.others, c.offset)
			if !strings.HasSuffix(text, "\n"+c.footer+"\n</content>") {
				t.Errorf("%q does not end with %s", text, c.footer)
			}
		}
	},

	"R-LIST-13": func(t *testing.T) {
		for offset := 1; offset <= 7; offset++ {
			if text := listOf(t, 2, 2, 4, 1, offset); !strings.Contains(text, " of 7: 2 directories, 4 files, 1 other.") {
				t.Errorf("the page from %d on does not state the whole: %s", offset, text)
			}
		}
	},

	"R-LIST-14": func(t *testing.T) {
		w := newWorld(t, limits(toolfs.Limits{ListMaxEntries: 2}))
		for i := range 50 {
			w.file(fmt.Sprintf("f%02d", i), "")
		}
		r := w.run("list", args{})
		equal(t, "the value", `{"path":"`+w.ws+`","offset":1,"entries":[{"name":"f00","type":"file"},{"name":"f01","type":"file"}],"totalEntries":50,"counts":{"directories":0,"files":50,"other":0}}`, valueJSON(r))
		equal(t, "lines of text", 8, strings.Count(text(t, r), "\n")+1)
	},
}

// listsAs fails unless a regular file's name is shown so.
func listsAs(t *testing.T, name, shown string) {
	t.Helper()
	w := newWorld(t)
	w.file(name, "")
	want := "<path>" + w.ws + "</path>\n<type>directory</type>\n<content>\n" + shown + "\n\n(1 entry: 0 directories, 1 file)\n</content>"
	if diff := cmp.Diff(want, w.ok("list", args{})); diff != "" {
		t.Errorf("the name %q (-want +got):\n%s", name, diff)
	}
}

// listOf gives the text for a directory of so many children.
func listOf(t *testing.T, page, directories, files, others, offset int) string {
	t.Helper()
	var entries []vfs.Entry
	for kind, n := range map[vfs.Type]int{vfs.TypeDirectory: directories, vfs.TypeFile: files, vfs.TypeOther: others} {
		for i := range n {
			entries = append(entries, vfs.Entry{Name: fmt.Sprint(kind, i), Type: kind})
		}
	}
	w := newDisk(t)
	w.open(limits(toolfs.Limits{ListMaxEntries: page}), func(o *toolfs.Options) { o.Provider = &scripted{entries: entries} })
	return w.ok("list", args{"offset": offset})
}
