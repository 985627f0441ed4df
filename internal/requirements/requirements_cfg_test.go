package requirements_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

var cfgTests = tests{
	// Every key may be left out, and then the shipped cap holds. What is given must be
	// a positive integer, and the first bad key in the table's order is named.
	"R-CFG-01": func(t *testing.T) {
		for _, config := range []string{`{}`, `{"readLimit":null}`, `{"somethingElse":1}`} {
			l, err := toolfs.ParseLimits([]byte(config))
			if err != nil {
				t.Errorf("%s: %v", config, err)
				continue
			}
			w := newWorld(t, limits(l))
			for name, says := range map[string]string{"list": "up to 200 are returned", "read": "Defaults to 2000."} {
				def, _ := w.set.Registry().Get(name, nil)
				if told := def.Description + string(def.Parameters.JSON()); !strings.Contains(told, says) {
					t.Errorf("with %s the declaration of %s does not say %q", config, name, says)
				}
			}
		}
		keys := []string{"listMaxEntries", "readLimit", "readMaxLineLength", "readMaxBytes", "readStreamMinSize"}
		for i, key := range keys {
			for _, bad := range []string{"0", "-1", "1.5"} {
				config := fmt.Sprintf(`{%q:%s}`, key, bad)
				if i+1 < len(keys) { // a later key that is bad too is not named
					config = fmt.Sprintf(`{%q:-7,%q:%s}`, keys[i+1], key, bad)
				}
				_, err := toolfs.ParseLimits([]byte(config))
				if want := "tool-fs: " + key + " must be a positive integer"; err == nil || err.Error() != want {
					t.Errorf("%s gives %v, not %s", config, err, want)
				}
			}
			if _, err := toolfs.ParseLimits(fmt.Appendf(nil, `{%q:"ten"}`, key)); err == nil {
				t.Errorf("%s takes a text", key)
			}
		}
		_, err := toolfs.New(toolfs.Options{Provider: newDisk(t).disk, Limits: toolfs.Limits{ReadMaxBytes: -1}})
		if err == nil || err.Error() != "tool-fs: readMaxBytes must be a positive integer" {
			t.Errorf("New gives %v", err)
		}
	},

	"R-CFG-02": func(t *testing.T) {
		var entries []vfs.Entry
		for i := range 201 {
			entries = append(entries, vfs.Entry{Name: fmt.Sprintf("f%03d", i), Type: vfs.TypeFile})
		}
		w := newDisk(t)
		provider := func(o *toolfs.Options) { o.Provider = &scripted{entries: entries} }
		w.open(provider)
		wantLastLine(t, w.ok("list", args{}), "(Showing entries 1-200 of 201: 0 directories, 201 files. Use offset=201 to continue.)")
		wantLastLine(t, w.ok("list", args{"offset": 201}), "(Showing entries 201-201 of 201: 0 directories, 201 files.)")
		w.open(provider, limits(toolfs.Limits{ListMaxEntries: 3}))
		wantLastLine(t, w.ok("list", args{}), "(Showing entries 1-3 of 201: 0 directories, 201 files. Use offset=4 to continue.)")
	},

	"R-CFG-03": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", strings.Repeat("x\n", 2001))
		wantLastLine(t, w.ok("read", args{"file_path": "f"}), "(Showing lines 1-2000 of 2001. Use offset=2001 to continue.)")
		w.fails("read", args{"file_path": "f", "limit": 2001}, "", "limit must be less than or equal to 2000")
		w.open(limits(toolfs.Limits{ReadLimit: 3}))
		wantLastLine(t, w.ok("read", args{"file_path": "f"}), "(Showing lines 1-3 of 2001. Use offset=4 to continue.)")
		w.fails("read", args{"file_path": "f", "limit": 4}, "", "limit must be less than or equal to 3")
		def, _ := w.set.Registry().Get("read", nil)
		if told := string(def.Parameters.JSON()); !strings.Contains(told, "Maximum number of lines to return. Defaults to 3.") {
			t.Errorf("the schema does not name the limit: %s", told)
		}
	},

	"R-CFG-04": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "abcdefghij\nabcde\n"+strings.Repeat("x", 2001))
		r := w.run("read", args{"file_path": "f"})
		equal(t, "lines", []string{"abcdefghij", "abcde", strings.Repeat("x", 2000) + "... (line truncated to 2000 chars)"}, lines(t, r))
		w.open(limits(toolfs.Limits{ReadMaxLineLength: 5}))
		r = w.run("read", args{"file_path": "f", "limit": 2})
		equal(t, "lines", []string{"abcde... (line truncated to 5 chars)", "abcde"}, lines(t, r))
	},

	// The cap counts the bytes of the lines and one between two of them; the line that
	// would exceed it is not shown, and nothing after it.
	"R-CFG-05": func(t *testing.T) {
		for name, c := range map[string]struct {
			cap             int
			content, footer string
		}{
			"exactly full":               {9, "aaaa\nbbbb\n", "(End of file - total 2 lines)"},
			"the third does not fit":     {9, "aaaa\nbbbb\ncccc", "(Output capped. Showing lines 1-2. Use offset=3 to continue.)"},
			"one byte short":             {8, "aaaa\nbbbb\n", "(Output capped. Showing lines 1-1. Use offset=2 to continue.)"},
			"nothing later is taken":     {9, "aaaa\nbbbbbbbb\nc\n", "(Output capped. Showing lines 1-1. Use offset=2 to continue.)"},
			"bytes, not characters":      {9, "éé\néé\n", "(End of file - total 2 lines)"},
			"more than bytes allow":      {8, "éé\néé\n", "(Output capped. Showing lines 1-1. Use offset=2 to continue.)"},
			"an empty line costs a byte": {1, "a\n\n", "(Output capped. Showing lines 1-1. Use offset=2 to continue.)"},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, limits(toolfs.Limits{ReadMaxBytes: c.cap}))
				w.file("f", c.content)
				wantLastLine(t, w.ok("read", args{"file_path": "f"}), c.footer)
			})
		}
		w := newWorld(t)
		w.file("f", strings.Repeat(strings.Repeat("x", 511)+"\n", 100)+"y\n")
		wantLastLine(t, w.ok("read", args{"file_path": "f"}), "(Output capped. Showing lines 1-100. Use offset=101 to continue.)")
	},

	// What is streamed is never held whole. The local disk streams whatever the size;
	// a provider that holds its texts anyway gives those below the threshold whole.
	"R-CFG-06": func(t *testing.T) {
		for _, c := range []struct {
			bytes int
			size  int64 // as the provider states it
			calls string
		}{
			{9, 9, "readText"}, {10, 10, "open"}, {11, 11, "open"}, {9, -1, "open"}, {0, 0, "readText"}, {0, -1, "open"},
		} {
			s := &scripted{text: strings.Repeat("\n", c.bytes), size: c.size}
			w := newDisk(t)
			w.open(limits(toolfs.Limits{ReadStreamMinSize: 10}), func(o *toolfs.Options) { o.Provider = loading{s} })
			equal(t, "lines", c.bytes, len(lines(t, w.run("read", args{"file_path": "f"}))))
			equal(t, fmt.Sprintf("the calls for %d bytes", c.size), "resolve f from "+w.ws+", stat, "+c.calls, s.take())
		}
		w := newDisk(t)
		w.file("f", "x")
		w.settle("f")
		j := w.count(seam)
		equal(t, "lines", []string{"x"}, lines(t, w.run("read", args{"file_path": "f"})))
		equal(t, "the calls to the disk", "resolve, stat, open, observed "+string(vfs.VersionOf([]byte("x"))), j.take())
	},
}

// lines are the lines that a read showed, out of its text.
func lines(t *testing.T, r tool.Result) []string {
	t.Helper()
	_, body, ok := strings.Cut(text(t, r), "\n<content>\n")
	if !ok {
		t.Fatal("there is no content")
	}
	shown := []string{}
	for line := range strings.SplitSeq(body, "\n") {
		if line == "" || strings.HasPrefix(line, "(") {
			break
		}
		_, line, _ = strings.Cut(line, ": ")
		shown = append(shown, line)
	}
	return shown
}

// wantLastLine fails unless the last line before the end of the content is this.
func wantLastLine(t *testing.T, text, want string) {
	t.Helper()
	body := strings.TrimSuffix(text, "\n</content>")
	if got := body[strings.LastIndexByte(body, '\n')+1:]; got != want {
		t.Errorf("the footer is %q, not %q", got, want)
	}
}
