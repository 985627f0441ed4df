//go:build linux

package cases_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

var unicodeCases = cases{
	// Quotation marks of two kinds are two texts.
	"19": func(t *testing.T) {
		newWorld(t).edited("print('%s')\n", "'%s'", "‘%s’", "print(\xe2\x80\x98%s\xe2\x80\x99)\n")
	},

	// Nothing matches by resemblance, so nothing is replaced by it.
	"20": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "She said, “Hello.”\n")
		w.ok("read", path("f"))
		same := w.untouched("f")
		w.says(w.refused("edit", edit("f", `"Hello."`, `"Hi."`), vfs.CodeEditNotFound), `old_string was not found in "`+p+`"`)
		same()
		w.ok("edit", edit("f", "Hello", "Hi"))
		w.holds("f", "She said, “Hi.”\n")
	},

	"22": func(t *testing.T) {
		w := newWorld(t)
		for _, content := range []string{`/["'(]+/`, "“”‘’\"'", "\u00a0\u202f\u3000 ", "e\u0301é", "\u200b\u200d\u2060"} {
			w.ok("write", write("f", content))
			w.holds("f", content)
			w.ok("edit", edit("f", content, "x"+content))
			w.holds("f", "x"+content)
		}
	},

	// Two names that look like the one asked for: neither is taken.
	"26": func(t *testing.T) {
		w := newWorld(t)
		w.file("a\u00a0b.txt", "one")
		w.file("a\u202fb.txt", "two")
		asked := "a b.txt"
		w.says(w.refused("read", path(asked), vfs.CodeNotFound), `cannot read "`+w.path(asked)+`": not found`)
		w.says(w.refused("edit", edit(asked, "one", "1"), vfs.CodeNotFound), `cannot edit "`+w.path(asked)+`": not found`)
		w.ok("write", write(asked, "three"))
		w.holds(asked, "three")
		w.holds("a\u00a0b.txt", "one")
		w.holds("a\u202fb.txt", "two")
	},

	// Spaces are no tabs, and nobody guesses.
	"28": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "\tif x {\n\t\ty()\n\t}\n")
		w.ok("read", path("f"))
		same := w.untouched("f")
		old := "    if x {\n        y()\n    }"
		w.says(w.refused("edit", edit("f", old, "    z()"), vfs.CodeEditNotFound), `old_string was not found in "`+p+`"`)
		same()
		w.ok("edit", edit("f", "\tif x {\n\t\ty()\n\t}", "\tz()"))
		w.holds("f", "\tz()\n")
	},

	// A block as read showed it, with nothing but the numbers taken off, matches.
	"29": func(t *testing.T) {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, "%sstep%d(%q)  \n", strings.Repeat("\t", i%7), i, "  \t")
		}
		w := newWorld(t)
		w.file("f", b.String())
		lines := w.lines("f")
		w.ok("edit", edit("f", strings.Join(lines[5:55], "\n"), strings.Join(lines[5:30], "\n")))
		w.holds("f", strings.Join(append(lines[:30:30], lines[55:]...), "\n")+"\n")
	},

	// After the number come a colon and one space, and then the line as it is; what
	// was pasted with the number is not found, for it is not there.
	"30": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "\ttab\n  spaces\n: colon\n12: number\n")
		text := w.ok("read", path("f"))
		if !strings.Contains(text, "\n1: \ttab\n2:   spaces\n3: : colon\n4: 12: number\n\n") {
			t.Errorf("read shows %q", text)
		}
		w.refused("edit", edit("f", "1: \ttab", "x"), vfs.CodeEditNotFound)
		for _, line := range w.lines("f") {
			w.ok("edit", edit("f", line, "<"+line+">"))
		}
		w.holds("f", "<\ttab>\n<  spaces>\n<: colon>\n<12: number>\n")
	},
}
