package vfstest

import (
	"fmt"

	"github.com/toolfs/toolfs/vfs"
)

func resolveLinkCases() []Case {
	links := []Trait{Links}
	return []Case{
		{Name: "link-to-a-file", Rule: "a link and the file that it leads to have one key, through a chain of links too", Needs: links, run: resolveLinkToFile},
		{Name: "link-above-a-file", Rule: "a path through a linked directory has the key of the real path", Needs: links, run: resolveLinkAboveFile},
		{Name: "link-above-nothing", Rule: "a path through a linked directory has the key of the real path also while its file does not exist", Needs: links, run: resolveLinkAboveNothing},
		{Name: "dangling-link", Rule: "a link that leads to nothing is what it leads to: a Put makes that, and the link stays", Needs: links, run: resolveDangling},
		{Name: "dot-dot-after-a-link", Rule: "dot-dot leaves the directory that a link leads to, not the one that the link is in", Needs: links, run: resolveDotDotAfterLink},
		{Name: "link-loop", Rule: "links that lead in a circle are an error with a code", Needs: links, run: resolveLoop},
	}
}

// link makes a symbolic link below the root.
func (c *check) link(target, name string) {
	c.Helper()
	c.must(c.Symlink(target, c.path(name)))
}

func (c *check) sameKey(name string, want vfs.Target) {
	c.Helper()
	if got := c.target(name); got.Key != want.Key {
		c.Errorf("%q has the key %q, %q has %q", name, got.Key, want.Path, want.Key)
	}
}

func resolveLinkToFile(c *check) {
	real := c.seed("real/f", "x")
	c.link("real/f", "l0")
	c.link(c.path("real/f"), "absolute")
	for i := range 12 {
		c.link(fmt.Sprintf("l%d", i), fmt.Sprintf("l%d", i+1))
	}
	for _, name := range []string{"l0", "absolute", "l12"} {
		c.sameKey(name, real)
	}
}

func resolveLinkAboveFile(c *check) {
	real := c.seed("real/f", "x")
	c.link("real", "dir")
	c.link("dir", "again")
	c.sameKey("dir/f", real)
	c.sameKey("again/f", real)
}

func resolveLinkAboveNothing(c *check) {
	c.seed("real/f", "x")
	c.link("real", "dir")
	before := c.target("dir/new/deep")
	c.sameKey("dir/new/deep", c.target("real/new/deep"))
	c.put(before, "x")
	c.sameKey("dir/new/deep", before)
	c.holds(c.target("real/new/deep"), "x")
}

func resolveDangling(c *check) {
	c.seed("d/f", "x")
	c.link("d/later", "link")
	c.sameKey("link", c.target("d/later"))
	if _, err := c.putIf(c.target("link"), "made", vfs.IfAbsent()); err != nil {
		c.Errorf("Put through a dangling link: %v", err)
		return
	}
	c.holds(c.target("d/later"), "made")
	c.isLink("link")
}

// isLink demands that a name still is a link.
func (c *check) isLink(name string) {
	c.Helper()
	info, err := vfs.Lstat(c.Context(), c.Provider, c.Root, name)
	if err != nil || info.Type != vfs.TypeSymlink {
		c.Errorf("Lstat gives %+v, %v for the link %q", info, err, name)
	}
}

func resolveDotDotAfterLink(c *check) {
	c.seed("a/b/keep", "")
	inA := c.seed("a/x", "in a")
	c.seed("x", "in the root")
	c.link("a/b", "l")
	c.sameKey("l/../x", inA)
	t := c.target("l/../x")
	if back, err := c.Provider.Resolve(c.Context(), "", t.Path); err != nil || back.Key != inA.Key {
		c.Errorf("the path shown is %q, which leads to %+v, %v", t.Path, back, err)
	}
}

func resolveLoop(c *check) {
	c.link("loop", "loop")
	c.link("b", "a")
	c.link("a", "b")
	for _, name := range []string{"loop", "a", "a/f"} {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if vfs.CodeOf(err) == "" {
			c.Errorf("%q is %+v, %v", name, t, err)
		}
	}
}
