package requirements_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/vfs"
)

var readTests = tests{
	"R-READ-01": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "one\ntwo\n")
		for _, a := range []args{{"file_path": "f"}, {"file_path": "f", "offset": 1}, {"file_path": "f", "limit": 1}, {"file_path": "f", "offset": 2, "limit": 1}} {
			w.ok("read", a)
		}
		def, _ := w.set.Registry().Get("read", nil)
		equal(t, "the description", "Read a UTF-8 text file and return line-numbered content.", def.Description)
		equal(t, "the parameters", `{"type":"object","properties":{"file_path":{"type":"string","description":"Path to read, resolved by the filesystem backend."},"offset":{"type":"number","description":"1-based first line to return. Defaults to 1."},"limit":{"type":"number","description":"Maximum number of lines to return. Defaults to 2000."}},"required":["file_path"]}`,
			string(def.Parameters.JSON()))
	},

	// Lines end at a line feed; the one carriage return before it is not shown, any
	// other is text. A final line feed makes no further line.
	"R-READ-02": func(t *testing.T) {
		w := newWorld(t)
		for content, want := range map[string][]string{
			"":               {},
			"a":              {"a"},
			"a\n":            {"a"},
			"\n":             {""},
			"a\n\nb":         {"a", "", "b"},
			"a\r\nb\r\n":     {"a", "b"},
			"a\r\r\nb":       {"a\r", "b"},
			"a\rb\n":         {"a\rb"},
			"é日本😀\n":         {"é日本😀"},
			"\ufeffa\n":      {"a"},
			"a\ufeff\n":      {"a\ufeff"},
			" \tindented\n":  {" \tindented"},
			"</content>\n":   {"</content>"},
			"(End of file\n": {"(End of file"},
		} {
			w.file("f", content)
			r := w.run("read", args{"file_path": "f"})
			equal(t, fmt.Sprintf("lines of %q", content), want, lines(t, r))
			wantLastLine(t, text(t, r), fmt.Sprintf("(End of file - total %d lines)", len(want)))
		}
	},

	"R-READ-03": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "one\ntwo\nthree\n")
		for offset, want := range map[int]string{1: "1: one\n2: two\n3: three", 2: "2: two\n3: three", 3: "3: three"} {
			w.gives("read", args{"file_path": "f", "offset": offset},
				"<path>"+w.path("f")+"</path>\n<type>file</type>\n<content>\n"+want+"\n\n(End of file - total 3 lines)\n</content>")
		}
	},

	"R-READ-04": func(t *testing.T) {
		w := newWorld(t, limits(toolfs.Limits{ReadLimit: 4}))
		w.file("f", strings.Repeat("x\n", 9))
		for limit, shown := range map[any]int{nil: 4, 1: 1, 3: 3, 4: 4, 2.0: 2} {
			a := args{"file_path": "f"}
			if limit != nil {
				a["limit"] = limit
			}
			equal(t, fmt.Sprint("lines with limit ", limit), shown, len(lines(t, w.run("read", a))))
		}
		w.fails("read", args{"file_path": "f", "limit": 5}, "", "limit must be less than or equal to 4")
	},

	// One Stat decides everything; the version observed is that of the bytes read.
	"R-READ-05": func(t *testing.T) {
		w := newDisk(t)
		w.file("f", "text\n")
		w.settle("f")
		w.file("d/x", "")
		j := w.count(seam)
		w.ok("read", args{"file_path": "f"})
		equal(t, "a read", "resolve, stat, open, observed "+string(vfs.VersionOf([]byte("text\n"))), j.take())
		w.ok("read", args{"file_path": "f", "offset": 1, "limit": 1})
		equal(t, "a windowed read", "resolve, stat, open, observed "+string(vfs.VersionOf([]byte("text\n"))), j.take())
		w.fails("read", args{"file_path": "missing"}, "FS_NOT_FOUND", `cannot read "`+w.path("missing")+`": not found`)
		equal(t, "a read of nothing", "resolve, stat, observed absent", j.take())
		w.fails("read", args{"file_path": "d"}, "FS_NOT_REGULAR_FILE", `cannot read "`+w.path("d")+`": not a regular file`)
		equal(t, "a read of a directory", "resolve, stat", j.take())
		w.must(os.Symlink("/dev/null", w.path("device")))
		w.fails("read", args{"file_path": "device"}, "FS_NOT_REGULAR_FILE", `cannot read "`+w.path("device")+`": not a regular file`)
		equal(t, "a read of a device", "resolve, stat", j.take())
		w.fails("read", args{"file_path": "f", "offset": 9}, "FS_NOT_FOUND", `offset 9 is out of range for "`+w.path("f")+`" (1 lines)`)
		equal(t, "a read past the end", "resolve, stat, open", j.take())
	},
}

