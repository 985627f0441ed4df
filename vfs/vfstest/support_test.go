package vfstest_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs/vfstest"
)

var updateDocs = flag.Bool("update-docs", false, "write the support tables of this build into docs/support.md")

func onShelf() vfstest.Config {
	return vfstest.Config{Name: "flat store (the example)", New: func(testing.TB) vfstest.World {
		return vfstest.World{Provider: &shelf{}, Root: "/"}
	}}
}

// Every provider passes, and the tables in the documentation say what that means.
func TestSupport(t *testing.T) {
	configs := []vfstest.Config{onHost(), inRoot(), inMemory(), inConfinedMemory(), onShelf()}
	reports := make([]vfstest.Report, len(configs))
	t.Run("provider", func(t *testing.T) {
		for i, c := range configs {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				reports[i] = vfstest.Run(t, c)
			})
		}
	})
	var tables strings.Builder
	if build == "portable" { // only the local disk is built in two ways
		reports = reports[:2]
	}
	if err := vfstest.Support(&tables, reports...); err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if len(r.Results) < len(vfstest.Cases()) {
			return // -run asked for a part
		}
		t.Logf("%s: %d of %d cases proved", r.Name, r.Proved(), len(r.Results))
	}
	if runtime.GOOS == "linux" && !t.Failed() {
		document(t, filepath.Join("..", "..", "docs", "support.md"), tables.String())
	}
}

// document compares the section of this build with a text, or writes it.
func document(t *testing.T, file, want string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+build+" build -->\n", "<!-- end of the "+build+" build -->\n"
	before, rest, found := strings.Cut(string(data), begin)
	old, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no section %q", file, begin)
	case *updateDocs:
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != want:
		t.Errorf("%s is out of date: run go test ./vfs/vfstest -run Support -update-docs, also with -tags toolfs_portable", file)
	}
}

func BenchmarkProviders(b *testing.B) {
	for _, c := range []vfstest.Config{inRoot(), inMemory()} {
		b.Run(c.Name, func(b *testing.B) { vfstest.Benchmark(b, c) })
	}
}
