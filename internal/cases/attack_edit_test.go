//go:build linux

package cases_test

import (
	"os"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

var editAttacks = cases{
	"110": func(t *testing.T) {
		newWorld(t).edited("a\r\nb\r\nc\nword\r\nd\r\n", "word", "WORD", "a\r\nb\r\nc\nWORD\r\nd\r\n")
		newWorld(t).edited("a\r\nb\r\nword\nd\r\n", "word", "WORD", "a\r\nb\r\nWORD\nd\r\n")
	},

	"111": func(t *testing.T) {
		newWorld(t).edited("a\nb\nc\r\nword\nd\n", "word", "WORD", "a\nb\nc\r\nWORD\nd\n")
		head, tail := strings.Repeat("unix line\n", 500), strings.Repeat("dos line\r\n", 10)
		newWorld(t).edited(head+"word\n"+tail, "word", "WORD", head+"WORD\n"+tail)
		newWorld(t).edited(head+"word\r\n"+tail, "word", "WORD", head+"WORD\r\n"+tail)
	},

	"113": func(t *testing.T) {
		newWorld(t).edited("a\r\nb\r\nc\r\n", "a\nb\n", "one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\nc\r\n")
		newWorld(t).edited("a\r\nb\r\nc\r\n", "a\r\nb\r\n", "one\n", "one\r\nc\r\n")
	},

	"114": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "x y x\n")
		w.ok("read", path("f"))
		same := w.untouched("f")
		w.says(w.refused("edit", edit("f", "x", "z"), vfs.CodeAmbiguousEdit),
			`old_string matched 2 times in "`+p+`"; provide a more specific old_string or set replace_all to true`)
		same()
		w.ok("edit", editAll("f", "x", "z"))
		w.holds("f", "z y z\n")
	},

	// What is no text somewhere is not edited anywhere.
	"116": func(t *testing.T) {
		for end, why := range map[string]string{"\x00": binaryFile, "\xff": invalid, "\xe2\x82": invalid, "\xed\xa0\x80": invalid} {
			w := newWorld(t, unguarded)
			p := w.file("f", strings.Repeat("text\n", 4000)+"here\n"+end)
			same := w.untouched("f")
			w.says(w.refused("edit", edit("f", "here", "there"), vfs.CodeNotText), `cannot edit "`+p+`": `+why)
			same()
		}
	},

	"117": func(t *testing.T) {
		w := newWorld(t, unguarded)
		w.file("f", "a\r\nb\n")
		same := w.untouched("f")
		for _, a := range []args{edit("f", "a", "a"), editAll("f", "b", "b"), edit("f", "a\n", "a\r\n"), edit("f", "a\r\n", "a\n")} {
			w.says(w.refused("edit", a, ""), "old_string and new_string must differ")
		}
		for _, a := range []args{edit("f", "", "x"), edit("f", "", ""), editAll("f", "", "x")} {
			w.says(w.refused("edit", a, ""), "old_string must be a non-empty string")
		}
		same()
		w.only(w.ws, "f")
	},

	// The version comes before the match.
	"118": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a\n")
		w.ok("read", path("f"))
		w.file("f", "b\n")
		for _, a := range []args{edit("f", "a", "x"), edit("f", "nowhere", "x"), editAll("f", "b", "x")} {
			w.says(w.refused("edit", a, vfs.CodeStaleVersion), `cannot edit "`+p+`": file changed since it was read — re-read the file, then retry`)
		}
		w.file("f", "b\n\x00")
		w.refused("edit", edit("f", "b", "x"), vfs.CodeStaleVersion)
		w.holds("f", "b\n\x00")
	},

	"119": func(t *testing.T) {
		newWorld(t).edited("a.*b (c|d)+ $1 \\1 %s [x] {2} ^$\n", ".*b (c|d)+ $1 \\1 %s [x] {2} ^$", "$0 $& \\0 \\n %d ${x}", "a$0 $& \\0 \\n %d ${x}\n")
		newWorld(t).edited("aXb\n", "X", "$$", "a$$b\n")
		notFound(t, "abc\n", "a.c")
		notFound(t, "abc\n", "[a-c]+")
		notFound(t, "a\nb\n", `a\nb`)
	},

	// Above the limit for what can be verified, a file can be read but not edited,
	// nor be written over by somebody who read it.
	"120": func(t *testing.T) {
		w := newWorld(t, unguarded)
		p := w.file("f", "")
		w.must(os.Truncate(p, 64<<20+1))
		same := w.stat("f")
		w.says(w.refused("edit", edit("f", "a", "b"), vfs.CodeTooLarge), `cannot edit "`+p+`": 67108865 bytes exceeds the 67108864-byte limit`)
		if now := w.stat("f"); now.Ino != same.Ino || now.Mtim != same.Mtim || now.Size != same.Size {
			t.Error("the file was touched")
		}

		disk, err := localfs.Host(localfs.Options{Cwd: w.ws, MaxGuardedBytes: 10, StateDir: w.state, NoSync: true})
		w.must(err)
		t.Cleanup(func() { w.must(disk.Close()) })
		w.open(over(disk))
		p = w.file("g", "eleven byte")
		w.wantLines("g", "eleven byte")
		w.says(w.refused("edit", edit("g", "eleven", "x"), vfs.CodeTooLarge), `cannot edit "`+p+`": 11 bytes exceeds the 10-byte limit`)
		w.says(w.refused("write", write("g", "x"), vfs.CodeTooLarge), `cannot write "`+p+`": 11 bytes exceeds the 10-byte limit`)
		w.holds("g", "eleven byte")
		w.file("h", "ten bytes!")
		w.ok("read", path("h"))
		w.ok("edit", edit("h", "ten", "10"))
		w.holds("h", "10 bytes!")
	},
}
