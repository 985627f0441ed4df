//go:build linux

package cases_test

import (
	"fmt"
	"strings"
	"testing"
)

var endingCases = cases{
	"12": func(t *testing.T) { newWorld(t).edited("a\r\nb\r\nc\r\n", "a\nb", "a\nB", "a\r\nB\r\nc\r\n") },

	// Not a byte of a line that was not asked for changes.
	"13": func(t *testing.T) {
		newWorld(t).edited("a=1\nb=2\nc=3\n", "b=2", "b=4", "a=1\nb=4\nc=3\n")
		newWorld(t).edited("a=1\r\nb=2\r\nc=3\r\n", "b=2", "b=4", "a=1\r\nb=4\r\nc=3\r\n")
		newWorld(t).edited("a=1\r\nb=2\nc=3\r", "b=2", "b=4", "a=1\r\nb=4\nc=3\r")
	},

	// The end of the file stays as it is, with a line feed or without.
	"16": func(t *testing.T) {
		for _, end := range []string{"\n", "", "\r\n"} {
			w := newWorld(t)
			w.file("f", "a\nlast"+end)
			w.ok("read", path("f"))
			r := w.run("edit", edit("f", "last", "end"))
			w.text(r)
			w.holds("f", "a\nend"+end)
			w.says(metaJSON(t, r), `{"diffs":[{"path":"f","oldText":"a\nlast","newText":"a\nend"}]}`)
		}
	},

	// What is sent is what is written.
	"17": func(t *testing.T) {
		w := newWorld(t)
		for name, content := range map[string]string{"a": "x=1", "b": "x=1\n", "c": "x=1\r\n", "d": "", "e": "\n\n"} {
			w.ok("write", write(name, content))
			w.holds(name, content)
		}
	},

	// Two lines edited are two lines changed, for whoever compares the bytes.
	"18": func(t *testing.T) {
		for _, ending := range []string{"\n", "\r\n"} {
			var all []string
			for i := range 300 {
				all = append(all, fmt.Sprintf("line %d%s", i, ending))
			}
			w := newWorld(t)
			w.file("f", strings.Join(all, ""))
			w.ok("read", path("f"))
			w.ok("edit", edit("f", "line 17\nline 18\n", "LINE 17\nLINE 18\n"))
			all[17], all[18] = "LINE 17"+ending, "LINE 18"+ending
			w.holds("f", strings.Join(all, ""))
		}
	},
}
