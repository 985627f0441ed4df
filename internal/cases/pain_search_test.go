//go:build linux

package cases_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/vfs"
)

func glob(pattern string) args { return args{"pattern": pattern} }

var searchCases = cases{
	// A match in the middle of a very long line is shown with what is around it.
	"60": func(t *testing.T) {
		w := newWorld(t)
		w.file("bundle.js", strings.Repeat("x", 250_000)+" needle "+strings.Repeat("é", 125_000)+"\nsecond needle\n")
		got := w.ok("grep", args{"pattern": "needle"})
		if len(got) > 5000 || !strings.Contains(got, "x needle é") || !strings.Contains(got, "(line truncated)") || !strings.Contains(got, "Line 2: second needle") {
			t.Errorf("%d bytes: %s", len(got), brief(got))
		}
	},

	// An answer has bounds, whatever is found; what is ignored is not searched.
	"63": func(t *testing.T) {
		w := newWorld(t, func(o *toolfs.Options) { o.Search.ResultsDir = t.TempDir() })
		w.must(os.Mkdir(w.path(".git"), 0o755))
		w.file(".gitignore", "node_modules/\n")
		for i := range 400 {
			w.file(fmt.Sprintf("node_modules/p%d/index.js", i), "needle\n")
			w.file(fmt.Sprintf("src/f%03d.js", i), "a needle\n")
		}
		got := w.ok("grep", args{"pattern": "needle"})
		if !strings.HasPrefix(got, "Found 250 of 400 matches\n\nsrc/f000.js\nLine 1: a needle\n\nsrc/f001.js\n") || len(got) > 20_000 {
			t.Errorf("%d bytes: %s", len(got), brief(got))
		}
		_, stored, ok := strings.Cut(got, "(Full grep result stored at: ")
		stored, _, _ = strings.Cut(stored, ". ")
		all, err := os.ReadFile(stored)
		if !ok || err != nil || strings.Count(string(all), "Line 1: a needle\n") != 400 {
			t.Errorf("stored at %q: %v", stored, err)
		}
	},

	// A segment with a dot matches itself.
	"78": func(t *testing.T) {
		w := newWorld(t)
		w.file(".github/workflows/ci.yml", "on: push\n")
		w.says(w.ok("glob", glob(".github/**/*.yml")), ".github/workflows/ci.yml")
		w.says(w.ok("grep", args{"pattern": "push", "include": ".github/**"}), "Found 1 match\n\n.github/workflows/ci.yml\nLine 1: on: push")
	},

	// An ignored file is found by its path; what a search passed over, it says.
	"79": func(t *testing.T) {
		w := newWorld(t)
		w.must(os.Mkdir(w.path(".git"), 0o755))
		w.file(".gitignore", "dist/\n")
		w.file("dist/app.js", "needle\n")
		w.says(w.ok("glob", glob("dist/app.js")), "dist/app.js")
		w.says(w.ok("glob", glob("app.js")), "dist/app.js")
		w.says(w.ok("grep", args{"pattern": "needle"}), "No matches found\n\n(Not searched: 1 hidden entry, 1 ignored entry. Name one as path to search it.)")
		w.says(w.ok("grep", args{"pattern": "needle", "path": "dist"}), "Found 1 match\n\ndist/app.js\nLine 1: needle")
	},

	// A link is followed where it is named, inside the roots; loops end.
	"81": func(t *testing.T) {
		w := confined(t)
		w.file("dir/f.txt", "needle\n")
		w.must(os.Symlink("dir", w.path("lnk")), os.Symlink("..", w.path("dir/up")), os.Symlink(w.out, w.path("outside")),
			os.WriteFile(w.out+"/secret.txt", []byte("needle\n"), 0o644))
		w.says(w.ok("glob", glob("lnk/*")), "lnk/f.txt")
		w.says(w.ok("glob", glob("**")), "dir/f.txt")
		w.says(w.ok("glob", glob("dir/up/dir/up/dir/*.txt")), "dir/up/dir/up/dir/f.txt")
		w.says(w.ok("grep", args{"pattern": "needle", "path": "lnk"}), "Found 1 match\n\nlnk/f.txt\nLine 1: needle")
		w.refused("grep", args{"pattern": "needle", "path": "outside"}, vfs.CodeSandboxDenied)
		w.refused("glob", args{"pattern": "*", "path": "outside"}, vfs.CodeSandboxDenied)
		if got := w.ok("glob", glob("outside/*")); strings.Contains(got, "secret") || !strings.Contains(got, `(Incomplete: 1 file or directory could not be read: "outside".)`) {
			t.Errorf("it says %q", got)
		}
	},

	// Of more files than fit, every top-level entry shows some, however old it is.
	"86": func(t *testing.T) {
		w := newWorld(t)
		for i := range 300 {
			w.file(fmt.Sprintf("build/deep/%d/out.o", i), "")
		}
		for _, name := range []string{"src/old.go", "README.md"} {
			w.file(name, "")
			w.must(os.Chtimes(w.path(name), time.Unix(1, 0), time.Unix(1, 0)))
		}
		got := w.ok("glob", glob("**"))
		for _, want := range []string{"\nsrc/old.go\n", "\nREADME.md\n", "(Showing 100 of 302 paths, sampled across 3 of the 3 top-level entries"} {
			if !strings.Contains(got, want) {
				t.Errorf("it does not say %q: %s", want, brief(got))
			}
		}
	},

	// No pattern is ever a flag.
	"87": func(t *testing.T) { noFlags(t, "--pre=/tmp/x.sh", "-i", "->", "-e") },
	"s8": func(t *testing.T) { noFlags(t, "--files", "--") },
}

