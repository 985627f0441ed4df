//go:build !toolfs_portable

package localfs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// ripgreps gives the programs to try: those that TOOLFS_RG lists, or rg.
func ripgreps(t testing.TB) []string {
	t.Helper()
	list := filepath.SplitList(os.Getenv("TOOLFS_RG"))
	if len(list) == 0 {
		list = []string{"rg"}
	}
	for i, name := range list {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			if os.Getenv("TOOLFS_NO_SKIP") != "" {
				t.Fatalf("no ripgrep: %v", err)
			}
			t.Skipf("no ripgrep (set TOOLFS_RG to its path, or several): %v", err)
		}
		list[i] = path
	}
	return list
}

// engines gives a provider without a search program, and one for each that uses it.
func engines(t testing.TB, dir string, o localfs.Options) (native *localfs.FS, others []*localfs.FS) {
	t.Helper()
	open := func(rg string) *localfs.FS {
		o.NoSync, o.Ripgrep = true, rg
		disk, err := localfs.Root([]string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { disk.Close() })
		return disk
	}
	for _, rg := range ripgreps(t) {
		others = append(others, open(rg))
	}
	return open(""), others
}

// sifted is a whole result of a search.
type sifted struct {
	Found  []string
	Report vfs.SearchReport
	Err    string
}

func grepAll(ctx context.Context, p *localfs.FS, q vfs.GrepQuery) (s sifted) {
	var err error
	s.Report, err = search.Grep(ctx, p, q, func(f vfs.FoundLines) bool {
		for _, l := range f.Lines {
			s.Found = append(s.Found, fmt.Sprintf("%q %+v", f.Path, l))
		}
		return true
	})
	if err != nil {
		s.Err = err.Error()
	}
	return s
}

func globAll(ctx context.Context, p *localfs.FS, q vfs.GlobQuery) (s sifted) {
	var err error
	s.Report, err = search.Glob(ctx, p, q, func(f vfs.FoundFile) bool {
		s.Found = append(s.Found, fmt.Sprintf("%q %d", f.Path, f.ModTime))
		return true
	})
	slices.Sort(s.Found)
	if err != nil {
		s.Err = err.Error()
	}
	return s
}

// used reports whether the program was what searched, and not declined.
func used(t testing.TB, p *localfs.FS, q vfs.GrepQuery) bool {
	t.Helper()
	_, err := p.Grep(t.Context(), q, func(vfs.FoundLines) bool { return false })
	return err == nil
}

func sameSearch(t *testing.T, what string, got, want sifted) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	t.Errorf("%s: %d and %d lines, %+v and %+v, errors %q and %q", what, len(got.Found), len(want.Found), got.Report, want.Report, got.Err, want.Err)
	for i := range max(len(got.Found), len(want.Found)) {
		if i >= len(got.Found) || i >= len(want.Found) || got.Found[i] != want.Found[i] {
			t.Fatalf("from %.300v on, not %.300v", got.Found[min(i, len(got.Found)):], want.Found[min(i, len(want.Found)):])
		}
	}
}

// TestEnginesOnLargeTree: on the Go sources, both engines give the same.
func TestEnginesOnLargeTree(t *testing.T) {
	dir := goSources(t)
	native, others := engines(t, dir, localfs.Options{})
	at := resolved(t, native, dir)
	uses := 0
	for _, c := range largePatterns() {
		if c.Dir = at; raceEnabled || testing.Short() {
			c.Include = "/text/template/**" // the detector makes some expressions take minutes
		}
		want := grepAll(t.Context(), native, c)
		for i, rg := range others {
			sameSearch(t, fmt.Sprintf("program %d, %q in %q", i, c.Pattern, c.Include), grepAll(t.Context(), rg, c), want)
			if used(t, rg, c) {
				uses++
			}
		}
	}
	for _, pattern := range []string{"**/*_test.go", "*.s", "**", "net/**/*.go", "{a,b}*/*", "nothing", "[", "*/testdata/**"} {
		q := vfs.GlobQuery{Dir: at, Pattern: pattern}
		want := globAll(t.Context(), native, q)
		for _, rg := range others {
			sameSearch(t, pattern, globAll(t.Context(), rg, q), want)
		}
	}
	t.Logf("%d searches by a program", uses)
	if uses < 30*len(others) {
		t.Errorf("only %d searches were by a program", uses)
	}
}

