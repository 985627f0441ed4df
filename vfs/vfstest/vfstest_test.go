package vfstest_test

import (
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/vfs/vfstest"
)

// Whatever goes wrong with a world or in a provider is a failure, and never a skip.
func TestWhatCannotBeProvedFails(t *testing.T) {
	sound := func(testing.TB) vfstest.World { return vfstest.World{Provider: &shelf{}, Root: "/"} }
	worlds := 0
	for name, tt := range map[string]struct {
		c    vfstest.Config
		want string
	}{
		"no world":       {vfstest.Config{New: func(t testing.TB) vfstest.World { t.Fatal("no disk"); return vfstest.World{} }}, "no disk"},
		"an empty world": {vfstest.Config{New: func(testing.TB) vfstest.World { return vfstest.World{} }}, "needs a Provider and a Root"},
		"a panic":        {vfstest.Config{New: func(testing.TB) vfstest.World { panic("no disk") }}, "panic: no disk"},
		"a skip":         {vfstest.Config{New: func(t testing.TB) vfstest.World { t.Skip("not today"); return vfstest.World{} }}, "must not be skipped: not today"},
		"no such trait":  {vfstest.Config{New: sound, Lacks: []vfstest.Trait{vfstest.Links}}, `Lacks names "symbolic links"`},
		"a failed cleanup": {vfstest.Config{New: func(t testing.TB) vfstest.World {
			t.Cleanup(func() { t.Error("cannot clean up") })
			return sound(t)
		}}, "cannot clean up"},
		"a provider that panics": {vfstest.Config{New: func(t testing.TB) vfstest.World {
			if worlds++; worlds == 1 { // the look at the traits
				return sound(t)
			}
			return vfstest.World{Provider: struct{ vfs.Provider }{}, Root: "/"}
		}}, "panic: "},
	} {
		failed := vfstest.Check(tt.c, "Stat/missing").Failed()
		if len(failed) != 1 || len(failed[0].Failures) == 0 || !strings.Contains(failed[0].Failures[0], tt.want) {
			t.Errorf("%s: got %+v, want %q", name, failed, tt.want)
		}
	}
}

func TestCheckRunsWhatIsNamed(t *testing.T) {
	r := vfstest.Check(onShelf(), "Stat/file", "Resolve/link-loop")
	if len(r.Results) != 2 || r.Proved() != 1 || r.Results[0].Missing != vfstest.Links || r.Results[1].String() != "Stat/file" {
		t.Errorf("got %+v", r)
	}
	var table strings.Builder
	if err := vfstest.Support(&table, r); err != nil || !strings.Contains(table.String(), "| cases proved | 1 of 2 |") {
		t.Errorf("%v\n%.300s", err, table.String())
	}
}

// Names, groups and rules are what reports and documents stand on.
func TestCasesAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range vfstest.Cases() {
		if seen[k.String()] || k.Group == "" || k.Name == "" || k.Rule == "" || strings.ContainsAny(k.Name, " /") {
			t.Errorf("%+v", k)
		}
		seen[k.String()] = true
	}
}
