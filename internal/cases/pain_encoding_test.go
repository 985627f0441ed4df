//go:build linux

package cases_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
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

const invalid, binaryFile = "invalid UTF-8 text", "binary file"

const gbk = "x=1\n\xd6\xd0\xce\xc4\n"

// encodedWorld is a world whose files without a mark are in an encoding.
func encodedWorld(t *testing.T, encoding string) *world {
	t.Helper()
	w := newPlaces(t)
	disk, err := localfs.Host(localfs.Options{Cwd: w.ws, StateDir: w.state, NoSync: true, Encoding: encoding})
	w.must(err)
	t.Cleanup(func() { w.must(disk.Close()) })
	w.disk = disk
	w.open()
	return w
}

// meta is what a result says for the card.
func (w *world) meta(r tool.Result) map[string]any {
	w.Helper()
	raw, err := json.Marshal(r.Meta)
	w.must(err)
	var m map[string]any
	w.must(json.Unmarshal(raw, &m))
	return m
}

var encodingCases = cases{
	"1": func(t *testing.T) { notText(t, "x=1\n# caf\xe9\n", invalid) },

	// All tools have the same idea of what a file holds.
	"2": func(t *testing.T) {
		w := notText(t, gbk, invalid)
		w.refused("read", args{"file_path": "f", "limit": 1}, vfs.CodeNotText)
	},

	// Nothing turns such a file into UTF-8 in passing. To replace all of it, having
	// been told what it is, remains possible, and the result says that it is stored in
	// another way. Where the encoding is named, it stays.
	"4": func(t *testing.T) {
		const content = "\xb5\xda\xd2\xbb\n\x81\x30\x81\x30\nx=3\n"
		w := notText(t, content, invalid)
		r := w.run("write", write("f", "x=3\n"))
		w.says(fmt.Sprint(w.meta(r)["encodingChanged"]), "true")
		w.holds("f", "x=3\n")

		w = encodedWorld(t, "gb18030")
		w.file("f", content)
		w.wantLines("f", "第一", "\u0080", "x=3")
		w.ok("edit", edit("f", "x=3", "x=4"))
		w.holds("f", "\xb5\xda\xd2\xbb\n\x81\x30\x81\x30\nx=4\n")
		r = w.run("write", write("f", "第一\n\u0080\nx=三\n"))
		w.says(fmt.Sprint(w.meta(r)["encoding"], w.meta(r)["encodingChanged"]), "gb18030<nil>")
		w.holds("f", "\xb5\xda\xd2\xbb\n\x81\x30\x81\x30\nx=\xc8\xfd\n")
	},

	// A write by somebody who never looked is refused as for any file.
	"5": func(t *testing.T) {
		notText(t, "// objetivo \xe9 testar x\n", invalid)
		w := newWorld(t)
		w.file("f", "// objetivo \xe9 testar\n")
		w.refused("write", write("f", "// objetivo \ufffd testar\n"), vfs.CodeNotObserved)
		w.holds("f", "// objetivo \xe9 testar\n")

		w = encodedWorld(t, "windows-1252")
		p := w.file("f", "// objetivo \xe9 testar\n")
		w.wantLines("f", "// objetivo é testar")
		w.says(w.refused("write", write("f", "// objetivo \ufffd testar\n"), vfs.CodeNotText),
			`cannot write "`+p+`": "`+"\ufffd"+`" (U+FFFD) cannot be written in windows-1252`)
		w.ok("write", write("f", "// objetivo é: testar\n"))
		w.holds("f", "// objetivo \xe9: testar\n")
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

	// A byte order mark says what the bytes are; without one nobody does, and nothing is
	// tried.
	"10": func(t *testing.T) {
		utf16 := func(text string, high int) (raw string) {
			for _, r := range text {
				unit := []byte{byte(r), byte(r)}
				unit[high] = byte(r >> 8)
				raw += string(unit)
			}
			return raw
		}
		for high, name := range []string{"utf-16be", "utf-16le"} {
			w := newWorld(t)
			w.file("f", utf16("\ufeffkey=значение\r\nx\n", high))
			r := w.run("read", path("f"))
			w.says(fmt.Sprint(w.meta(r)["encoding"]), name)
			w.wantLines("f", "key=значение", "x")
			w.ok("edit", edit("f", "значение\n", "другое\nи\n"))
			w.holds("f", utf16("\ufeffkey=другое\r\nи\r\nx\n", high))
			w.ok("write", write("f", "всё\n"))
			w.holds("f", utf16("\ufeffвсё\n", high))
		}
		notText(t, utf16("key=значение\r\n", 1), binaryFile)
	},
}
