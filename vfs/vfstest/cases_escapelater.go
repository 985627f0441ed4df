package vfstest

import (
	"path"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/toolfs/toolfs/vfs"
)

func escapeLaterCases() []Case {
	linked := []Trait{Confined, Outsiders, Links}
	return []Case{
		{Name: "planted-directory", Rule: "a target stays inside when a directory above it is replaced by a link to the outside", Needs: linked, run: escapePlantedDirectory},
		{Name: "planted-file", Rule: "a target stays inside when its file is replaced by a link to the outside", Needs: linked, run: escapePlantedFile},
		{Name: "planted-root", Rule: "a target stays inside when the root's own name is replaced by a link to the outside", Needs: linked, run: escapePlantedRoot},
		{Name: "swap", Rule: "nothing outside is read or changed while another program keeps exchanging a directory and a link", Needs: linked, run: escapeSwap},
		{Name: "vanished-root", Rule: "a root that was removed is not made again", Needs: []Trait{Confined, Outsiders}, run: escapeVanishedRoot},
	}
}

// stillDenied demands that no attempt with an old target reads or changes the secret.
// The target may still be where it was, or be refused with whatever error.
func (c *check) stillDenied(t vfs.Target, secret string) {
	c.Helper()
	if got, err := content(c.Context(), c.Provider, t); err == nil && got == canary {
		c.Errorf("the secret was read through %s", t.Path)
	}
	if info, err := c.Provider.Stat(c.Context(), t); err == nil && info.Size == int64(len(canary)) {
		c.Errorf("the secret was looked at through %s", t.Path)
	}
	c.attempts(t)
	c.untouched(secret)
}

func escapePlantedDirectory(c *check) {
	secret := c.plantSecret()
	c.seed("d/secret", "inside")
	for _, name := range []string{"d/secret", "d/new", "d/sub/new"} {
		t := c.target(name)
		c.must(c.Rename(c.path("d"), c.path("away")))
		c.link(c.Outside, "d")
		c.stillDenied(t, secret)
		c.must(c.Remove(c.path("d")))
		c.must(c.Rename(c.path("away"), c.path("d")))
	}
}

func escapePlantedFile(c *check) {
	secret := c.plantSecret()
	t := c.seed("f", "inside")
	c.must(c.Remove(t.Path))
	c.link(secret, "f")
	c.stillDenied(t, secret)
}

func escapePlantedRoot(c *check) {
	secret := c.plantSecret()
	t, fresh := c.seed("secret", "inside"), c.target("new")
	away := path.Join(path.Dir(c.Root), "away")
	c.must(c.Rename(c.Root, away))
	c.must(c.Symlink(c.Outside, c.Root))
	c.stillDenied(t, secret)
	c.stillDenied(fresh, secret)
	for _, name := range []string{"secret", "new"} {
		_, err := c.Provider.Resolve(c.Context(), "", path.Join(c.Root, name))
		c.fails("Resolve "+name, err, vfs.CodeSandboxDenied, vfs.CodeNotFound)
	}
}

func escapeSwap(c *check) {
	secret := c.plantSecret()
	c.seed("d/secret", "inside")
	var rounds atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		d, t := c.path("d"), c.path("t")
		steps := []func(){
			func() { c.Rename(d, t) },
			func() { c.Remove(d); c.Symlink(c.Outside, d) }, // the provider may have made it anew
			func() { c.Remove(d); c.Rename(t, d) },
		}
		for !stop.Load() {
			for _, step := range steps {
				step()
				runtime.Gosched()
			}
			rounds.Add(1)
		}
	})
	for i := 0; i < 150 || rounds.Load() < 150 && i < 50_000; i++ {
		runtime.Gosched()
		name := []string{"d/secret", "d/new", "d/sub/new"}[i%3]
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err != nil {
			continue
		}
		if got, err := content(c.Context(), c.Provider, t); err == nil && got == canary {
			c.Errorf("the secret was read")
			break
		}
		c.putIf(t, "inside", vfs.Condition{})
	}
	stop.Store(true)
	wg.Wait()
	c.untouched(secret)
}

func escapeVanishedRoot(c *check) {
	t := c.target("d/f")
	c.must(c.Remove(c.Root))
	for _, cond := range []vfs.Condition{{}, vfs.IfAbsent()} {
		if _, err := c.putIf(t, "x", cond); vfs.CodeOf(err) == "" {
			c.Errorf("Put in a root that is gone: %v", err)
		}
	}
	later, err := c.Provider.Resolve(c.Context(), "", path.Join(c.Root, "f"))
	if err == nil {
		_, err = c.putIf(later, "x", vfs.Condition{})
	}
	c.fails("a later Put", err, vfs.CodeNotFound, vfs.CodeSandboxDenied)
	if err := c.Write(c.Root, "free"); err != nil {
		c.Errorf("the root was made again: %v", err)
	}
}