var readTextTests = tests{
	"R-READ-06": func(t *testing.T) {
		w := newWorld(t)
		w.file("a.ts", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n")
		w.gives("read", args{"file_path": "a.ts", "offset": 2, "limit": 3}, "<path>"+w.path("a.ts")+`</path>
<type>file</type>
<content>
2: two
3: three
4: four

(Showing lines 2-4 of 9. Use offset=5 to continue.)
</content>`)
		w.file("empty", "")
		w.gives("read", args{"file_path": "empty"},
			"<path>"+w.path("empty")+"</path>\n<type>file</type>\n<content>\n(End of file - total 0 lines)\n</content>")
		w.must(os.Symlink("a.ts", w.path("link")), os.Mkdir(w.path("d"), 0o755))
		if text := w.ok("read", args{"file_path": "./d/../link"}); !strings.HasPrefix(text, "<path>"+w.path("link")+"</path>\n") {
			t.Errorf("not the path that was asked for, made absolute: %s", text)
		}
	},

	"R-READ-07": func(t *testing.T) {
		nine := strings.Repeat("123\n", 9)
		for _, c := range []struct {
			content       string
			offset, limit int
			footer        string
		}{
			{nine, 1, 9, "(End of file - total 9 lines)"},
			{nine, 8, 9, "(End of file - total 9 lines)"},
			{nine, 9, 1, "(End of file - total 9 lines)"},
			{"one", 1, 1, "(End of file - total 1 lines)"},
			{"", 1, 9, "(End of file - total 0 lines)"},
			{nine, 1, 8, "(Showing lines 1-8 of 9. Use offset=9 to continue.)"},
			{nine, 3, 2, "(Showing lines 3-4 of 9. Use offset=5 to continue.)"},
			{nine + strings.Repeat("x", 40), 1, 20, "(Output capped. Showing lines 1-9. Use offset=10 to continue.)"},
			{nine + strings.Repeat("x", 40), 9, 9, "(Output capped. Showing lines 9-9. Use offset=10 to continue.)"},
			// The limit, not the cap, ended this window.
			{nine + strings.Repeat("x", 40), 1, 9, "(Showing lines 1-9 of 10. Use offset=10 to continue.)"},
		} {
			w := newWorld(t, limits(toolfs.Limits{ReadMaxBytes: 36}))
			w.file("f", c.content)
			wantLastLine(t, w.ok("read", args{"file_path": "f", "offset": c.offset, "limit": c.limit}), c.footer)
		}
	},

	// Characters are UTF-16 units, and none is cut in two (decision V-10).
	"R-READ-08": func(t *testing.T) {
		cut := "... (line truncated to 5 chars)"
		for line, want := range map[string]string{
			"abcde":       "abcde",
			"abcdef":      "abcde" + cut,
			"abcdefghij":  "abcde" + cut,
			"ééééé":       "ééééé",
			"éééééé":      "ééééé" + cut,
			"a😀😀":         "a😀😀",
			"aa😀😀":        "aa😀" + cut,
			"😀😀😀":         "😀😀" + cut,
			"abcde\rMORE": "abcde" + cut,
			"abcde\r\r":   "abcde" + cut,
		} {
			w := newWorld(t, limits(toolfs.Limits{ReadMaxLineLength: 5}))
			w.file("f", line+"\r\nnext\n")
			equal(t, fmt.Sprintf("the line %q", line), []string{want, "next"}, lines(t, w.run("read", args{"file_path": "f"})))
		}
	},

	// Every cap bounds the output alone, and however small, there is a line to go on
	// from (decision V-11).
	"R-READ-09": func(t *testing.T) {
		w := newDisk(t)
		w.file("f", strings.Repeat(strings.Repeat("x", 3000)+"\n", 5000))
		for _, c := range []struct {
			l     toolfs.Limits
			lines int
			bytes int
		}{
			{toolfs.Limits{ReadLimit: 3, ReadMaxLineLength: 10, ReadMaxBytes: 1 << 20}, 3, 3 * 60},
			{toolfs.Limits{}, 25, 51200 + 25*4},
			{toolfs.Limits{ReadMaxBytes: 1}, 1, 2100},
		} {
			w.open(limits(c.l))
			shown := w.ok("read", args{"file_path": "f"})
			body := strings.TrimPrefix(shown, "<path>"+w.path("f")+"</path>\n<type>file</type>\n<content>\n")
			body, _, _ = strings.Cut(body, "\n\n")
			if n := strings.Count(body, "\n") + 1; n != c.lines || len(body) > c.bytes {
				t.Errorf("with %+v there are %d lines of %d bytes", c.l, n, len(body))
			}
		}
	},
}
