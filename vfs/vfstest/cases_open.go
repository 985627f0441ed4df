package vfstest

import (
	"io"
	"strings"
	"testing/iotest"

	"github.com/toolfs/toolfs/vfs"
)

func openCases() []Case {
	return []Case{
		{Name: "exact-bytes", Rule: "a file gives the raw bytes, however they are read, and io.EOF at every read after them", run: openExact},
		{Name: "info", Rule: "Info is of the opened file: its size or -1, its version or none", run: openInfo},
		{Name: "one-version", Rule: "an open file gives the bytes of one version, whatever is published meanwhile", run: openOneVersion},
		{Name: "independent", Rule: "two open files of one target do not move each other", run: openIndependent},
		{Name: "missing", Rule: "Open of a missing file is FS_NOT_FOUND", run: openMissing},
		{Name: "directory", Rule: "Open of a directory is FS_NOT_REGULAR_FILE", run: openDirectory},
		{Name: "special", Rule: "Open of a FIFO is FS_NOT_REGULAR_FILE at once: nobody waits for its other end", Needs: []Trait{Specials}, run: openSpecial},
	}
}

// samples are contents that a careless provider changes.
func samples() map[string]string {
	return map[string]string{
		"empty": "", "one byte": "x", "no text": "\x00\xff\xfe\x80", "a byte order mark": "\xef\xbb\xbfa",
		"line endings": "a\r\nb\nc\rd", "no last newline": "a\nb", "blanks": "  \t \n\n",
		"large": strings.Repeat("0123456789abcde\n", 5<<10),
	}
}

func (c *check) open(t vfs.Target) vfs.File {
	c.Helper()
	f, err := c.Provider.Open(c.Context(), t)
	if err != nil {
		c.Fatalf("Open %q: %v", t.Path, err)
	}
	c.Cleanup(func() { f.Close() })
	return f
}

func openExact(c *check) {
	for name, want := range samples() {
		t := c.seed("f", want)
		if err := iotest.TestReader(onlyReader{c.open(t)}, []byte(want)); err != nil {
			c.Errorf("%s: %v", name, err)
		}
		c.holds(t, want)
	}
}

// onlyReader hides what else a file can do, for which a File gives no promise.
type onlyReader struct{ io.Reader }

func openInfo(c *check) {
	for name, content := range samples() {
		t := c.seed("f", content)
		info := c.open(t).Info()
		if info.Type != vfs.TypeFile || info.Size != int64(len(content)) && info.Size != -1 {
			c.Errorf("%s, %d bytes: Info is %+v", name, len(content), info)
		}
		if want := c.version(t); info.Version != "" && info.Version != want {
			c.Errorf("%s: Info tells the version %q, a reader learns %q", name, info.Version, want)
		}
	}
}

func openOneVersion(c *check) {
	old := strings.Repeat("a", 100<<10)
	t := c.seed("f", old)
	f := c.open(t)
	head := make([]byte, 1000)
	if _, err := io.ReadFull(f, head); err != nil {
		c.Fatalf("Read: %v", err)
	}
	before := f.Info()
	c.put(t, strings.Repeat("b", 150<<10))
	rest, err := io.ReadAll(f)
	if got := string(head) + string(rest); err != nil || got != old {
		c.Errorf("the old version has %d bytes, of which %d were read (%v), the last of them %.9q", len(old), len(got), err, got[max(0, len(got)-9):])
	}
	if after := f.Info(); after != before {
		c.Errorf("Info was %+v and is %+v", before, after)
	}
}

func openIndependent(c *check) {
	t := c.seed("f", "abcdef")
	one, two := c.open(t), c.open(t)
	buf := make([]byte, 3)
	for _, f := range []vfs.File{one, two} {
		if _, err := io.ReadFull(f, buf); err != nil || string(buf) != "abc" {
			c.Errorf("the first three bytes are %q, %v", buf, err)
		}
	}
	if err := one.Close(); err != nil {
		c.Errorf("Close: %v", err)
	}
	if rest, err := io.ReadAll(two); err != nil || string(rest) != "def" {
		c.Errorf("the rest is %q, %v", rest, err)
	}
}

func openMissing(c *check) {
	c.seed("f", "x")
	for _, name := range []string{"missing", "missing/deep"} {
		_, err := content(c.Context(), c.Provider, c.target(name))
		c.fails("Open of "+name, err, vfs.CodeNotFound)
	}
}

func openDirectory(c *check) {
	c.seed("d/f", "x")
	for _, name := range []string{".", "d"} {
		_, err := content(c.Context(), c.Provider, c.target(name))
		c.fails("Open of the directory "+name, err, vfs.CodeNotRegularFile)
	}
}

func openSpecial(c *check) {
	c.must(c.Special(c.path("pipe")))
	_, err := content(c.Context(), c.Provider, c.target("pipe"))
	c.fails("Open of a FIFO", err, vfs.CodeNotRegularFile)
}
