package vfstest

import (
	"io"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func staleCases() []Case {
	outside := []Trait{Outsiders}
	return []Case{
		{Name: "same-size", Rule: "other content of the same size is another version", run: staleSameSize},
		{Name: "own-put-is-fresh", Rule: "the version that a Put returns authorises the next change, and is the one that a reader learns", run: staleOwnPut},
		{Name: "bytes-that-were-read", Rule: "a version names the very bytes that were read, whatever is published meanwhile", run: staleMidRead},
		{Name: "proof-of-a-read", Rule: "a read into which another program wrote is not called proven unless it is whole, and one that nobody disturbed is not called disturbed", Needs: []Trait{Proofs, Outsiders}, run: staleProof},
		{Name: "same-content-again", Rule: "content that changed and changed back is the version that was seen", Needs: []Trait{ContentVersions}, run: staleABA},
		{Name: "same-bytes-rewritten", Rule: "a rewrite of the same bytes by another program is no change", Needs: []Trait{ContentVersions, Outsiders}, run: staleTouched},
		{Name: "alias", Rule: "a change under one name of a file is seen under the other", Needs: []Trait{Links}, run: staleAlias},
		{Name: "link-in-its-place", Rule: "a target does not lead through a link that was put in its place, or above it", Needs: []Trait{Links, Outsiders}, run: staleLink},
		{Name: "outside-write", Rule: "what another program wrote since a file was read is kept: FS_STALE_VERSION", Needs: outside, run: staleOutsideWrite},
		{Name: "outside-rename", Rule: "a file of the same size that another program put in its place is kept: FS_STALE_VERSION", Needs: outside, run: staleOutsideRename},
		{Name: "outside-remove", Rule: "a file that another program removed is not made again: FS_STALE_VERSION", Needs: outside, run: staleOutsideRemove},
		{Name: "outside-create", Rule: "a file that another program made meanwhile is kept: FS_NOT_OBSERVED", Needs: outside, run: staleOutsideCreate},
	}
}

func staleSameSize(c *check) {
	t := c.seed("f", "aaaa")
	v := c.version(t)
	c.put(t, "bbbb")
	if c.version(t) == v {
		c.Errorf("two contents have the version %q", v)
	}
	_, err := c.putIf(t, "mine", vfs.IfVersion(v))
	c.fails("Put", err, vfs.CodeStaleVersion)
	c.holds(t, "bbbb")
}

func staleOwnPut(c *check) {
	t := c.target("f")
	info := c.put(t, "0")
	for _, content := range []string{"first", "second", "", "third"} {
		if learned := c.version(t); learned != info.Version {
			c.Errorf("Put tells the version %q, a reader learns %q", info.Version, learned)
		}
		next, err := c.putIf(t, content, vfs.IfVersion(info.Version))
		if err != nil {
			c.Fatalf("the version of the last Put is refused: %v", err)
		}
		info = next
	}
	c.holds(t, "third")
}

func staleMidRead(c *check) {
	old, newer := strings.Repeat("a", 300<<10), strings.Repeat("b", 300<<10)
	t := c.seed("f", old)
	first := c.version(t)
	text, r := c.readWhile(t, func() { c.put(t, newer) })
	for version, content := range map[vfs.Version]string{first: old, c.version(t): newer} {
		if told, got := r.Info().Version == version, text == content; told != got {
			c.Errorf("the version read is that of %.9q…: %t; so is the text: %t", content, told, got)
		}
	}
	_, err := c.putIf(t, "mine", vfs.IfVersion(r.Info().Version))
	c.fails("Put", err, vfs.CodeStaleVersion)
	c.holds(t, newer)
}

func staleProof(c *check) {
	old, newer := strings.Repeat("a", 300<<10), strings.Repeat("b", 300<<10)
	t := c.seed("f", old)
	for _, disturbed := range []bool{true, false} {
		text, r := c.readWhile(t, func() {
			if disturbed {
				c.must(c.Write(t.Path, newer))
			}
		})
		if text != old && text != newer && r.Proof() == vfs.Proven {
			c.Errorf("a mixture of two contents counts as one")
		}
		if !disturbed && (text != newer || r.Proof() == vfs.Disturbed) {
			c.Errorf("a read that nobody disturbed gives %.9q…, and says that it was", text)
		}
	}
}

// readWhile streams a file, with something in between after the first chunk.
func (c *check) readWhile(t vfs.Target, between func()) (string, *vfs.TextReader) {
	c.Helper()
	r, err := vfs.StreamText(c.Context(), c.Provider, t)
	if err != nil {
		c.Fatalf("StreamText: %v", err)
	}
	c.Cleanup(func() { r.Close() })
	var text strings.Builder
	for {
		chunk, err := r.Next(c.Context())
		if err == io.EOF {
			return text.String(), r
		}
		if err != nil {
			c.Fatalf("Next: %v", err)
		}
		if text.Len() == 0 {
			between()
		}
		text.Write(chunk)
	}
}

func staleABA(c *check) {
	t := c.seed("f", "A")
	v := c.version(t)
	c.put(t, "B")
	c.put(t, "A")
	if _, err := c.putIf(t, "C", vfs.IfVersion(v)); err != nil {
		c.Errorf("Put: %v", err)
	}
	c.holds(t, "C")
}

func staleTouched(c *check) {
	t := c.seed("f", "same")
	v := c.version(t)
	c.must(c.Write(t.Path, "same"))
	c.must(c.Rename(t.Path, c.path("away")))
	c.must(c.Write(t.Path, "same"))
	if _, err := c.putIf(t, "new", vfs.IfVersion(v)); err != nil {
		c.Errorf("Put: %v", err)
	}
	c.holds(t, "new")
}

func staleAlias(c *check) {
	real := c.seed("d/f", "old")
	c.link("d/f", "alias")
	c.link("d", "dir")
	for _, name := range []string{"alias", "dir/f"} {
		alias := c.target(name)
		v := c.version(alias)
		if c.version(real) != v {
			c.Errorf("one file has the versions %q and %q", v, c.version(real))
		}
		c.put(real, "newer "+name)
		_, err := c.putIf(alias, "mine", vfs.IfVersion(v))
		c.fails("Put through "+name, err, vfs.CodeStaleVersion)
		c.holds(real, "newer "+name)
	}
}

func staleLink(c *check) {
	other := c.seed("other/f", "other")
	t := c.seed("d/f", "mine")
	for _, planted := range [][2]string{{"other", "d"}, {"../other/f", "d/f"}} {
		c.must(c.Remove(c.path("d")))
		if planted[1] == "d/f" {
			c.seed("d/beside", "x")
		}
		c.link(planted[0], planted[1])
		if info, err := c.Provider.Stat(c.Context(), t); err == nil {
			c.Errorf("Stat through %s gives %+v", planted[1], info)
		}
		if got, err := content(c.Context(), c.Provider, t); err == nil {
			c.Errorf("Open through %s gives %q", planted[1], got)
		}
		for _, cond := range []vfs.Condition{{}, vfs.IfAbsent(), vfs.IfVersion(c.version(other))} {
			c.putIf(t, "changed", cond)
		}
		c.holds(other, "other")
	}
}

func staleOutsideWrite(c *check) {
	t := c.seed("f", "old text")
	v := c.version(t)
	c.must(c.Write(t.Path, "new text"))
	_, err := c.putIf(t, "mine", vfs.IfVersion(v))
	c.fails("Put", err, vfs.CodeStaleVersion)
	_, err = vfs.WriteText(c.Context(), c.Provider, t, "mine", vfs.WriteOptions{If: vfs.IfVersion(v)})
	c.fails("WriteText", err, vfs.CodeStaleVersion)
	_, err = vfs.EditText(c.Context(), c.Provider, t, vfs.Edit{Old: "text", New: "mine"}, vfs.EditOptions{If: v})
	c.fails("EditText", err, vfs.CodeStaleVersion)
	c.holds(t, "new text")
}

func staleOutsideRename(c *check) {
	t := c.seed("f", "old text")
	v := c.version(t)
	c.must(c.Write(c.path("g"), "new text"))
	c.must(c.Rename(c.path("g"), t.Path))
	_, err := c.putIf(t, "mine", vfs.IfVersion(v))
	c.fails("Put", err, vfs.CodeStaleVersion)
	c.holds(t, "new text")
}

func staleOutsideRemove(c *check) {
	t := c.seed("f", "old text")
	v := c.version(t)
	c.must(c.Remove(t.Path))
	_, err := c.putIf(t, "mine", vfs.IfVersion(v))
	c.fails("Put", err, vfs.CodeStaleVersion)
	_, err = vfs.WriteText(c.Context(), c.Provider, t, "mine", vfs.WriteOptions{If: vfs.IfVersion(v)})
	c.fails("WriteText", err, vfs.CodeStaleVersion)
	_, err = vfs.EditText(c.Context(), c.Provider, t, vfs.Edit{Old: "old", New: "mine"}, vfs.EditOptions{})
	c.fails("EditText", err, vfs.CodeStaleVersion)
	c.gone(t)
}

func staleOutsideCreate(c *check) {
	t := c.target("f")
	c.gone(t)
	c.must(c.Write(t.Path, "theirs"))
	_, err := c.putIf(t, "mine", vfs.IfAbsent())
	c.fails("Put", err, vfs.CodeNotObserved)
	c.holds(t, "theirs")
}
