package vfstest

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// check is one case at work. Names without a leading slash start from the root.
type check struct {
	testing.TB
	World
	patience time.Duration // for what may end a little later
}

// path is the absolute name of a relative one.
func (c *check) path(name string) string { return strings.TrimSuffix(c.Root, "/") + "/" + name }

// must ends the case on an error of something that is no subject of it.
func (c *check) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("cannot set the case up: %v", err)
	}
}

// target resolves a name, which must succeed.
func (c *check) target(name string) vfs.Target {
	c.Helper()
	t, err := c.Provider.Resolve(c.Context(), c.Root, name)
	if err != nil {
		c.Fatalf("Resolve %q: %v", name, err)
	}
	return t
}

// put publishes without a condition, which must succeed.
func (c *check) put(t vfs.Target, content string) vfs.Info {
	c.Helper()
	info, err := c.Provider.Put(c.Context(), t, []byte(content), vfs.PutOptions{})
	if err != nil {
		c.Fatalf("Put %q: %v", t.Path, err)
	}
	return info
}

// seed makes a file through the provider.
func (c *check) seed(name, content string) vfs.Target {
	c.Helper()
	t := c.target(name)
	c.put(t, content)
	return t
}

// putIf publishes under a condition.
func (c *check) putIf(t vfs.Target, content string, cond vfs.Condition) (vfs.Info, error) {
	return c.Provider.Put(c.Context(), t, []byte(content), vfs.PutOptions{If: cond})
}

// content reads a file by p, raw.
func content(ctx context.Context, p vfs.Provider, t vfs.Target) (string, error) {
	f, err := p.Open(ctx, t)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return string(data), err
}

// holds demands that a file has exactly this content, also behind the provider's back.
func (c *check) holds(t vfs.Target, want string) {
	c.Helper()
	got, err := content(c.Context(), c.Provider, t)
	if err != nil || got != want {
		c.Errorf("%s holds %.80q (%v), want %.80q", t.Path, got, err, want)
	}
	c.stored(t.Path, want)
}

// stored demands a content behind the provider's back, where that can be seen.
func (c *check) stored(name, want string) {
	c.Helper()
	if c.Read == nil {
		return
	}
	if got, err := c.Read(name); err != nil || got != want {
		c.Errorf("another program sees %.80q (%v) in %s, want %.80q", got, err, name, want)
	}
}

// gone demands that nothing is at a target.
func (c *check) gone(t vfs.Target) {
	c.Helper()
	if info, err := c.Provider.Stat(c.Context(), t); vfs.CodeOf(err) != vfs.CodeNotFound {
		c.Errorf("%s is there: %+v, %v", t.Path, info, err)
	}
}

// fails demands an error with one of the codes.
func (c *check) fails(what string, err error, codes ...vfs.Code) {
	c.Helper()
	if !slices.Contains(codes, vfs.CodeOf(err)) {
		c.Errorf("%s: got %v (code %q), want %q", what, err, vfs.CodeOf(err), codes)
	}
}

// version is what a reader learns to be the version of a file.
func (c *check) version(t vfs.Target) vfs.Version {
	c.Helper()
	_, info, err := vfs.ReadBytes(c.Context(), c.Provider, t, 8<<20)
	if err != nil {
		c.Fatalf("ReadBytes %q: %v", t.Path, err)
	}
	return info.Version
}

// list reads a directory; no name may come twice.
func (c *check) list(t vfs.Target) map[string]vfs.Type {
	c.Helper()
	entries := map[string]vfs.Type{}
	for e, err := range c.Provider.ReadDir(c.Context(), t) {
		if err != nil {
			c.Errorf("ReadDir %q: %v", t.Path, err)
			break
		}
		if _, twice := entries[e.Name]; twice {
			c.Errorf("ReadDir %q gives %q twice", t.Path, e.Name)
		}
		entries[e.Name] = e.Type
	}
	return entries
}

// listed demands exactly these children.
func (c *check) listed(t vfs.Target, want map[string]vfs.Type) {
	c.Helper()
	got := c.list(t)
	for name, kind := range want {
		if got[name] != kind {
			c.Errorf("%q in %s is %q, want %q", name, t.Path, got[name], kind)
		}
	}
	for name, kind := range got {
		if _, wanted := want[name]; !wanted {
			c.Errorf("%s holds %q (%s), which nobody made", t.Path, name, kind)
		}
	}
}

// rival is a provider as another process has it, where the world knows how.
func (c *check) rival() vfs.Provider {
	if c.Again != nil {
		return c.Again()
	}
	return c.Provider
}
