package cases_test

import (
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

// notText fails unless content is refused as no text, for the reason given, by read
// and by edit alike, with the file untouched: what cannot be shown cannot be changed
// in part, and nothing is decoded on a guess.
func notText(t *testing.T, content, why string) *world {
	t.Helper()
	w := newWorld(t)
	p := w.file("f", content)
	same := w.untouched("f")
	w.says(w.refused("edit", edit("f", "x", "y"), vfs.CodeNotObserved), `edit requires reading "`+p+`" first — read the file, then retry`)
	w.says(w.refused("read", path("f"), vfs.CodeNotText), `cannot read "`+p+`": `+why)
	w.says(w.refused("edit", edit("f", "x", "y"), vfs.CodeNotText), `cannot edit "`+p+`": `+why)
	w.says(w.refused("edit", editAll("f", "=", ":"), vfs.CodeNotText), `cannot edit "`+p+`": `+why)
	same()
	bare := newWorld(t, unguarded)
	p = bare.file("f", content)
	bare.says(bare.refused("edit", edit("f", "x", "y"), vfs.CodeNotText), `cannot edit "`+p+`": `+why)
	bare.holds("f", content)
	return w
}

const invalid, binary = "invalid UTF-8 text", "binary file"

const gbk = "x=1\n\xd6\xd0\xce\xc4\n"

var encodingCases = cases{
	"1": func(t *testing.T) { notText(t, "x=1\n# caf\xe9\n", invalid) },

	// All tools have the same idea of what a file holds.
	"2": func(t *testing.T) {
		w := notText(t, gbk, invalid)
		w.refused("read", args{"file_path": "f", "limit": 1}, vfs.CodeNotText)
	},

	// Nothing turns such a file into UTF-8 in passing. To replace all of it, having
	// been told what it is, remains possible.
	"4": func(t *testing.T) {
		w := notText(t, "\xb5\xda\xd2\xbb\n\x81\x30\x81\x30\nx=3\n", invalid)
		w.ok("write", write("f", "x=3\n"))
		w.holds("f", "x=3\n")
	},

	// A write by somebody who never looked is refused as for any file.
	"5": func(t *testing.T) {
		notText(t, "// objetivo \xe9 testar x\n", invalid)
		w := newWorld(t)
		w.file("f", "// objetivo \xe9 testar\n")
		w.refused("write", write("f", "// objetivo \ufffd testar\n"), vfs.CodeNotObserved)
		w.holds("f", "// objetivo \xe9 testar\n")
	},

	"6": func(t *testing.T) {
		newWorld(t).edited("\ufeffhello\n中文\n", "hello", "hello2", "\ufeffhello2\n中文\n")
	},
	"7": func(t *testing.T) {
		newWorld(t).edited("\ufeffDim s = \"őűé\"\r\nx = 1\r\n", "x = 1", "x = 2", "\ufeffDim s = \"őűé\"\r\nx = 2\r\n")
	},

	// A byte order mark is no character of the first line.
	"8": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "\ufeffimport os\n")
		w.wantLines("f", "import os")
		w.ok("edit", edit("f", "import os", "import sys"))
		w.holds("f", "\ufeffimport sys\n")
	},

	// There is one mark afterwards, whether the new text brings it or not; one that
	// is no mark, within the text, is left alone.
	"9": func(t *testing.T) {
		for _, content := range []string{"new\ufefftext\n", "\ufeffnew\ufefftext\n"} {
			w := newWorld(t)
			w.file("f", "\ufeffold\n")
			w.ok("read", path("f"))
			w.ok("write", write("f", content))
			w.holds("f", "\ufeffnew\ufefftext\n")
			w.ok("edit", edit("f", "text", "end"))
			w.holds("f", "\ufeffnew\ufeffend\n")
		}
		w := newWorld(t)
		w.file("f", "old\n")
		w.ok("read", path("f"))
		w.ok("write", write("f", "\ufeffnew\n"))
		w.holds("f", "\ufeffnew\n")
	},

	"10": func(t *testing.T) {
		utf16le := ""
		for _, r := range "key=значение\r\n" {
			utf16le += string([]byte{byte(r), byte(r >> 8)})
		}
		notText(t, "\xff\xfe"+utf16le, binary)
		notText(t, utf16le, binary)
	},
}
