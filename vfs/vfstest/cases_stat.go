package vfstest

import (
	"errors"
	"io/fs"

	"github.com/toolfs/toolfs/vfs"
)

func statCases() []Case {
	return []Case{
		{Name: "file", Rule: "Stat of a file says that it is one, and its size in bytes or -1", run: statFile},
		{Name: "directory", Rule: "Stat of a directory says that it is one", run: statDirectory},
		{Name: "missing", Rule: "a missing target is FS_NOT_FOUND and matches fs.ErrNotExist", run: statMissing},
		{Name: "below-a-file", Rule: "what lies below a file is missing, and that is no other error", run: statBelowFile},
		{Name: "version", Rule: "a version that Stat tells is that of the content, as a reader learns it", run: statVersion},
		{Name: "special", Rule: "what is neither file nor directory is other", Needs: []Trait{Specials}, run: statSpecial},
		{Name: "lstat", Rule: "Lstat describes the name itself: a link is a link, wherever it leads", Needs: []Trait{Links}, run: statLstat},
	}
}

func statFile(c *check) {
	for _, content := range []string{"", "x", "é😀\x00\xff\r\n"} {
		info, err := c.Provider.Stat(c.Context(), c.seed("f", content))
		if err != nil || info.Type != vfs.TypeFile || info.Size != int64(len(content)) && info.Size != -1 {
			c.Errorf("Stat of a file of %d bytes gives %+v, %v", len(content), info, err)
		}
	}
}

func statDirectory(c *check) {
	c.seed("d/e/f", "x")
	for _, name := range []string{".", "d", "d/e"} {
		if info, err := c.Provider.Stat(c.Context(), c.target(name)); err != nil || info.Type != vfs.TypeDirectory {
			c.Errorf("Stat of the directory %q gives %+v, %v", name, info, err)
		}
	}
}

func statMissing(c *check) {
	c.seed("f", "x")
	for _, name := range []string{"missing", "missing/deep"} {
		_, err := c.Provider.Stat(c.Context(), c.target(name))
		c.fails("Stat of "+name, err, vfs.CodeNotFound)
		if !errors.Is(err, fs.ErrNotExist) {
			c.Errorf("%v does not match fs.ErrNotExist", err)
		}
	}
}

func statBelowFile(c *check) {
	below := c.target("d/f")
	c.seed("d", "a file after all")
	_, err := c.Provider.Stat(c.Context(), below)
	c.fails("Stat of what is below a file", err, vfs.CodeNotFound)
}

func statVersion(c *check) {
	for _, content := range []string{"one", "two", ""} {
		t := c.seed("f", content)
		info, err := c.Provider.Stat(c.Context(), t)
		if want := c.version(t); err != nil || info.Version != "" && info.Version != want {
			c.Errorf("Stat tells %q, %v; a reader learns %q", info.Version, err, want)
		}
	}
}

func statSpecial(c *check) {
	c.must(c.Special(c.path("pipe")))
	if info, err := c.Provider.Stat(c.Context(), c.target("pipe")); err != nil || info.Type != vfs.TypeOther {
		c.Errorf("Stat gives %+v, %v", info, err)
	}
}

func statLstat(c *check) {
	c.seed("d/f", "x")
	for name, target := range map[string]string{"file": "d/f", "directory": "d", "d/nothing": "nowhere", "itself": "itself"} {
		c.link(target, name)
		c.isLink(name)
	}
	for name, want := range map[string]vfs.Type{"d/f": vfs.TypeFile, "d": vfs.TypeDirectory} {
		if info, err := vfs.Lstat(c.Context(), c.Provider, c.Root, name); err != nil || info.Type != want {
			c.Errorf("Lstat of %q gives %+v, %v", name, info, err)
		}
	}
	for _, name := range []string{"missing", "missing/deep", " "} {
		_, err := vfs.Lstat(c.Context(), c.Provider, c.Root, name)
		c.fails("Lstat of "+name, err, vfs.CodeNotFound)
	}
}
