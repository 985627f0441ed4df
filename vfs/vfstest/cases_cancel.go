package vfstest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

func cancelCases() []Case {
	return []Case{
		{Name: "resolve", Rule: "a cancelled Resolve is FS_ABORTED and says so", run: cancelResolve},
		{Name: "stat", Rule: "a cancelled Stat is FS_ABORTED and says so", run: cancelStat},
		{Name: "open", Rule: "a cancelled Open is FS_ABORTED and says so", run: cancelOpen},
		{Name: "list", Rule: "a cancelled ReadDir is FS_ABORTED and says so, and gives no entry", run: cancelList},
		{Name: "put", Rule: "a cancelled Put is FS_ABORTED and says so, and nothing was written", run: cancelPut},
		{Name: "cause", Rule: "the cause of the cancellation can be found in the error", run: cancelCause},
		{Name: "while-listing", Rule: "a listing that is cancelled on the way ends with FS_ABORTED", run: cancelListing},
		{Name: "while-waiting", Rule: "whoever waits for another's turn can be cancelled, and gives up his own", Needs: []Trait{Sections}, run: cancelWaiting},
	}
}

func (c *check) cancelled() context.Context {
	ctx, cancel := context.WithCancel(c.Context())
	cancel()
	return ctx
}

func (c *check) aborted(err error, text string) {
	c.Helper()
	c.fails("a cancelled call", err, vfs.CodeAborted)
	if err != nil && err.Error() != text {
		c.Errorf("got %q, want %q", err, text)
	}
}

func cancelResolve(c *check) {
	_, err := c.Provider.Resolve(c.cancelled(), c.Root, "f")
	c.aborted(err, "resolve aborted")
}

func cancelStat(c *check) {
	_, err := c.Provider.Stat(c.cancelled(), c.seed("f", "x"))
	c.aborted(err, "stat aborted")
}

func cancelOpen(c *check) {
	_, err := content(c.cancelled(), c.Provider, c.seed("f", "x"))
	c.aborted(err, "read aborted")
}

func cancelList(c *check) {
	c.seed("d/f", "x")
	yields := 0
	for e, err := range c.Provider.ReadDir(c.cancelled(), c.target("d")) {
		if yields++; err == nil {
			c.Errorf("a cancelled listing gives %+v", e)
			continue
		}
		c.aborted(err, "list aborted")
	}
	if yields != 1 {
		c.Errorf("a cancelled listing yields %d times", yields)
	}
}

func cancelPut(c *check) {
	t := c.seed("f", "old")
	for _, cond := range []vfs.Condition{{}, vfs.IfVersion(c.version(t))} {
		_, err := c.Provider.Put(c.cancelled(), t, []byte("new"), vfs.PutOptions{If: cond})
		c.aborted(err, "write aborted")
	}
	c.holds(t, "old")
	missing := c.target("new/f")
	_, err := c.Provider.Put(c.cancelled(), missing, []byte("new"), vfs.PutOptions{})
	c.aborted(err, "write aborted")
	c.gone(missing)
}

func cancelCause(c *check) {
	t := c.seed("f", "x")
	cause := errors.New("the user pressed stop")
	ctx, cancel := context.WithCancelCause(c.Context())
	cancel(cause)
	did := map[string]error{}
	_, did["Resolve"] = c.Provider.Resolve(ctx, c.Root, "f")
	_, did["Stat"] = c.Provider.Stat(ctx, t)
	_, did["Open"] = content(ctx, c.Provider, t)
	_, did["ReadDir"] = vfs.ListDir(ctx, c.Provider, t)
	_, did["Put"] = c.Provider.Put(ctx, t, []byte("y"), vfs.PutOptions{})
	for what, err := range did {
		if !errors.Is(err, cause) {
			c.Errorf("%s: %v does not match its cause", what, err)
		}
	}
}

func cancelListing(c *check) {
	n := len(c.crowd(400, 200))
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	seen := 0
	for _, err := range c.Provider.ReadDir(ctx, c.target("d")) {
		if err != nil {
			c.aborted(err, "list aborted")
			return
		}
		seen++
		cancel()
	}
	c.Errorf("a cancelled listing ends after %d of %d as if it were whole", seen, n)
}

// watched is a context that tells when somebody begins to wait for its end.
type watched struct {
	context.Context
	once   sync.Once
	waited chan struct{}
}

func (w *watched) Done() <-chan struct{} {
	w.once.Do(func() { close(w.waited) })
	return w.Context.Done()
}

func cancelWaiting(c *check) {
	t := c.seed("f", "old")
	x, _ := vfs.As[vfs.Exclusive](c.Provider)
	_, release, err := x.Exclusive(c.Context(), t)
	if err != nil {
		c.Fatalf("Exclusive: %v", err)
	}
	for what, wait := range map[string]func(context.Context) error{
		"Put": func(ctx context.Context) error {
			_, err := c.Provider.Put(ctx, t, []byte("late"), vfs.PutOptions{})
			return err
		},
		"Exclusive": func(ctx context.Context) error {
			_, release, err := x.Exclusive(ctx, t)
			if err == nil {
				release()
			}
			return err
		},
	} {
		ctx, cancel := context.WithCancel(c.Context())
		w := &watched{Context: ctx, waited: make(chan struct{})}
		ended := make(chan error, 1)
		go func() { ended <- wait(w) }()
		select {
		case <-w.waited:
		case <-time.After(c.patience):
		}
		cancel()
		c.fails("a cancelled wait for "+what, <-ended, vfs.CodeAborted)
	}
	c.holds(t, "old")
	release()
	c.put(t, "free again")
	c.holds(t, "free again")
}
