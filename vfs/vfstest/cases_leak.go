package vfstest

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

func leakCases() []Case {
	return []Case{
		{Name: "goroutines", Rule: "every goroutine that a call starts ends", run: leakGoroutines},
		{Name: "handles", Rule: "every file and directory that a call opens is closed, after a failure too", Needs: []Trait{Handles}, run: leakHandles},
		{Name: "locks", Rule: "a Put that fails keeps nobody waiting", run: leakLocks},
	}
}

// day is what a provider goes through in a day: success, failure, giving up half way.
func (c *check) day(ctx context.Context) {
	p := c.Provider
	for i := range 4 {
		name := fmt.Sprintf("d/f%d", i)
		t, err := p.Resolve(ctx, c.Root, name)
		if err != nil {
			c.Errorf("Resolve: %v", err)
			return
		}
		out, err := vfs.WriteText(ctx, p, t, "some text\n", vfs.WriteOptions{})
		if err != nil {
			c.Errorf("WriteText: %v", err)
		}
		vfs.EditText(ctx, p, t, vfs.Edit{Old: "some", New: "other"}, vfs.EditOptions{If: out.Info.Version})
		vfs.EditText(ctx, p, t, vfs.Edit{Old: "nothing", New: "other"}, vfs.EditOptions{})
		p.Put(ctx, t, []byte("x"), vfs.PutOptions{If: vfs.IfVersion(out.Info.Version)})
		p.Put(ctx, t, []byte("x"), vfs.PutOptions{If: vfs.IfAbsent()})
		p.Put(ctx, t, []byte("a\x00"), vfs.PutOptions{})
		vfs.ReadText(ctx, p, t)
		vfs.ReadBytes(ctx, p, t, 1)
		if f, err := p.Open(ctx, t); err == nil {
			f.Read(make([]byte, 1))
			f.Close()
		}
		if d, err := p.Resolve(ctx, c.Root, "d"); err == nil {
			p.Open(ctx, d)
			p.Put(ctx, d, nil, vfs.PutOptions{})
			vfs.ListDir(ctx, p, d)
			for range p.ReadDir(ctx, d) {
				break
			}
		}
		vfs.ListDir(ctx, p, t)
		p.Resolve(ctx, c.Root, name+"/below")
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		p.Stat(stopped, t)
		p.Open(stopped, t)
		p.Put(stopped, t, nil, vfs.PutOptions{})
		vfs.ListDir(stopped, p, t)
	}
}

// leakGoroutines marks the goroutine that calls the provider with a label, which those
// that it starts inherit, so that nothing that runs beside it counts.
func leakGoroutines(c *check) {
	key := fmt.Sprintf("vfstest-%p", c)
	pprof.Do(c.Context(), pprof.Labels(key, "yes"), c.day)
	running := func() []byte {
		var all bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
			c.Fatal(err)
		}
		for one := range bytes.SplitSeq(all.Bytes(), []byte("\n\n")) {
			if bytes.Contains(one, []byte(key)) {
				return one
			}
		}
		return nil
	}
	patience := time.After(c.patience)
	for {
		left := running()
		if left == nil {
			return
		}
		select {
		case <-patience:
			c.Errorf("a goroutine is left:\n%s", left)
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func leakHandles(c *check) {
	c.day(c.Context())
	before := c.Handles()
	c.day(c.Context())
	if after := c.Handles(); after != before {
		c.Errorf("%d files and directories were open, now it is %d", before, after)
	}
}

func leakLocks(c *check) {
	t := c.seed("f", "x")
	for _, cond := range []vfs.Condition{vfs.IfAbsent(), vfs.IfVersion("other"), vfs.IfVersion(vfs.UnguardedVersion(1))} {
		if _, err := c.putIf(t, "y", cond); err == nil {
			c.Errorf("Put, %s, went through", cond)
		}
		c.put(t, "x")
	}
	if _, err := c.Provider.Put(c.cancelled(), t, nil, vfs.PutOptions{}); err == nil {
		c.Errorf("a cancelled Put went through")
	}
	c.put(t, "free")
	c.holds(t, "free")
}