func largePatterns() (list []vfs.GrepQuery) {
	for _, c := range [][2]string{
		{"strings.Builder"}, {`func \w+Handler\(`}, {"(?i)kelvin|todo"}, {`^import \($`, "*_test.go"}, {`\bétude\b|naïve|\bpanic\b`},
		{`[^\x00-\x7f]{3}`}, {`\d{9,}`}, {`\d{5,}`, "*.s"}, {`\s$`, "*.md"}, {"x", "/net/*.go"}, {"^$", "/net/http/**"}, {`\w+é`, "*_test.go"},
		{"package", "{net,os}/*.{go,s}"}, {".{400}", "/crypto/**"}, {"goleakish"}, {"(?i)nonexistentneedle"}, {`[A-Z]{30}`, "/crypto/**"},
		{`^\s*\}\s*$`, "/net/http/*.go"}, {"[а-я]+"}, {`\p{Greek}`}, {`\p{Han}{2}`}, {`"\\x[0-9a-f]{2}"`}, {`(?i)straße`}, {"(?i)yes|no such"},
		{`\t\t\t\t\t\t\t`}, {`\.\.\.\)$`, "*.go"}, {"a{1001}"}, {"(unclosed"}, {"go1", "[z-a]"}, {"go", "*.nonesuch"}, {`^// Copyright`, "*.s"},
		{`TODO\(\w+\)`}, {"func|type", "/sort/*"}, {`[[:punct:]]{12}`, "/text/**"}, {`\x{fffd}`}, {"é"}, {"é|ü|ö"}, {`\B-\B`, "/text/**"},
		{`^[^\s/]{70,}$`, "/testing/**"}, {`(foo|bar)+baz`}, {`\r`, "*.txt"}, {"#!/", "*"}, {`^\W+$`, "/regexp/**"}, {`0[xX][0-9a-fA-F]{16}\b`, "/math/**"},
	} {
		list = append(list, vfs.GrepQuery{Pattern: c[0], Include: c[1]})
	}
	return list
}

// TestEnginesOnRandomTrees: on trees of everything that a search program could take
// otherwise, both engines give the same.
func TestEnginesOnRandomTrees(t *testing.T) {
	trees := 300
	if raceEnabled || testing.Short() {
		trees = 40
	}
	uses, searches, lines := 0, 0, 0
	var total vfs.SearchReport
	for seed := range uint64(trees) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		dir := randomTree(t, rnd)
		o := localfs.Options{}
		if rnd.IntN(3) == 0 {
			o.IgnoreFile, o.Deny = ".aiignore", []string{"*.c", "/d*/a"}[:rnd.IntN(3)]
		}
		native, others := engines(t, dir, o)
		for range 3 {
			q := randomQuery(rnd)
			q.Dir = resolved(t, native, dir)
			want := grepAll(t.Context(), native, q)
			lines, searches = lines+len(want.Found), searches+1
			add(&total, want.Report)
			for i, rg := range others {
				sameSearch(t, fmt.Sprintf("seed %d, program %d, %q in %q", seed, i, q.Pattern, q.Include), grepAll(t.Context(), rg, q), want)
				if used(t, rg, q) {
					uses++
				}
			}
			g := vfs.GlobQuery{Dir: q.Dir, Pattern: pick(rnd, "*", "**/*.go", "d*/**", ".*", "{a,b}*", q.Include+"*")}
			files := globAll(t.Context(), native, g)
			for _, rg := range others {
				sameSearch(t, g.Pattern, globAll(t.Context(), rg, g), files)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d trees, %d searches, %d by a program, %d lines, %+v", trees, searches, uses, lines, total)
	if uses < searches/2 || lines < searches || total.Binary == 0 || total.Undecodable == 0 || total.Hidden == 0 || total.Ignored == 0 || total.Withheld == 0 {
		t.Error("the trees and patterns show too little")
	}
}

func add(sum *vfs.SearchReport, r vfs.SearchReport) {
	sum.Binary += r.Binary
	sum.Undecodable += r.Undecodable
	sum.Hidden += r.Hidden
	sum.Ignored += r.Ignored
	sum.Withheld += r.Withheld
	sum.Unreadable += r.Unreadable
}

// goSources is the directory of Go's own sources.
func goSources(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(strings.TrimSpace(string(root)), "src"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func resolved(t testing.TB, p *localfs.FS, dir string) vfs.Target {
	t.Helper()
	at, err := p.Resolve(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
