package toolfs_test

import (
	"context"
	"iter"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// slow takes a while for each directory.
type slow struct {
	vfs.Provider
	each time.Duration
}

func (s slow) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	time.Sleep(s.each)
	return s.Provider.ReadDir(ctx, t)
}

// A long search tells how it gets on, every second and not after its end; a short one,
// and one of which nobody wants to know, tells nothing.
func TestSearchTellsHowItGetsOn(t *testing.T) {
	for _, c := range []struct {
		name, args string
		each       time.Duration
		want       int
	}{
		{"grep", `{"pattern":"x"}`, 700 * time.Millisecond, 4},
		{"glob", `{"pattern":"**/*.go"}`, 700 * time.Millisecond, 4},
		{"grep", `{"pattern":"x"}`, time.Millisecond, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := memfs.New(memfs.Options{})
			for i := range 5 {
				if err := m.WriteFile("/d"+strconv.Itoa(i)+"/f.go", "x\n"); err != nil {
					t.Fatal(err)
				}
			}
			set, err := toolfs.New(toolfs.Options{Provider: slow{m, c.each}})
			if err != nil {
				t.Fatal(err)
			}
			defer set.Close()
			var told []tool.Progress
			call := tool.Call{Name: c.name, Arguments: []byte(c.args), Session: &tool.Session{ID: "s", Cwd: "/"},
				Progress: func(p tool.Progress) { told = append(told, p) }}
			if r := set.Execute(t.Context(), call); r.IsError {
				t.Fatal(r.Content)
			}
			n := len(told)
			time.Sleep(5 * time.Second)
			if n != c.want || len(told) != n {
				t.Errorf("%s: told %d times, and %d after its end: %+v", c.name, n, len(told)-n, told)
			}
			for i, p := range told {
				if p.Total != 30 || p.Done != float64(i+1) || p.Message == "" {
					t.Errorf("%s: %+v", c.name, p)
				}
			}
		})
	}
}
