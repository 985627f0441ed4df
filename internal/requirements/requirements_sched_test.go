package requirements_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// patience bounds a wait for what must happen; nothing waits that long otherwise.
const patience = 10 * time.Second

// meeting lets each of n calls go on only when all n are there.
func meeting(n int) tool.AroundExecute {
	var all sync.WaitGroup
	all.Add(n)
	met := make(chan struct{})
	go func() { all.Wait(); close(met) }()
	return func(ctx context.Context, e *tool.Exec, next func(context.Context) (tool.Value, error)) (tool.Value, error) {
		all.Done()
		select {
		case <-met:
			return next(ctx)
		case <-time.After(patience):
			return nil, fmt.Errorf("%s met nobody", e.CallID)
		}
	}
}

// alone fails a call that runs while another does.
func alone(running *atomic.Int32) tool.AroundExecute {
	return func(ctx context.Context, e *tool.Exec, next func(context.Context) (tool.Value, error)) (tool.Value, error) {
		if running.Add(1) > 1 {
			return nil, fmt.Errorf("%s is not alone", e.CallID)
		}
		defer running.Add(-1)
		return next(ctx)
	}
}

// batch runs calls as those of one message, and numbers them.
func (w *world) batch(calls ...tool.Call) []tool.Result {
	w.Helper()
	for i := range calls {
		calls[i].ID = fmt.Sprint("call-", i)
	}
	results, err := w.set.Batch(w.Context(), calls, tool.BatchOptions{})
	w.must(err)
	equal(w.T, "results", len(calls), len(results))
	return results
}

var schedTests = tests{
	// Reads and listings of one message are under way at the same time.
	"R-SCHED-01": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a")
		registry := w.set.Registry()
		for name, a := range map[string]args{"list": {}, "read": {"file_path": "f"}} {
			equal(t, "the mode of "+name, tool.Parallel, registry.Mode(w.call(name, a)))
		}
		equal(t, "the mode with bad arguments", tool.Exclusive, registry.Mode(w.call("read", args{})))
		equal(t, "the mode of no tool", tool.Exclusive, registry.Mode(w.call("nothing", args{})))
		t.Cleanup(registry.OnExecute(meeting(4)))
		read, list := w.call("read", args{"file_path": "f"}), w.call("list", args{})
		for _, r := range w.batch(read, list, read, list) {
			text(t, r)
		}
	},

	// All that overlapping reads change is the ledger, by one entry each; listings
	// change nothing at all.
	"R-SCHED-02": func(t *testing.T) {
		w := newWorld(t)
		var calls []tool.Call
		for i := range 8 {
			name := fmt.Sprintf("f%d", i)
			w.file(name, name)
			calls = append(calls, w.call("read", args{"file_path": name}), w.call("list", args{}))
		}
		before := w.ok("list", args{})
		var observed atomic.Int32
		t.Cleanup(w.gate.Observed.Add(func(gate.Observed) error { observed.Add(1); return nil }))
		for _, r := range w.batch(calls...) {
			text(t, r)
		}
		equal(t, "observations", 8, observed.Load())
		equal(t, "the directory", before, w.ok("list", args{}))
		for i := range 8 {
			w.holds(w.path(fmt.Sprintf("f%d", i)), fmt.Sprintf("f%d", i))
			w.ok("edit", args{"file_path": fmt.Sprintf("f%d", i), "old_string": "f", "new_string": "g"})
		}
	},

	// Whatever version a race left in the ledger, it is checked where the change is
	// made: of several changes from one version, one takes place.
	"R-SCHED-03": func(t *testing.T) {
		w := newWorld(t, unguarded)
		const n = 8
		for round := range 20 {
			before := fmt.Sprintf("round %d\n", round)
			p := w.file("f", before)
			remove := w.gate.EditIntent.Add(func(context.Context, gate.EditIntent, func() (vfs.Version, error)) (vfs.Version, error) {
				return vfs.VersionOf([]byte(before)), nil
			})
			results := make([]tool.Result, n)
			var all sync.WaitGroup
			for i := range n {
				call := w.call("edit", args{"file_path": "f", "old_string": "round", "new_string": fmt.Sprintf("by %d,", i)})
				all.Go(func() { results[i] = w.set.Execute(t.Context(), call) })
			}
			all.Wait()
			remove()
			winner := -1
			for i, r := range results {
				if !r.IsError {
					if winner >= 0 {
						t.Errorf("both %d and %d changed one version", winner, i)
					}
					winner = i
					continue
				}
				failure(t, r, "FS_STALE_VERSION", `cannot edit "`+p+`": file changed since it was read — re-read the file, then retry`)
			}
			w.holds(p, fmt.Sprintf("by %d, %d\n", winner, round))
		}
	},

	// Writes and edits of one message come one after the other, and each sees what
	// the one before it did.
	"R-SCHED-04": func(t *testing.T) {
		w := newWorld(t)
		registry := w.set.Registry()
		for name, a := range map[string]args{"write": onPath("write", "f"), "edit": onPath("edit", "f")} {
			equal(t, "the mode of "+name, tool.Exclusive, registry.Mode(w.call(name, a)))
		}
		var running atomic.Int32
		t.Cleanup(registry.OnExecute(alone(&running)))
		edit := func(old, new string) tool.Call {
			return w.call("edit", args{"file_path": "f", "old_string": old, "new_string": new})
		}
		results := w.batch(w.call("write", args{"file_path": "f", "content": "1"}), edit("1", "2"), edit("2", "3"),
			w.call("write", args{"file_path": "f", "content": "4"}), w.call("read", args{"file_path": "f"}), edit("4", "5"))
		for _, r := range results {
			text(t, r)
		}
		equal(t, "what was read in between", []string{"4"}, lines(t, results[4]))
		w.holds(w.path("f"), "5")
		if _, err := os.Stat(w.path("f")); err != nil {
			t.Error(err)
		}
	},
}
