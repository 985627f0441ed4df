package vfstest

import (
	"fmt"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func listCases() []Case {
	return []Case{
		{Name: "children", Rule: "a listing is the direct children, each once, as what it is", run: listChildren},
		{Name: "empty", Rule: "an empty directory lists nothing, without an error", Needs: []Trait{Directories}, run: listEmpty},
		{Name: "many", Rule: "however many there are, each is listed once", run: listMany},
		{Name: "missing", Rule: "listing a missing directory is FS_NOT_FOUND, and nothing follows an error", run: listMissing},
		{Name: "file", Rule: "listing a file is FS_NOT_DIRECTORY", run: listFile},
		{Name: "links", Rule: "a listed link is what it leads to; a broken one is other and fails nothing", Needs: []Trait{Links}, run: listLinks},
		{Name: "special", Rule: "a listed FIFO is other, and nobody waits for its other end", Needs: []Trait{Specials}, run: listSpecial},
		{Name: "stop", Rule: "a listing ends when the caller has seen enough", run: listStop},
		{Name: "calls-in-between", Rule: "the caller may use the provider while it lists", run: listReentrant},
	}
}

func listChildren(c *check) {
	for _, name := range []string{"d/f", "d/.hidden", "d/sub/deep/f", "d/sub/g", "dd/f", "f"} {
		c.seed(name, "x")
	}
	c.listed(c.target("d"), map[string]vfs.Type{"f": vfs.TypeFile, ".hidden": vfs.TypeFile, "sub": vfs.TypeDirectory})
	c.listed(c.target("d/sub"), map[string]vfs.Type{"deep": vfs.TypeDirectory, "g": vfs.TypeFile})
	c.listed(c.target("."), map[string]vfs.Type{"d": vfs.TypeDirectory, "dd": vfs.TypeDirectory, "f": vfs.TypeFile})
}

func listEmpty(c *check) {
	c.must(c.Mkdir(c.path("d")))
	c.listed(c.target("d"), nil)
	c.listed(c.target("."), map[string]vfs.Type{"d": vfs.TypeDirectory})
}

// crowd fills the directory d with n files whose names have so many bytes.
func (c *check) crowd(n, bytes int) map[string]vfs.Type {
	c.Helper()
	names := map[string]vfs.Type{}
	for i := range n {
		name := fmt.Sprintf("%04d", i) + strings.Repeat("x", bytes-4)
		names[name] = vfs.TypeFile
		if c.Write != nil {
			c.must(c.Write(c.path("d/"+name), ""))
		} else {
			c.seed("d/"+name, "")
		}
	}
	return names
}

func listMany(c *check) {
	want := c.crowd(1100, 60)
	c.listed(c.target("d"), want)
}

func listMissing(c *check) {
	for _, name := range []string{"missing", "missing/deep"} {
		yields := 0
		for e, err := range c.Provider.ReadDir(c.Context(), c.target(name)) {
			if yields++; err == nil {
				c.Errorf("%s holds %+v", name, e)
			}
			c.fails("ReadDir of "+name, err, vfs.CodeNotFound)
		}
		if yields != 1 {
			c.Errorf("ReadDir of %s yields %d times", name, yields)
		}
	}
}

func listFile(c *check) {
	_, err := vfs.ListDir(c.Context(), c.Provider, c.seed("f", "x"))
	c.fails("ListDir of a file", err, vfs.CodeNotDirectory)
}

func listLinks(c *check) {
	c.seed("real/f", "x")
	want := map[string]vfs.Type{"real": vfs.TypeDirectory}
	for name, link := range map[string]struct {
		to   string
		kind vfs.Type
	}{
		"to-file": {"real/f", vfs.TypeFile}, "to-dir": {"real", vfs.TypeDirectory}, "to-link": {"to-dir", vfs.TypeDirectory},
		"broken": {"nowhere", vfs.TypeOther}, "loop": {"loop", vfs.TypeOther}, "below-a-file": {"real/f/x", vfs.TypeOther},
	} {
		c.link(link.to, name)
		want[name] = link.kind
	}
	c.listed(c.target("."), want)
	c.link(".", "real/here")
	c.listed(c.target("to-dir"), map[string]vfs.Type{"f": vfs.TypeFile, "here": vfs.TypeDirectory})
}

func listSpecial(c *check) {
	c.seed("f", "x")
	c.must(c.Special(c.path("pipe")))
	c.listed(c.target("."), map[string]vfs.Type{"f": vfs.TypeFile, "pipe": vfs.TypeOther})
}

func listStop(c *check) {
	for _, name := range []string{"a", "b", "c", "d"} {
		c.seed("d/"+name, "x")
	}
	for enough := 1; enough <= 4; enough++ {
		yields := 0
		c.Provider.ReadDir(c.Context(), c.target("d"))(func(vfs.Entry, error) bool {
			yields++
			return yields < enough
		})
		if yields != enough {
			c.Errorf("the caller had enough after %d, and was given %d", enough, yields)
		}
	}
}

func listReentrant(c *check) {
	for _, name := range []string{"a", "b", "c"} {
		c.seed("d/"+name, "x")
	}
	d := c.target("d")
	for e, err := range c.Provider.ReadDir(c.Context(), d) {
		if err != nil {
			c.Fatalf("ReadDir: %v", err)
		}
		t := c.target("d/" + e.Name)
		if _, err := c.Provider.Stat(c.Context(), t); err != nil {
			c.Errorf("Stat: %v", err)
		}
		c.put(t, "changed")
		c.seed("other/"+e.Name, "x")
	}
	for _, name := range []string{"d", "other"} {
		c.listed(c.target(name), map[string]vfs.Type{"a": vfs.TypeFile, "b": vfs.TypeFile, "c": vfs.TypeFile})
	}
}
