//go:build unix

package search_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bare shows no capability but what a walk needs to tell links.
type bare struct{ vfs.Provider }

func (b bare) Lstat(ctx context.Context, base, name string) (vfs.Info, error) {
	return vfs.Lstat(ctx, b.Provider, base, name)
}

// worlds runs a test on each kind of provider: put makes a file or, with a name that
// ends in "@", a link to content.
func worlds(t *testing.T, test func(t *testing.T, p vfs.Provider, root vfs.Target, put func(name, content string))) {
	t.Helper()
	onDisk := func(wrap func(vfs.Provider) vfs.Provider) func(t *testing.T) {
		return func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			disk, root := local(t, dir)
			test(t, wrap(disk), root, func(name, content string) { putOnDisk(t, filepath.Join(dir, name), content) })
		}
	}
	t.Run("disk", onDisk(func(p vfs.Provider) vfs.Provider { return p }))
	t.Run("composed", onDisk(func(p vfs.Provider) vfs.Provider { return bare{p} }))
	t.Run("memory", func(t *testing.T) {
		m := memfs.New(memfs.Options{Roots: []string{"/w"}})
		root, err := m.Resolve(t.Context(), "", "/w")
		if err != nil {
			t.Fatal(err)
		}
		test(t, m, root, func(name, content string) {
			if link, ok := strings.CutSuffix(name, "@"); ok {
				err = m.Symlink(content, "/w/"+link)
			} else {
				err = m.WriteFile("/w/"+name, content)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	})
}

func putOnDisk(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	err := error(nil)
	if link, ok := strings.CutSuffix(path, "@"); ok {
		err = os.Symlink(content, link)
	} else {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// globs gives the paths that match, sorted.
func globs(t *testing.T, p vfs.Provider, root vfs.Target, pattern string) string {
	t.Helper()
	var paths []string
	_, err := search.Glob(t.Context(), p, vfs.GlobQuery{Dir: root, Pattern: pattern}, func(f vfs.FoundFile) bool {
		paths = append(paths, f.Path)
		return true
	})
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	slices.Sort(paths)
	return strings.Join(paths, "|")
}

func TestGlob(t *testing.T) {
	worlds(t, func(t *testing.T, p vfs.Provider, root vfs.Target, put func(name, content string)) {
		for _, name := range []string{"a.go", "src/b.go", "src/deep/c.go", ".github/w/ci.yml", ".git/config", "dist/app.js", "-x", "new\nline", "bad\xff", " ", "src/.svn/x"} {
			put(name, "")
		}
		put(".gitignore", "dist/\n")
		put("lnk@", "src")
		put("file.go@", "a.go")
		put("src/up@", "..")
		put("gone@", "nowhere")
		for _, c := range []struct{ rule, pattern, want string }{
			{"names anywhere", "*.go", "a.go|src/b.go|src/deep/c.go"},
			{"hidden and ignored files are files", "**/*.{yml,js}", ".github/w/ci.yml|dist/app.js"},
			{"a literal start is gone to", ".github/**/*.yml", ".github/w/ci.yml"},
			{"a literal path is a file", "dist/app.js", "dist/app.js"},
			{"a literal path is no directory", "src/deep", ""},
			{"what is not there", "none/*", ""},
			{"below a file is nothing", "a.go/*", ""},
			{"version control's own files never", "**/*config", ""},
			{"nor by their names", ".git/config", ""},
			{"nor below others", "src/**/x", ""},
			{"a link is followed where it is named", "lnk/*.go", "lnk/b.go"},
			{"a link to a file is followed where it is named", "/file.go", "file.go"},
			{"links on the way are not", "**/b.go", "src/b.go"},
			{"a bound depth", "*/*.go", "src/b.go"},
			{"not what it matches", "!**/*.go", " |-x|.github/w/ci.yml|.gitignore|bad\xff|dist/app.js|new\nline"},
			{"odd names", "?*l*ne", "new\nline"},
			{"a leading dash", "-x", "-x"},
		} {
			if got := globs(t, p, root, c.pattern); got != c.want {
				t.Errorf("%s: %q gives %q, not %q", c.rule, c.pattern, got, c.want)
			}
		}
	})
}

func TestGrep(t *testing.T) {
	worlds(t, func(t *testing.T, p vfs.Provider, root vfs.Target, put func(name, content string)) {
		put("b.txt", "needle\nhay\r\nneedle here\r\n")
		put("a/x.txt", "needle\n")
		put("a.txt", "needle")
		put(".hidden/f", "needle\n")
		put(".env", "needle\n")
		put("binary", "needle\n\x00")
		put("latin", "needle \xff\n")
		put("utf16", "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00\n\x00")
		put("utf32", "\xff\xfe\x00\x00n\x00\x00\x00")
		put("broken16", "\xff\xfen\x00e")
		put("bom", "\xef\xbb\xbfneedle\n")
		put("lnk@", "a.txt")
		put("dir@", "a")
		put("empty", "")
		got, report := grepLines(t, p, vfs.GrepQuery{Dir: root, Pattern: "^needle"})
		want := []string{"a/x.txt:1:needle", "a.txt:1:needle", "b.txt:1:needle", "b.txt:3:needle here", "bom:1:needle", "latin:1:needle \xff", "utf16:1:needle"}
		if !slices.Equal(got, want) {
			t.Errorf("it gives %q, not %q", got, want)
		}
		report.UnreadablePath = nil
		if fmt.Sprint(report) != fmt.Sprint(vfs.SearchReport{Binary: 1, Undecodable: 2, Hidden: 2}) {
			t.Errorf("left out: %+v", report)
		}
		for _, c := range []struct{ rule, include, want string }{
			{"names", "*.txt", "a/x.txt:1:needle a.txt:1:needle b.txt:1:needle b.txt:3:needle here"},
			{"from where the search starts", "/a/*", "a/x.txt:1:needle"},
			{"hidden files that it names", ".env", ".env:1:needle"},
			{"hidden directories that it names", ".hidden/*", ".hidden/f:1:needle"},
			{"nothing", "*.none", ""},
		} {
			got, _ := grepLines(t, p, vfs.GrepQuery{Dir: root, Pattern: "needle", Include: c.include})
			if strings.Join(got, " ") != c.want {
				t.Errorf("include %s: %q gives %q, not %q", c.rule, c.include, got, c.want)
			}
		}
		for name, want := range map[string]string{".env": ":1:needle", "lnk": ":1:needle", "binary": ":1:needle"} {
			at, err := p.Resolve(t.Context(), root.Path, name)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := grepLines(t, p, vfs.GrepQuery{Dir: at, Pattern: "needle"}); strings.Join(got, " ") != want {
				t.Errorf("a file that was asked for: %s gives %q", name, got)
			}
		}
	})
}

// TestGrepIgnores: .gitignore counts below .git only, .ignore everywhere, the nearest
// first; above the start too.
func TestGrepIgnores(t *testing.T) {
	worlds(t, func(t *testing.T, p vfs.Provider, root vfs.Target, put func(name, content string)) {
		put("plain/.gitignore", "skipped\n")
		put("plain/skipped", "needle\n")
		put("plain/.ignore", "other\n")
		put("plain/other", "needle\n")
		put("repo/.git/info/exclude", "excluded\n")
		put("repo/.gitignore", "*.log\n!keep.log\n/anchored\nbuild/\n!.shown\n")
		for _, name := range []string{"a.log", "keep.log", "anchored", "sub/anchored", "build/x", "excluded", ".shown", "sub/kept.log", "global"} {
			put("repo/"+name, "needle\n")
		}
		put("repo/sub/.gitignore", "!kept.log\n")
		global := []byte("global\n")
		got, report := grepLines(t, p, vfs.GrepQuery{Dir: root, Pattern: "needle", GlobalIgnore: global})
		want := []string{"plain/skipped:1:needle", "repo/.shown:1:needle", "repo/keep.log:1:needle", "repo/sub/anchored:1:needle", "repo/sub/kept.log:1:needle"}
		if !slices.Equal(got, want) {
			t.Errorf("it gives %q, not %q", got, want)
		}
		if report.Ignored != 6 {
			t.Errorf("%d ignored", report.Ignored)
		}
		sub, err := p.Resolve(t.Context(), root.Path, "repo/sub")
		if err != nil {
			t.Fatal(err)
		}
		put("repo/sub/x.log", "needle\n")
		if got, _ := grepLines(t, p, vfs.GrepQuery{Dir: sub, Pattern: "needle"}); !slices.Equal(got, []string{"anchored:1:needle", "kept.log:1:needle"}) {
			t.Errorf("below the repository it gives %q", got)
		}
		if got, _ := grepLines(t, p, vfs.GrepQuery{Dir: root, Pattern: "needle", Include: "a.log"}); !slices.Equal(got, []string{"repo/a.log:1:needle"}) {
			t.Errorf("of an ignored file that is named it gives %q", got)
		}
	})
}

// TestSpecials: nothing that is no file is opened, and nothing stops a search.
func TestSpecials(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Skip(err)
	}
	putOnDisk(t, filepath.Join(dir, "z"), "needle\n")
	putOnDisk(t, filepath.Join(dir, "-e"), "needle\n")
	putOnDisk(t, filepath.Join(dir, "n\nl"), "needle\n")
	disk, root := local(t, dir)
	for _, p := range []vfs.Provider{disk, bare{disk}} {
		if got, _ := grepLines(t, p, vfs.GrepQuery{Dir: root, Pattern: "needle"}); !slices.Equal(got, []string{"-e:1:needle", "n\nl:1:needle", "z:1:needle"}) {
			t.Errorf("it gives %q", got)
		}
		if got := globs(t, p, root, "*"); got != "-e|n\nl|z" {
			t.Errorf("it gives %q", got)
		}
	}
}

// denying refuses some paths, as a policy would.
type denying struct {
	vfs.Provider
	denied string
}

func (d denying) refuse(t vfs.Target) error {
	if strings.Contains(t.Path, d.denied) {
		return &vfs.Error{Op: "read", Path: t.Path, Code: vfs.CodePermissionDenied, Msg: "permission denied"}
	}
	return nil
}

func (d denying) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	if err := d.refuse(t); err != nil {
		return nil, err
	}
	return d.Provider.Open(ctx, t)
}

func (d denying) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	if err := d.refuse(t); err != nil {
		return func(yield func(vfs.Entry, error) bool) { yield(vfs.Entry{}, err) }
	}
	return d.Provider.ReadDir(ctx, t)
}

// TestRefusals: what a provider refuses is counted, and the rest is found.
func TestRefusals(t *testing.T) {
	m := memfs.New(memfs.Options{})
	for _, name := range []string{"/a/secret/f", "/a/x", "/secret-file", "/z"} {
		if err := m.WriteFile(name, "needle\n"); err != nil {
			t.Fatal(err)
		}
	}
	p := denying{m, "secret"}
	root := vfs.Target{Key: "/", Path: "/"}
	got, report := grepLines(t, p, vfs.GrepQuery{Dir: root, Pattern: "needle"})
	if !slices.Equal(got, []string{"a/x:1:needle", "z:1:needle"}) || report.Unreadable != 2 || !slices.Equal(report.UnreadablePath, []string{"a/secret", "secret-file"}) {
		t.Errorf("it gives %q, %+v", got, report)
	}
	if got := globs(t, p, root, "**"); got != "a/x|secret-file|z" {
		t.Errorf("it gives %q", got)
	}
}

// slow lets a test decide when a directory is read.
type slow struct {
	vfs.Provider
	reading func(dir string)
}

func (s slow) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	s.reading(t.Path)
	return s.Provider.ReadDir(ctx, t)
}

