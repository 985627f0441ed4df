//go:build linux

package cases_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// staleCases are false alarms.
var staleCases = cases{
	// A file whose time changed is the same file.
	"31": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a\n")
		w.ok("read", path("f"))
		later := time.Now().Add(5 * time.Second)
		w.must(os.Chtimes(p, later, later))
		w.ok("edit", edit("f", "a", "b"))
		w.holds("f", "b\n")
	},

	// Any other line changed is a change, wherever the edit is: the strict reading.
	// One more read is all it takes.
	"32": func(t *testing.T) {
		w := newWorld(t)
		before := strings.Repeat("line\n", 2) + "target\n" + strings.Repeat("line\n", 14) + "theirs\n"
		p := w.file("f", before)
		w.ok("read", path("f"))
		w.file("f", strings.Replace(before, "theirs", "THEIRS", 1))
		w.says(w.refused("edit", edit("f", "target", "ours"), vfs.CodeStaleVersion), `cannot edit "`+p+`": file changed since it was read — re-read the file, then retry`)
		w.ok("read", args{"file_path": "f", "limit": 1})
		w.ok("edit", edit("f", "target", "ours"))
		w.holds("f", strings.NewReplacer("target", "ours", "theirs", "THEIRS").Replace(before))
	},

	// One's own changes are known to oneself.
	"33": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a b c d\n")
		w.ok("read", path("f"))
		w.ok("edit", edit("f", "a", "1"))
		w.ok("edit", edit("f", "b", "2"))
		w.ok("write", write("f", "c d\n"))
		w.ok("edit", edit("f", "c", "3"))
		w.ok("write", write("f", "e\n"))
		w.holds("f", "e\n")
	},

	// Times that drift by a fraction, or that a file system rounds, mean nothing.
	"34": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "0")
		w.ok("read", path("f"))
		at := time.Date(2024, 5, 17, 11, 30, 1, 123456789, time.UTC)
		digits := "0123456789"
		for i, drift := range []time.Duration{0, 1, 100, time.Microsecond, time.Millisecond, time.Second, -time.Hour, 2 * time.Second} {
			at = at.Add(drift)
			if i%2 == 1 {
				at = at.Truncate(2 * time.Second)
			}
			w.must(os.Chtimes(p, at, at))
			w.ok("edit", edit("f", digits[i:i+1], digits[i+1:i+2]))
		}
		w.holds("f", "8")
	},

	// A formatter that found nothing to do is no alarm; one that did is.
	"35": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "if x {\n\ty()\n}\n")
		w.ok("read", path("f"))
		w.must(os.WriteFile(p+".tmp", []byte("if x {\n\ty()\n}\n"), 0o644), os.Rename(p+".tmp", p))
		w.ok("edit", edit("f", "y()", "z()"))
		w.file("f", "if x {\n    z()\n}\n")
		w.says(w.refused("edit", edit("f", "z()", "q()"), vfs.CodeStaleVersion), `cannot edit "`+p+`": file changed since it was read — re-read the file, then retry`)
		w.holds("f", "if x {\n    z()\n}\n")
	},

	// What a session knows outlives the process, if somebody keeps it; what changed
	// meanwhile is noticed all the same.
	"36": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a")
		w.file("g", "a")
		w.ok("read", path("f"))
		w.ok("read", path("g"))
		kept, err := w.set.Observe().Export("A")
		w.must(err)
		w.open()
		w.refused("edit", edit("f", "a", "b"), vfs.CodeNotObserved)
		w.must(w.set.Observe().Restore("A", kept))
		w.file("g", "x")
		w.ok("edit", edit("f", "a", "b"))
		w.refused("write", write("g", "b"), vfs.CodeStaleVersion)
		w.as("B").refused("edit", edit("f", "b", "c"), vfs.CodeNotObserved)
		w.holds("f", "b")
		w.holds("g", "x")
	},

	// There is one memory: whoever read, however often, has read.
	"38": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a\n")
		w.wantLines("f", "a")
		w.wantLines("f", "a")
		w.ok("edit", edit("f", "a", "b"))
		w.holds("f", "b\n")
	},
}

// missedCases are changes that must not be missed.
var missedCases = cases{
	// A read gives the text, each time: what became of the last answer is unknown.
	"40": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "one\ntwo\n")
		first := w.ok("read", path("f"))
		for range 3 {
			w.says(w.ok("read", path("f")), first)
		}
		w.set.Forget("A")
		w.says(w.ok("read", path("f")), first)
	},

	"41": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "old\n")
		a, b := w.as("A"), w.as("B")
		a.ok("read", path("f"))
		b.ok("read", path("f"))
		b.ok("write", write("f", "B's work\n"))
		w.says(a.refused("write", write("f", "A's work\n"), vfs.CodeStaleVersion), `cannot write "`+p+`": file changed since it was read — re-read the file, then retry`)
		w.holds("f", "B's work\n")
	},

	// Of two edits at the same time, each took place or was refused; none got lost.
	"42": func(t *testing.T) {
		before := ""
		for i := range 100 {
			before += strings.Repeat("x", i+1) + "\n"
		}
		for range 20 {
			w := newWorld(t)
			w.file("f", before)
			w.ok("read", path("f"))
			want := before
			for i, r := range w.together(edit("f", "\n"+strings.Repeat("x", 50)+"\n", "\nFIFTY\n"), edit("f", "\n"+strings.Repeat("x", 75)+"\n", "\nSEVENTY-FIVE\n")) {
				switch {
				case r.IsError:
					w.failed(r, vfs.CodeStaleVersion)
				case i == 0:
					want = strings.Replace(want, "\n"+strings.Repeat("x", 50)+"\n", "\nFIFTY\n", 1)
				default:
					want = strings.Replace(want, "\n"+strings.Repeat("x", 75)+"\n", "\nSEVENTY-FIVE\n", 1)
				}
			}
			w.holds("f", want)
		}
		w := newWorld(t)
		w.file("f", "50\n75\n")
		w.ok("read", path("f"))
		for _, r := range w.batch(w.call("edit", edit("f", "50", "FIFTY")), w.call("edit", edit("f", "75", "SEVENTY-FIVE"))) {
			w.text(r)
		}
		w.holds("f", "FIFTY\nSEVENTY-FIVE\n")
	},

	"43": func(t *testing.T) {
		w := newWorld(t, unguarded)
		for range 100 {
			w.file("f", "a\nb\nc\nd\ne\ng\n")
			for _, r := range w.together(edit("f", "a", "A"), edit("f", "b", "B"), edit("f", "c", "C"), edit("f", "d", "D"), edit("f", "e", "E"), edit("f", "g", "G")) {
				w.text(r)
			}
			w.holds("f", "A\nB\nC\nD\nE\nG\n")
		}
	},

	// One shrinks the file, one makes it grow: it is as if one came after the other.
	"44": func(t *testing.T) {
		w := newWorld(t, unguarded)
		long, grown := strings.Repeat("ten kB. ", 1250), strings.Repeat("twenty! ", 2500)
		for range 50 {
			w.file("f", "head\n"+long+"\nmiddle\nshort\ntail\n")
			for _, r := range w.together(edit("f", long, "-"), edit("f", "short", grown)) {
				w.text(r)
			}
			w.holds("f", "head\n-\nmiddle\n"+grown+"\ntail\n")
		}
	},

	"47": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "theirs")
		w.says(w.refused("write", write("f", "ours"), vfs.CodeNotObserved), `cannot overwrite existing "`+p+`" without reading it first — read the file, then retry`)
		w.holds("f", "theirs")
		w.ok("write", write("g", "ours"))
		w.holds("g", "ours")
	},
}