func noFlags(t *testing.T, patterns ...string) {
	w := newWorld(t)
	for _, pattern := range patterns {
		w.file("f", "x "+pattern+" y\n")
		w.says(w.ok("grep", args{"pattern": pattern}), "Found 1 match\n\nf\nLine 1: x "+pattern+" y")
		w.says(w.ok("grep", args{"pattern": "x", "include": pattern}), "No matches found")
	}
	w.file("-x", "")
	w.says(w.ok("glob", glob("-x")), "-x")
}

// stopping ends a context once a directory of a name is read.
func stopping(w *world, at string, end func()) func(*toolfs.Options) {
	disk := w.disk
	return over(&double{Provider: disk, readDir: func(c context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
		if strings.HasSuffix(t.Path, at) {
			end()
		}
		return disk.ReadDir(c, t)
	}})
}

// A search that is stopped gives what it found, and never says that there is nothing.
func searchIsStopped(t *testing.T) {
	w := newWorld(t)
	w.file("a/f", "needle\n")
	w.file("z/f", "needle\n")
	for _, c := range []struct {
		at, tool string
		args     args
		want     string
	}{
		{"/z", "glob", glob("f"), "a/f\n\n(Incomplete: the search was cancelled before it was through.)"},
		{"/a", "glob", glob("f"), "No files found before the search was stopped\n\n(Incomplete: the search was cancelled before it was through.)"},
		{"/a", "grep", args{"pattern": "needle"}, "No matches found before the search was stopped\n\n(Incomplete: the search was cancelled before it was through.)"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		w.open(stopping(w, c.at, cancel))
		w.says(w.text(w.set.Execute(ctx, w.call(c.tool, c.args))), c.want)
		cancel()
	}
	// A deadline of the caller's own, which has passed by the time that a directory is read.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	w.open(stopping(w, "/z", func() { <-ctx.Done() }))
	got := w.text(w.set.Execute(ctx, w.call("glob", glob("f"))))
	if !strings.HasPrefix(got, "a/f\n\n(Incomplete: the search was stopped by its time limit") {
		t.Errorf("it says %q", got)
	}
}

// Of more than fits, the totals are said, and every directory is there.
func searchIsCut(t *testing.T) {
	w := newWorld(t)
	for i := range 75 {
		w.file(fmt.Sprintf("en/%03d", i), "needle\n")
		w.file(fmt.Sprintf("zz/%03d", i), "needle\n")
	}
	got := w.ok("glob", glob("**"))
	if !strings.Contains(got, "\n\n(Showing 100 of 150 paths, sampled across 2 of the 2 top-level entries") || strings.Count(got, "zz/") != 50 {
		t.Errorf("it says %s", brief(got))
	}
	w.open(func(o *toolfs.Options) { o.Limits.GrepMaxMatches = 100 })
	if got := w.ok("grep", args{"pattern": "needle"}); !strings.HasPrefix(got, "Found 100 of 150 matches\n") {
		t.Errorf("it says %s", brief(got))
	}
}

// However large a tree is, an answer is bounded.
func searchIsBounded(t *testing.T) {
	w := newWorld(t)
	w.open(over(&double{Provider: w.disk, readDir: func(context.Context, vfs.Target) iter.Seq2[vfs.Entry, error] {
		return func(yield func(vfs.Entry, error) bool) {
			for i := range 100_000 {
				if !yield(vfs.Entry{Name: fmt.Sprintf("%06d", i), Type: vfs.TypeOther}, nil) {
					return
				}
			}
		}
	}}))
	w.says(w.ok("glob", glob("**")), "No files found")
}
