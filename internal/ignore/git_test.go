package ignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is a directory tree for git to judge.
type tree struct {
	dirs, files []string
	excludes    string            // the global excludes file
	info        string            // .git/info/exclude
	ignores     map[string]string // .gitignore by directory
}

func (tr *tree) paths() []string { return append(append([]string(nil), tr.dirs...), tr.files...) }

// answer is a decision as git reports it.
type answer struct{ Source, Line, Pattern string }

func needGit(t *testing.T) {
	t.Helper()
	reason := ""
	if _, err := exec.LookPath("git"); err != nil {
		reason = "git is not installed"
	} else if runtime.GOOS != "linux" {
		reason = "names of any bytes in any case need Linux"
	}
	if reason == "" {
		return
	}
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// build puts a tree on the disk and returns the repository and the excludes file.
func (tr *tree) build(t *testing.T) (repo, excludes, config string) {
	t.Helper()
	base := t.TempDir()
	repo, excludes, config = filepath.Join(base, "repo"), filepath.Join(base, "excludes"), filepath.Join(base, "config")
	for _, dir := range append([]string{".git/objects", ".git/refs", ".git/info"}, tr.dirs...) {
		if err := os.MkdirAll(filepath.Join(repo, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, content string) {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(repo, ".git/HEAD"), "ref: refs/heads/main\n")
	put(filepath.Join(repo, ".git/info/exclude"), tr.info)
	put(excludes, tr.excludes)
	put(config, "[core]\n\texcludesFile = "+excludes+"\n")
	for _, file := range tr.files {
		put(filepath.Join(repo, file), "")
	}
	for dir, content := range tr.ignores {
		put(filepath.Join(repo, dir, ".gitignore"), content)
	}
	return repo, excludes, config
}

// ask has git judge all paths of a tree that it built.
func ask(t *testing.T, repo, config string, paths []string) []answer {
	t.Helper()
	git := exec.Command("git", "check-ignore", "--no-index", "--verbose", "--non-matching", "--stdin", "-z")
	git.Dir = repo
	git.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(config), "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + config,
	}
	var stdin strings.Builder
	for _, p := range paths { // a colon at the start would be magic
		stdin.WriteString("./" + p + "\x00")
	}
	git.Stdin = strings.NewReader(stdin.String())
	var stderr bytes.Buffer
	git.Stderr = &stderr
	out, err := git.Output()
	if code := git.ProcessState.ExitCode(); code != 0 && code != 1 { // 1: none is ignored
		t.Fatalf("git check-ignore: %v: %s", err, &stderr)
	}
	fields := strings.Split(string(out), "\x00")
	if len(fields) != 4*len(paths)+1 {
		t.Fatalf("git gave %d fields for %d paths", len(fields), len(paths))
	}
	answers := make([]answer, len(paths))
	for i := range answers {
		f := fields[4*i : 4*i+4]
		if f[3] != "./"+paths[i] {
			t.Fatalf("git answered about %q, not %q", f[3], paths[i])
		}
		answers[i] = answer{Source: f[0], Line: f[1], Pattern: f[2]}
	}
	return answers
}

// layers are what Decide gets for the tree, in git's order.
func (tr *tree) layers(excludes string) []Layer {
	layers := []Layer{
		{Rules: Parse([]byte(tr.excludes), Options{}), Source: excludes},
		{Rules: Parse([]byte(tr.info), Options{}), Source: ".git/info/exclude"},
	}
	for _, dir := range append([]string{""}, tr.dirs...) {
		if content, ok := tr.ignores[dir]; ok {
			layers = append(layers, Layer{Rules: Parse([]byte(content), Options{}), Dir: dir, Source: filepath.Join(dir, ".gitignore")})
		}
	}
	return layers
}

// compare holds Decide to what git says about every path of a tree, and counts verdicts.
func (tr *tree) compare(t *testing.T, verdicts map[Verdict]int) bool {
	t.Helper()
	repo, excludes, config := tr.build(t)
	layers := tr.layers(excludes)
	want := ask(t, repo, config, tr.paths())
	same := true
	for i, path := range tr.paths() {
		d := Decide(layers, path, i < len(tr.dirs))
		verdicts[d.Verdict]++
		var got answer
		if d.Pattern != nil {
			got = answer{Source: d.Source, Line: strconv.Itoa(d.Pattern.Line), Pattern: d.Pattern.Text}
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			same = false
			t.Errorf("%q (-git +here):\n%s", path, diff)
		}
	}
	return same
}

// TestAsGit compares random trees. TOOLFS_IGNORE_TREES asks for more of them,
// TOOLFS_IGNORE_SEED for others.
func TestAsGit(t *testing.T) {
	needGit(t)
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	trees, seed := number("TOOLFS_IGNORE_TREES", 150), number("TOOLFS_IGNORE_SEED", 1)
	verdicts := map[Verdict]int{}
	for i := range trees {
		g := generator{rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
		tr := g.tree()
		if !tr.compare(t, verdicts) {
			t.Fatalf("seed %d, tree %d:\n%s", seed, i, tr)
		}
	}
	t.Logf("%d trees: %v", trees, verdicts)
	// Were one of these rare, the comparison would say little.
	for _, v := range []Verdict{None, Ignored, Included} {
		if verdicts[v] < 3*trees/2 {
			t.Errorf("only %d paths are %v", verdicts[v], v)
		}
	}
}

func (tr *tree) String() string {
	s := fmt.Sprintf("excludes: %q\ninfo: %q\n", tr.excludes, tr.info)
	for dir, content := range tr.ignores {
		s += fmt.Sprintf("%q: %q\n", dir, content)
	}
	return s
}

// TestRowsAreAsGit holds the table to git: what it says is a fact, not an opinion.
func TestRowsAreAsGit(t *testing.T) {
	needGit(t)
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			want, got := map[Verdict]int{}, map[Verdict]int{}
			tr := &tree{ignores: map[string]string{"": r.file}}
			flush := func() {
				tr.compare(t, got)
				tr.dirs, tr.files = nil, nil
			}
			r.each(func(path string, isDir bool, v Verdict) {
				if !tr.take(path, isDir) { // it is a file in one case, a directory in another
					flush()
					tr.take(path, isDir)
				}
				want[v]++
			})
			flush()
			for v, n := range want { // the directories above come on top
				if got[v] < n {
					t.Errorf("%d paths are %v, want %d", got[v], v, n)
				}
			}
		})
	}
}

// take adds a path and the directories above it, unless something else is in the way.
func (tr *tree) take(path string, isDir bool) bool {
	if slices.Contains(tr.files, path) || !isDir && slices.Contains(tr.dirs, path) {
		return false
	}
	if above := filepath.Dir(path); above != "." && !tr.take(above, true) {
		return false
	}
	if !isDir {
		tr.files = append(tr.files, path)
	} else if !slices.Contains(tr.dirs, path) {
		tr.dirs = append(tr.dirs, path)
	}
	return true
}

// TestClassesAreAsGit compares every named class for every byte that a name can have.
func TestClassesAreAsGit(t *testing.T) {
	needGit(t)
	tr := &tree{ignores: map[string]string{}}
	for _, class := range []string{"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"} {
		tr.dirs = append(tr.dirs, class)
		tr.ignores[class] = "x[[:" + class + ":]]"
		for c := 1; c < 256; c++ {
			if c != '/' {
				tr.files = append(tr.files, class+"/x"+string([]byte{byte(c)}))
			}
		}
	}
	verdicts := map[Verdict]int{}
	tr.compare(t, verdicts)
	t.Log(verdicts)
}
