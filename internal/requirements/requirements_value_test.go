package requirements_test

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

var valTests = tests{
	"R-VAL-01": func(t *testing.T) {
		w := newWorld(t)
		w.file("d/x", "")
		w.file("f", "")
		w.must(os.Symlink("nowhere", w.path("l")))
		equal(t, "the value", `{"path":"`+w.ws+`","offset":1,"entries":[{"name":"d","type":"directory"},{"name":"f","type":"file"},{"name":"l","type":"other"}],"totalEntries":3,"counts":{"directories":1,"files":1,"other":1}}`,
			valueJSON(w.run("list", args{})))
		closed(t, w, "list", "path", "offset", "entries", "totalEntries", "counts")
	},

	"R-VAL-02": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "one\r\ntwo\nthree\n")
		equal(t, "the value", `{"path":"`+p+`","offset":2,"lines":[{"number":2,"text":"two"},{"number":3,"text":"three"}],"totalLines":3}`,
			valueJSON(w.run("read", args{"file_path": "f", "offset": 2})))
		w.file("f", "")
		equal(t, "the value", `{"path":"`+p+`","offset":1,"lines":[],"totalLines":0}`, valueJSON(w.run("read", args{"file_path": "f"})))
		closed(t, w, "read", "path", "offset", "lines", "totalLines")
	},

	"R-VAL-03": func(t *testing.T) {
		w := newWorld(t)
		p := w.path("f")
		equal(t, "a creation", `{"path":"`+p+`","operation":"create","before":null,"after":"a\nb"}`,
			valueJSON(w.run("write", args{"file_path": "f", "content": "a\r\nb"})))
		equal(t, "a replacement", `{"path":"`+p+`","operation":"update","before":"a\nb","after":"c"}`,
			valueJSON(w.run("write", args{"file_path": "f", "content": "c"})))
		w.holds(p, "c")
		closed(t, w, "write", "path", "operation", "before", "after")
	},

	"R-VAL-04": func(t *testing.T) {
		w := newWorld(t, unguarded)
		p := w.file("f", "\ufeffa\r\nb\n")
		equal(t, "the value", `{"path":"`+p+`","before":"a\nb\n","after":"a\nc\n"}`,
			valueJSON(w.run("edit", args{"file_path": "f", "old_string": "b", "new_string": "c"})))
		closed(t, w, "edit", "path", "before", "after")
	},

	// A page is part of the entries; the totals are of all.
	"R-VAL-05": func(t *testing.T) {
		w := newWorld(t, limits(toolfs.Limits{ListMaxEntries: 1}))
		w.file("d/x", "")
		w.file("f", "")
		w.must(os.Symlink("nowhere", w.path("l")))
		for offset, entry := range []string{`"d","type":"directory"`, `"f","type":"file"`, `"l","type":"other"`} {
			n := strconv.Itoa(offset + 1)
			equal(t, "page "+n, `{"path":"`+w.ws+`","offset":`+n+`,"entries":[{"name":`+entry+`}],"totalEntries":3,"counts":{"directories":1,"files":1,"other":1}}`,
				valueJSON(w.run("list", args{"offset": offset + 1})))
		}
	},

	// The texts are functions of arguments and value alone: rendered again, they are
	// the same, whatever became of the disk.
	"R-VAL-06": func(t *testing.T) {
		w := newWorld(t)
		w.file("d/f", "one\n")
		for _, c := range []struct {
			name string
			args args
		}{
			{"list", args{"path": "d"}},
			{"read", args{"file_path": "d/f"}},
			{"write", args{"file_path": "d/f", "content": "two\n"}},
			{"edit", args{"file_path": "d/f", "old_string": "two", "new_string": "three"}},
		} {
			call := w.call(c.name, c.args)
			r := w.set.Execute(t.Context(), call)
			shown := text(t, r)
			decoded, err := tool.DecodeArgs(call.Arguments)
			w.must(err)
			def, _ := w.set.Registry().Get(c.name, nil)
			equal(t, c.name+" rendered again", []tool.Block{tool.TextBlock(shown)}, def.Output.Render(decoded, r.Value))
		}
	},
}

// closed fails unless a tool's output is an object with exactly these members, all of
// which are required.
func closed(t *testing.T, w *world, name string, members ...string) {
	t.Helper()
	def, _ := w.set.Registry().Get(name, nil)
	schema := string(def.Output.Schema.JSON())
	if !strings.HasPrefix(schema, `{"type":"object","additionalProperties":false,"properties":{`) ||
		!strings.HasSuffix(schema, `},"required":["`+strings.Join(members, `","`)+`"]}`) {
		t.Errorf("the output of %s is %s", name, schema)
	}
}

