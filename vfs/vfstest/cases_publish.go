package vfstest

import (
	"context"
	"slices"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func putCases() []Case {
	return []Case{
		{Name: "outcome", Rule: "the Info returned describes the bytes that were written, as a reader learns it", run: putOutcome},
		{Name: "outcome-at-the-limit", Rule: "what a Put returns of content around the guard limit is what a reader learns", Needs: []Trait{GuardLimit}, run: putOutcomeAtLimit},
		{Name: "exact-bytes", Rule: "the file holds exactly the bytes given", run: putExact},
		{Name: "data-stays-the-callers", Rule: "Put neither changes the data nor keeps a hold of it", run: putKeepsOff},
		{Name: "parents", Rule: "a Put makes the directories that are missing", run: putParents},
		{Name: "no-parents-left", Rule: "a Put that fails leaves none of the directories that it made", run: putNoParentsLeft},
		{Name: "nothing-else-left", Rule: "neither success nor failure leaves anything beside the file", run: putNothingLeft},
		{Name: "through-a-link", Rule: "a Put through a link changes what it leads to, and the link stays", Needs: []Trait{Links}, run: putThroughLink},
		{Name: "hard-link", Rule: "the other names of a file keep the old content if LinkCount tells of them, and have the new if it tells of one", Needs: []Trait{HardLinks, Outsiders}, run: putHardLink},
		{Name: "durable", Rule: "a power cut leaves each file whole, and takes nothing that Put did not call NotDurable", Needs: []Trait{Crashes}, run: putDurable},
	}
}

func putOutcome(c *check) {
	guarantees := map[bool][]vfs.Guarantee{
		false: {"", vfs.GuaranteeCreated, vfs.GuaranteeChecked, vfs.GuaranteeExchanged, vfs.GuaranteeInPlace},
		true:  {"", vfs.GuaranteeChecked, vfs.GuaranteeExchanged, vfs.GuaranteeInPlace},
	}
	for i, content := range []string{"one", "twotwo", "", "the last"} {
		t := c.target("f")
		info := c.put(t, content)
		if info.Type != vfs.TypeFile || info.Size != int64(len(content)) || info.Version != c.version(t) {
			c.Errorf("Put of %q gives %+v; a reader learns the version %q", content, info, c.version(t))
		}
		if g := info.Publication.Guarantee; !slices.Contains(guarantees[i > 0], g) {
			c.Errorf("the guarantee is %q", g)
		}
	}
}

func putOutcomeAtLimit(c *check) {
	guard, _ := vfs.As[vfs.Guard](c.Provider)
	limit := int(guard.MaxGuardedBytes())
	for _, size := range []int{limit, limit + 1} {
		content := strings.Repeat("x", size)
		t := c.target("f")
		info := c.put(t, content)
		_, read, err := vfs.ReadText(c.Context(), c.Provider, t)
		if err != nil || info.Version != read.Version || info.Version != c.version(t) {
			c.Errorf("Put of %d bytes gives the version %q; a reader learns %q or %q, %v", size, info.Version, read.Version, c.version(t), err)
		}
		out, err := vfs.WriteText(c.Context(), c.Provider, t, "y"+content[1:], vfs.WriteOptions{})
		if err != nil || out.Info.Version != c.version(t) {
			c.Errorf("a write of %d bytes gives the version %q, %v; a reader learns %q", size, out.Info.Version, err, c.version(t))
		}
	}
}

func putExact(c *check) {
	for name, content := range samples() {
		t := c.target("f")
		if _, err := c.putIf(t, content, vfs.Condition{}); err != nil {
			c.Errorf("%s: %v", name, err)
			continue
		}
		c.holds(t, content)
	}
}

func putKeepsOff(c *check) {
	t := c.target("f")
	data := []byte("abcdef")
	if _, err := c.Provider.Put(c.Context(), t, data, vfs.PutOptions{}); err != nil {
		c.Fatalf("Put: %v", err)
	}
	if string(data) != "abcdef" {
		c.Errorf("the caller's data is now %q", data)
	}
	copy(data, "XXXXXX")
	c.holds(t, "abcdef")
}

func putParents(c *check) {
	c.holds(c.seed("a/b/c/f", "x"), "x")
	c.holds(c.seed("a/b/g", "y"), "y")
	c.listed(c.target("a/b"), map[string]vfs.Type{"c": vfs.TypeDirectory, "g": vfs.TypeFile})
}

func putNoParentsLeft(c *check) {
	t := c.target("x/y/z")
	_, err := c.putIf(t, "x", vfs.IfVersion(vfs.VersionOf([]byte("x"))))
	c.fails("a guarded Put of nothing", err, vfs.CodeStaleVersion)
	ctx, cancel := context.WithCancel(c.Context())
	cancel()
	_, err = c.Provider.Put(ctx, t, []byte("x"), vfs.PutOptions{})
	c.fails("a cancelled Put", err, vfs.CodeAborted)
	c.gone(c.target("x"))
	c.listed(c.target("."), nil)
}

func putNothingLeft(c *check) {
	t := c.seed("d/f", "old")
	v := c.version(t)
	for _, cond := range []vfs.Condition{vfs.IfVersion(v), vfs.IfVersion(v), vfs.IfAbsent(), {}} {
		_, err := c.putIf(t, "new", cond)
		if code := vfs.CodeOf(err); err != nil && code != vfs.CodeStaleVersion && code != vfs.CodeNotObserved {
			c.Errorf("Put, %s: %v", cond, err)
		}
	}
	ctx, cancel := context.WithCancel(c.Context())
	cancel()
	if _, err := c.Provider.Put(ctx, t, []byte("x"), vfs.PutOptions{}); err == nil {
		c.Errorf("a cancelled Put went through")
	}
	c.listed(c.target("d"), map[string]vfs.Type{"f": vfs.TypeFile})
	c.listed(c.target("."), map[string]vfs.Type{"d": vfs.TypeDirectory})
}

func putThroughLink(c *check) {
	real := c.seed("real", "old")
	c.link("real", "b")
	c.link("b", "a")
	c.put(c.target("a"), "new")
	c.holds(real, "new")
	c.isLink("a")
	c.isLink("b")
}

func putHardLink(c *check) {
	t := c.seed("f", "old")
	c.must(c.Link(t.Path, c.path("other")))
	info := c.put(t, "new")
	c.holds(t, "new")
	other := c.target("other")
	switch links := info.Publication.LinkCount; {
	case links > 1:
		c.holds(other, "old")
	case links == 1:
		c.holds(other, "new")
	default: // not known
		if got, err := content(c.Context(), c.Provider, other); err != nil || got != "old" && got != "new" {
			c.Errorf("the other name holds %q, %v", got, err)
		}
	}
}

func putDurable(c *check) {
	t := c.target("d/f")
	for _, want := range []string{"first", "second"} {
		info := c.put(t, want)
		got, err := content(c.Context(), c.Crash(), t)
		switch {
		case got == want:
		case !info.Publication.NotDurable:
			c.Errorf("a power cut after the Put of %q leaves %q, %v", want, got, err)
		case got != "first" && vfs.CodeOf(err) != vfs.CodeNotFound:
			c.Errorf("a power cut leaves %q, %v: neither the old version nor the new one", got, err)
		}
	}
}
