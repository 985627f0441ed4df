//go:build linux

package cases_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

// together runs edits at the same time and gives their results.
func (w *world) together(edits ...args) []tool.Result {
	w.Helper()
	results := make([]tool.Result, len(edits))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, a := range edits {
		call := w.call("edit", a)
		all.Go(func() {
			<-start
			results[i] = w.set.Execute(w.Context(), call)
		})
	}
	close(start)
	all.Wait()
	return results
}

// batch runs calls as those of one message.
func (w *world) batch(calls ...tool.Call) []tool.Result {
	w.Helper()
	for i := range calls {
		calls[i].ID = fmt.Sprint("call-", i)
	}
	results, err := w.set.Batch(w.Context(), calls, tool.BatchOptions{})
	w.must(err)
	return results
}

func metaJSON(t *testing.T, r tool.Result) string {
	t.Helper()
	raw, err := json.Marshal(r.Meta)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