var metaTests = tests{
	"R-META-01": func(t *testing.T) {
		twenty := numbered(20)
		for _, c := range []struct{ name, before, after, diffs string }{
			{"an empty file filled", "", "a\n", `[{"path":"f","oldText":null,"newText":"a"}]`},
			{"a file emptied", "a\nb\n", "", `[{"path":"f","oldText":"a\nb","newText":""}]`},
			{"a line added", "a\nb\n", "a\nb\nx\n", `[{"path":"f","oldText":"a\nb","newText":"a\nb\nx"}]`},
			{"no change", "a\n", "a\n", `[]`},
			{"line endings only", "a\r\nb\r\n", "a\nb\n", `[]`},
			{"three lines around", twenty, replace(twenty, "10"), `[{"path":"f","oldText":"7\n8\n9\n10\n11\n12\n13","newText":"7\n8\n9\nX10\n11\n12\n13"}]`},
			{"six between share a hunk", twenty, replace(twenty, "3", "10"), `[{"path":"f","oldText":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13","newText":"1\n2\nX3\n4\n5\n6\n7\n8\n9\nX10\n11\n12\n13"}]`},
			{"seven between do not", twenty, replace(twenty, "3", "11"), `[{"path":"f","oldText":"1\n2\n3\n4\n5\n6","newText":"1\n2\nX3\n4\n5\n6"},{"path":"f","oldText":"8\n9\n10\n11\n12\n13\n14","newText":"8\n9\n10\nX11\n12\n13\n14"}]`},
			{"no mark for a missing end", "a\nb", "a\nc", `[{"path":"f","oldText":"a\nb","newText":"a\nc"}]`},
		} {
			w := newWorld(t, unguarded)
			w.file("f", c.before)
			r := w.run("write", args{"file_path": "f", "content": c.after})
			equal(t, c.name, `{"diffs":`+c.diffs+`}`, metaJSON(t, r))
		}
		w := newWorld(t)
		equal(t, "a creation", `{"diffs":[]}`, metaJSON(t, w.run("write", args{"file_path": "new", "content": "a"})))
		w.file("g", "two\nthree\nfour\nfive\nsix\nseven\neight\n")
		w.ok("read", args{"file_path": "g"})
		r := w.run("edit", args{"file_path": "g", "old_string": "five", "new_string": "FIVE"})
		equal(t, "an edit", `{"diffs":[{"path":"g","oldText":"two\nthree\nfour\nfive\nsix\nseven\neight","newText":"two\nthree\nfour\nFIVE\nsix\nseven\neight"}]}`, metaJSON(t, r))
	},

	"R-META-02": func(t *testing.T) {
		w := newWorld(t)
		for name, lang := range map[string]string{
			"a.ts": "ts", "b.GO": "go", "c.mjs": "js", "d.rs": "rs", "e.YML": "yaml", "f.markdown": "md", "g.cxx": "cpp", "dir.py/h.kt": "kotlin",
			"plain": "", ".gitignore": "", "a.py.bak": "", "dir.py/plain": "", "trailingdot.": "", "x.tar.gz": "",
		} {
			p := w.file(name, "one\ntwo\n")
			want := `{"path":"` + p + `","offset":2,"lines":[{"number":2,"text":"two"}],"totalLines":2`
			if lang != "" {
				want += `,"lang":"` + lang + `"`
			}
			r := w.run("read", args{"file_path": name, "offset": 2})
			equal(t, "the meta of "+name, want+"}", metaJSON(t, r))
		}
	},

	// What is stored of a result is content, the error flag and the meta. The value
	// is not, and a card comes out of what is stored.
	"R-META-03": func(t *testing.T) {
		var fields []string
		for f := range reflect.TypeFor[tool.StoredResult]().Fields() {
			fields = append(fields, f.Name)
		}
		equal(t, "what is stored", []string{"Content", "IsError", "Meta"}, fields)

		w := newWorld(t)
		w.file("f", numbered(50)+"far away\n")
		w.ok("read", args{"file_path": "f"})
		r := w.run("edit", args{"file_path": "f", "old_string": "25", "new_string": "X"})
		stored := tool.StoredResult{Content: r.Content, Meta: []byte(metaJSON(t, r))}
		if strings.Contains(string(stored.Meta)+stored.Content[0].Text, "far away") {
			t.Error("what is stored holds the text far from the change")
		}
		decoded, err := tool.DecodeArgs(w.call("edit", args{"file_path": "f", "old_string": "25", "new_string": "X"}).Arguments)
		w.must(err)
		def, _ := w.set.Registry().Get("edit", nil)
		if view := def.PresentResult(decoded, stored); view == nil || view.CardName() != "diff" {
			t.Errorf("the card is %v", view)
		}

		nested := w.call("read", args{"file_path": "f"})
		nested.Parent = "call-0"
		if r := w.set.Execute(t.Context(), nested); r.IsError || r.Meta != nil {
			t.Errorf("a call within a call stores %v", r.Meta)
		}
	},
}

// numbered is a text whose n lines are their numbers.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}

// replace puts an X before these lines of a numbered text.
func replace(text string, lines ...string) string {
	text = "\n" + text
	for _, line := range lines {
		text = strings.Replace(text, "\n"+line+"\n", "\nX"+line+"\n", 1)
	}
	return text[1:]
}
