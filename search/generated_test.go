//go:build unix

package search_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// forest makes trees and patterns at random, but the same ones each time.
type forest struct {
	*rand.Rand
	t   *testing.T
	dir string
}

func (f *forest) pick(list ...string) string { return list[f.IntN(len(list))] }

func (f *forest) name() string {
	return f.pick("a", "b", "ab", ".h", "x.go", "y.go", "z.log", "e", "A", "b.d", "[q]", "c d")
}

// pattern is a line of an ignore file, or a glob.
func (f *forest) pattern() string {
	var b strings.Builder
	for i := range 1 + f.IntN(3) {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(f.pick("a", "b", "ab", "*", "**", "*.go", "?", "[a-b]*", ".h", "z.*", "[!a]*", "b.d", "A", "e"))
	}
	return b.String()
}

func (f *forest) ignoreLines() string {
	var b strings.Builder
	for range 1 + f.IntN(4) {
		b.WriteString(f.pick("", "", "!", "/", "!/") + f.pattern() + f.pick("", "", "/") + "\n")
	}
	return b.String()
}

func (f *forest) plant(dir string, depth int) {
	for range 2 + f.IntN(4) {
		path := filepath.Join(dir, f.name())
		if info, err := os.Lstat(path); err == nil {
			_ = info
			continue
		}
		switch {
		case depth < 3 && f.IntN(2) == 0:
			f.plant(path, depth+1)
		case f.IntN(12) == 0:
			putOnDisk(f.t, path+"@", f.pick("..", "a", "x.go"))
		default:
			putOnDisk(f.t, path, f.pick("needle\n", "hay\nneedle\n", "nothing\n", "needle\r\nneedle", "bin\x00needle\n", ""))
		}
	}
	if f.IntN(4) == 0 {
		putOnDisk(f.t, filepath.Join(dir, f.pick(".gitignore", ".gitignore", ".ignore", ".rgignore")), f.ignoreLines())
	}
	if f.IntN(6) == 0 {
		putOnDisk(f.t, filepath.Join(dir, ".git", "info", "exclude"), f.ignoreLines())
	}
}

// TestAgainstRipgrepOnForests: on hundreds of trees and patterns what is found is what
// the search program finds, in the same order.
func TestAgainstRipgrepOnForests(t *testing.T) {
	rg := ripgrep(t)
	for seed := range uint64(200) {
		f := &forest{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, dir: t.TempDir()}
		f.plant(f.dir, 0)
		if f.IntN(2) == 0 {
			putOnDisk(t, filepath.Join(f.dir, ".git", "HEAD"), "")
		}
		disk, at := local(t, f.dir)
		for range 4 {
			q := vfs.GrepQuery{Dir: at, Pattern: f.pick("needle", "^needle$", "(?i)NEEDLE", "n[e]+d|hay")}
			args := []string{"--regexp=" + strings.ReplaceAll(q.Pattern, "$", `\r?$`)}
			if f.IntN(2) == 0 {
				q.Include = f.pattern()
				args = append(args, "--glob="+q.Include, "--glob=!**/.git", "--glob=!**/.git/**")
			}
			if namesHidden(q.Include) {
				continue // what it names is searched here, and only here
			}
			want := rgLines(t, rg, f.dir, args...)
			got, _ := grepLines(t, disk, q)
			compareLines(t, fmt.Sprintf("seed %d: %q in %q", seed, q.Pattern, q.Include), got, want)

			pattern := f.pick("", "", "/", "!") + f.pattern()
			compareLines(t, fmt.Sprintf("seed %d: glob %q", seed, pattern), ourFiles(t, disk, at, pattern), rgFiles(t, rg, f.dir, pattern))
		}
		if t.Failed() {
			out, _ := exec.Command("find", f.dir, "-printf", "%P %l\n").Output()
			ignores, _ := exec.Command("sh", "-c", "cd "+f.dir+" && grep -r '' $(find . -name '.*ignore' -o -name exclude) /dev/null").Output()
			t.Fatalf("the tree:\n%s\n%s", out, ignores)
		}
	}
}

// namesHidden reports an include glob that begins with a literal directory, which is
// searched even if it is hidden or ignored.
func namesHidden(include string) bool {
	first, _, more := strings.Cut(strings.TrimPrefix(include, "/"), "/")
	return more && !strings.ContainsAny(first, "*?[")
}

func ourFiles(t *testing.T, p vfs.Provider, at vfs.Target, pattern string) (paths []string) {
	t.Helper()
	if _, err := search.Glob(t.Context(), p, vfs.GlobQuery{Dir: at, Pattern: pattern}, func(f vfs.FoundFile) bool {
		paths = append(paths, f.Path)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

func rgFiles(t *testing.T, rg, dir, pattern string) (paths []string) {
	t.Helper()
	cmd := exec.Command(rg, "--no-config", "--files", "--null", "--no-ignore", "--hidden", "--glob="+pattern, "--glob=!**/.git", "--glob=!**/.git/**")
	cmd.Dir = dir
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code > 1 {
		t.Fatalf("%q: %v", pattern, err)
	}
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" {
			paths = append(paths, strings.TrimPrefix(path, "./"))
		}
	}
	slices.Sort(paths)
	return paths
}
