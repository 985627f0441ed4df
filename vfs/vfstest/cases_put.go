package vfstest

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func putConditionCases() []Case {
	return []Case{
		{Name: "unconditional", Rule: "without a condition a Put creates and replaces", run: putAlways},
		{Name: "absent-creates", Rule: "IfAbsent creates what is missing", run: putAbsentCreates},
		{Name: "absent-refuses", Rule: "IfAbsent leaves what exists as it is: FS_NOT_OBSERVED, which matches fs.ErrExist", run: putAbsentRefuses},
		{Name: "version-replaces", Rule: "IfVersion replaces exactly that version", run: putVersionReplaces},
		{Name: "version-refuses", Rule: "IfVersion leaves any other version as it is: FS_STALE_VERSION", run: putVersionRefuses},
		{Name: "version-of-nothing", Rule: "IfVersion creates nothing: FS_STALE_VERSION, which matches fs.ErrNotExist", run: putVersionOfNothing},
		{Name: "unverifiable", Rule: "a version that was never tied to content authorises nothing: FS_TOO_LARGE", run: putUnverifiable},
		{Name: "above-the-guard-limit", Rule: "content above the guard limit can be read and overwritten, but its version authorises nothing", Needs: []Trait{GuardLimit}, run: putAboveLimit},
		{Name: "directory", Rule: "a directory is never replaced: FS_NOT_REGULAR_FILE under every condition", run: putDirectory},
		{Name: "special", Rule: "a FIFO is never replaced: FS_NOT_REGULAR_FILE under every condition, and nobody waits for its other end", Needs: []Trait{Specials}, run: putSpecial},
	}
}

func putAlways(c *check) {
	t := c.target("f")
	for _, content := range []string{"first", "second, longer", "3"} {
		c.put(t, content)
		c.holds(t, content)
	}
}

func putAbsentCreates(c *check) {
	for _, name := range []string{"f", "new/dir/f"} {
		t := c.target(name)
		if _, err := c.putIf(t, "made", vfs.IfAbsent()); err != nil {
			c.Errorf("Put %q: %v", name, err)
			continue
		}
		c.holds(t, "made")
	}
}

func putAbsentRefuses(c *check) {
	for _, content := range []string{"there", ""} {
		t := c.seed("f", content)
		_, err := c.putIf(t, "other", vfs.IfAbsent())
		c.fails("Put", err, vfs.CodeNotObserved)
		if !errors.Is(err, fs.ErrExist) {
			c.Errorf("%v does not match fs.ErrExist", err)
		}
		c.holds(t, content)
	}
}

func putVersionReplaces(c *check) {
	for _, content := range []string{"old", "", "\x00\xff"} {
		t := c.seed("f", content)
		if _, err := c.putIf(t, "new", vfs.IfVersion(c.version(t))); err != nil {
			c.Errorf("Put: %v", err)
			continue
		}
		c.holds(t, "new")
	}
}

func putVersionRefuses(c *check) {
	t := c.seed("f", "old")
	old := c.version(t)
	c.put(t, "newer")
	for _, v := range []vfs.Version{old, "etag-of-somebody", vfs.VersionOf([]byte("never there"))} {
		_, err := c.putIf(t, "mine", vfs.IfVersion(v))
		c.fails("Put", err, vfs.CodeStaleVersion)
	}
	c.holds(t, "newer")
}

func putVersionOfNothing(c *check) {
	v := c.version(c.seed("f", "x"))
	for _, name := range []string{"missing", "missing/dir/f"} {
		t := c.target(name)
		_, err := c.putIf(t, "x", vfs.IfVersion(v))
		c.fails("Put", err, vfs.CodeStaleVersion)
		if !errors.Is(err, fs.ErrNotExist) {
			c.Errorf("%v does not match fs.ErrNotExist", err)
		}
		c.gone(t)
	}
}

func putUnverifiable(c *check) {
	t := c.seed("f", "four")
	_, err := c.putIf(t, "mine", vfs.IfVersion(vfs.UnguardedVersion(4)))
	c.fails("Put", err, vfs.CodeTooLarge)
	c.holds(t, "four")
}

func putAboveLimit(c *check) {
	guard, _ := vfs.As[vfs.Guard](c.Provider)
	large := strings.Repeat("x", int(guard.MaxGuardedBytes())+1)
	t := c.seed("f", large)
	text, info, err := vfs.ReadText(c.Context(), c.Provider, t)
	if err != nil || text != large {
		c.Errorf("%d bytes were read, %v", len(text), err)
	}
	_, err = c.putIf(t, "mine", vfs.IfVersion(info.Version))
	c.fails("a guarded Put", err, vfs.CodeTooLarge)
	_, err = vfs.EditText(c.Context(), c.Provider, t, vfs.Edit{Old: large, New: "mine"}, vfs.EditOptions{})
	c.fails("an edit", err, vfs.CodeTooLarge)
	c.holds(t, large)
	if _, err := vfs.WriteText(c.Context(), c.Provider, t, "small", vfs.WriteOptions{}); err != nil {
		c.Errorf("an unconditional write: %v", err)
	}
	c.holds(t, "small")
}

// conditions are those that a Put onto something that is no file can have.
func conditions() []vfs.Condition {
	return []vfs.Condition{{}, vfs.IfAbsent(), vfs.IfVersion(vfs.VersionOf(nil))}
}

func putDirectory(c *check) {
	f := c.seed("d/f", "x")
	for _, cond := range conditions() {
		_, err := c.putIf(c.target("d"), "mine", cond)
		c.fails("Put onto a directory, "+cond.String(), err, vfs.CodeNotRegularFile)
		_, err = c.putIf(c.target("."), "mine", cond)
		c.fails("Put onto the root, "+cond.String(), err, vfs.CodeNotRegularFile)
	}
	c.holds(f, "x")
}

func putSpecial(c *check) {
	c.must(c.Special(c.path("pipe")))
	t := c.target("pipe")
	for _, cond := range conditions() {
		_, err := c.putIf(t, "mine", cond)
		c.fails("Put onto a FIFO, "+cond.String(), err, vfs.CodeNotRegularFile)
	}
	if info, err := c.Provider.Stat(c.Context(), t); err != nil || info.Type != vfs.TypeOther {
		c.Errorf("the FIFO is now %+v, %v", info, err)
	}
}
