package vfstest

import (
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func resolveCases() []Case {
	return []Case{
		{Name: "missing-file", Rule: "a name resolves whether or not its file exists, to a path that shows it", run: resolveMissing},
		{Name: "key-survives-creation", Rule: "the key of a missing file stays the same once the file exists, also below missing directories", run: resolveStableKey},
		{Name: "spellings", Rule: "every spelling of a path gives the same key", run: resolveSpellings},
		{Name: "shown-path", Rule: "the path that is shown leads back to the same file", run: resolveShownPath},
		{Name: "base", Rule: "a relative name starts from base, an absolute one does not", run: resolveBase},
		{Name: "distinct", Rule: "different files have different keys", run: resolveDistinct},
		{Name: "blank", Rule: "a name of nothing but white space is FS_NOT_FOUND", run: resolveBlank},
		{Name: "below-a-file", Rule: "nothing can be below a file: FS_NOT_FOUND or FS_NOT_DIRECTORY, and the file stays", run: resolveBelowFile},
		{Name: "trailing-slash", Rule: "a name that ends in a slash means a directory: no file is opened or made by it", run: resolveTrailingSlash},
		{Name: "missing-before-dot-dot", Rule: "dot-dot does not cancel a directory that does not exist", Needs: []Trait{Directories}, run: resolveMissingDotDot},
	}
}

func resolveMissing(c *check) {
	t, err := c.Provider.Resolve(c.Context(), c.Root, "new.txt")
	if err != nil || t.Key == "" || !strings.HasSuffix(t.Path, "new.txt") {
		c.Errorf("Resolve gives %+v, %v", t, err)
	}
}

func resolveStableKey(c *check) {
	for _, name := range []string{"f", "new/dir/f"} {
		before := c.seed(name, "x")
		if after := c.target(name); after != before {
			c.Errorf("%q was %+v while it was missing, and is %+v", name, before, after)
		}
	}
}

func resolveSpellings(c *check) {
	want := c.seed("d/f", "x")
	for _, name := range []string{"./d/f", "d//f", "d/./f", "d/../d/f", "././d/../d//f", c.path("d/f"), c.path("./d//f")} {
		if got := c.target(name); got.Key != want.Key {
			c.Errorf("%q has the key %q, %q has %q", name, got.Key, "d/f", want.Key)
		}
	}
}

func resolveShownPath(c *check) {
	c.seed("d/f", "x")
	for _, name := range []string{"d/f", "d/../d/f", "d/new", "new/new", "d"} {
		t := c.target(name)
		back, err := c.Provider.Resolve(c.Context(), "", t.Path)
		if err != nil || back.Key != t.Key {
			c.Errorf("%q shows %q, which leads to %+v, %v", name, t.Path, back, err)
		}
	}
}

func resolveBase(c *check) {
	a, b := c.seed("a/f", "in a"), c.seed("b/f", "in b")
	for _, tt := range []struct {
		base, name string
		want       vfs.Target
	}{
		{c.path("a"), "f", a}, {c.path("b"), "f", b}, {c.path("b"), "../a/f", a}, {c.path("b"), c.path("a/f"), a}, {"", c.path("a/f"), a},
	} {
		if got, err := c.Provider.Resolve(c.Context(), tt.base, tt.name); err != nil || got.Key != tt.want.Key {
			c.Errorf("from %q, %q is %+v, %v; want the key %q", tt.base, tt.name, got, err, tt.want.Key)
		}
	}
}

func resolveDistinct(c *check) {
	seen := map[string]string{}
	for _, name := range []string{"f", "g", "ff", "d/f", "d/g", "d", "e/f", "f.txt"} {
		t := c.target(name)
		if other, twice := seen[t.Key]; twice {
			c.Errorf("%q and %q have the key %q", name, other, t.Key)
		}
		seen[t.Key] = name
	}
}

func resolveBlank(c *check) {
	for _, name := range []string{"", " ", "\t\n", "\u2003"} {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err == nil {
			c.Errorf("%q is %+v", name, t)
		}
		c.fails("a blank name", err, vfs.CodeNotFound)
	}
}

func resolveBelowFile(c *check) {
	f := c.seed("f", "a file")
	for _, name := range []string{"f/x", "f/x/y"} {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err == nil {
			_, err = c.putIf(t, "x", vfs.IfAbsent())
		}
		c.fails(name, err, vfs.CodeNotFound, vfs.CodeNotDirectory)
	}
	c.holds(f, "a file")
}

func resolveTrailingSlash(c *check) {
	f := c.seed("f", "a file")
	c.seed("d/f", "x")
	for _, name := range []string{"new/", "new/.", "d/new/"} {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err == nil {
			_, err = c.putIf(t, "x", vfs.IfAbsent())
		}
		c.fails(name, err, vfs.CodeNotFound, vfs.CodeNotDirectory, vfs.CodeNotRegularFile)
	}
	for _, name := range []string{"f/", "f/."} {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err == nil {
			_, err = content(c.Context(), c.Provider, t)
		}
		c.fails(name, err, vfs.CodeNotFound, vfs.CodeNotDirectory, vfs.CodeNotRegularFile)
	}
	c.gone(c.target("new"))
	c.gone(c.target("d/new"))
	c.holds(f, "a file")
	if d, slash := c.target("d"), c.target("d/"); d.Key != slash.Key {
		c.Errorf("a directory has the keys %q and, with a slash, %q", d.Key, slash.Key)
	}
}

func resolveMissingDotDot(c *check) {
	c.seed("f", "x")
	t, err := c.Provider.Resolve(c.Context(), c.Root, "missing/../f")
	if err == nil {
		c.Errorf("missing/../f is %+v", t)
	}
	c.fails("missing/../f", err, vfs.CodeNotFound)
}