// TestEnds: however a search is ended, what was found by then is given, and why.
func TestEnds(t *testing.T) {
	m := memfs.New(memfs.Options{})
	for i := range 50 {
		if err := m.WriteFile(fmt.Sprintf("/%02d/f", i), "needle\n"); err != nil {
			t.Fatal(err)
		}
	}
	root := vfs.Target{Key: "/", Path: "/"}
	for name, c := range map[string]struct {
		want vfs.StopReason
		ctx  func(context.Context) (context.Context, context.CancelFunc)
	}{
		"cancelled": {vfs.StoppedByCaller, context.WithCancel},
		"deadline": {vfs.StoppedByDeadline, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Now().Add(time.Hour))
		}},
	} {
		for _, tool := range []string{"glob", "grep"} {
			ctx, cancel := c.ctx(t.Context())
			if name == "deadline" {
				cancel()
				ctx, cancel = deadlineOnDemand(t.Context())
			}
			end := cancel
			p := slow{m, func(dir string) {
				if dir == "/20" {
					end()
				}
			}}
			found := 0
			var report vfs.SearchReport
			var err error
			if tool == "glob" {
				report, err = search.Glob(ctx, p, vfs.GlobQuery{Dir: root, Pattern: "f"}, func(vfs.FoundFile) bool { found++; return true })
			} else {
				report, err = search.Grep(ctx, p, vfs.GrepQuery{Dir: root, Pattern: "needle"}, func(vfs.FoundLines) bool { found++; return true })
			}
			cancel()
			if err != nil || report.Stopped != c.want || tool == "glob" && found != 20 || found > 20 {
				t.Errorf("%s %s: %d found, %+v, %v", tool, name, found, report, err)
			}
		}
	}
	found := 0
	report, err := search.Grep(t.Context(), m, vfs.GrepQuery{Dir: root, Pattern: "needle"}, func(vfs.FoundLines) bool { found++; return found < 3 })
	if err != nil || found != 3 || report.Stopped != vfs.StoppedByBudget {
		t.Errorf("with enough: %d found, %+v, %v", found, report, err)
	}
}

// deadlineOnDemand is a context whose deadline passes when it is told to.
func deadlineOnDemand(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	return passed{ctx}, cancel
}

type passed struct{ context.Context }

func (p passed) Err() error {
	if p.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func TestPatternErrors(t *testing.T) {
	m := memfs.New(memfs.Options{})
	root := vfs.Target{Key: "/", Path: "/"}
	_, glob := search.Glob(t.Context(), m, vfs.GlobQuery{Dir: root, Pattern: "["}, nil)
	_, grep := search.Grep(t.Context(), m, vfs.GrepQuery{Dir: root, Pattern: "("}, nil)
	_, include := search.Grep(t.Context(), m, vfs.GrepQuery{Dir: root, Pattern: "a", Include: "{"}, nil)
	for _, err := range []error{glob, grep, include} {
		if _, ok := err.(*search.PatternError); !ok {
			t.Errorf("%T %v", err, err)
		}
	}
	none := vfs.Target{Key: "/none", Path: "/none"}
	if _, err := search.Glob(t.Context(), m, vfs.GlobQuery{Dir: none, Pattern: "*"}, nil); vfs.CodeOf(err) != vfs.CodeNotFound {
		t.Errorf("%v", err)
	}
}
