package search_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// ripgrep finds the search program that results are compared with: the first that
// TOOLFS_RG lists, or rg.
func ripgrep(t testing.TB) string {
	t.Helper()
	name, _, _ := strings.Cut(os.Getenv("TOOLFS_RG"), string(filepath.ListSeparator))
	if name == "" {
		name = "rg"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no ripgrep to compare with (set TOOLFS_RG): %v", err)
	}
	return path
}

func local(t testing.TB, dir string) (*localfs.FS, vfs.Target) {
	t.Helper()
	disk, err := localfs.Root([]string{dir}, localfs.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	at, err := disk.Resolve(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	return disk, at
}

// grepLines gives what a search finds as "path:line:text".
func grepLines(t testing.TB, p vfs.Provider, q vfs.GrepQuery) ([]string, vfs.SearchReport) {
	t.Helper()
	var lines []string
	report, err := search.Grep(t.Context(), p, q, func(f vfs.FoundLines) bool {
		for _, l := range f.Lines {
			lines = append(lines, lineText(f.Path, l.Number, l.Text, l.Cut))
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, report
}

func lineText(path string, number int, text string, long bool) string {
	if long {
		text = "(long)"
	}
	return fmt.Sprintf("%s:%d:%s", path, number, text)
}

type rgText struct {
	Text  *string
	Bytes *string
}

func (r rgText) String() string {
	if r.Bytes != nil {
		b, _ := base64.StdEncoding.DecodeString(*r.Bytes)
		return string(b)
	}
	if r.Text == nil {
		return ""
	}
	return *r.Text
}

// rgLines is the same by ripgrep, but for files in which it came upon a NUL.
func rgLines(t testing.TB, rg, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(rg, append([]string{"--no-config", "--json", "--sort=path"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok && failed.ExitCode() > 1 && !bytes.Contains(failed.Stderr, []byte("No files were searched")) {
		t.Fatalf("rg %q: %v, %s", args, err, failed.Stderr)
	}
	var lines []string
	from := 0
	in := bufio.NewReader(bytes.NewReader(out))
	for {
		record, err := in.ReadBytes('\n')
		if err != nil {
			return lines
		}
		var r struct {
			Type string
			Data struct {
				Path, Lines  rgText
				LineNumber   int  `json:"line_number"`
				BinaryOffset *int `json:"binary_offset"`
			}
		}
		if err := json.Unmarshal(record, &r); err != nil {
			t.Fatal(err)
		}
		switch r.Type {
		case "begin":
			from = len(lines)
		case "match":
			text := strings.TrimSuffix(strings.TrimSuffix(r.Data.Lines.String(), "\n"), "\r")
			lines = append(lines, lineText(strings.TrimPrefix(r.Data.Path.String(), "./"), r.Data.LineNumber, text, len(text) > vfs.MaxFoundLine))
		case "end":
			if r.Data.BinaryOffset != nil {
				lines = lines[:from]
			}
		}
	}
}

// goSources is where the sources of Go are: a large tree that is always there.
func goSources(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src")
}

// TestAgainstRipgrep: on a large tree the lines found are those of the search program.
func TestAgainstRipgrep(t *testing.T) {
	rg := ripgrep(t)
	if raceEnabled || testing.Short() {
		t.Skip("a hundred megabytes without a literal to look for take too long here; the random trees are compared")
	}
	dir := goSources(t)
	disk, at := local(t, dir)
	for _, c := range []struct{ pattern, include string }{
		{"strings.Builder", ""}, {`func \w+Handler\(`, ""}, {`(?i)kelvin|todo`, ""}, {`^import \($`, "*_test.go"},
		{`\bétude\b|naïve|\bpanic\b`, ""}, {`[^\x00-\x7f]`, "*.go"}, {`\d{5,}`, "*.s"}, {`\s$`, "*.md"}, {`x`, "/net/*.go"},
		{`^$`, "/net/http/**"}, {`\w+é`, ""}, {`package`, "{net,os}/*.{go,s}"}, {`.{400}`, "*.go"},
		{`\w+\s+\w+;`, ""}, {`[A-Z]{2}\d+$`, ""}, {`\b\w{25,}\b`, "*.go"}, {`\PL[а-яё]+\d?$|\d{9,}`, ""},
	} {
		args := []string{"--regexp=" + c.pattern}
		if c.include != "" {
			args = append(args, "--glob="+c.include)
		}
		want := rgLines(t, rg, dir, args...)
		got, _ := grepLines(t, disk, vfs.GrepQuery{Dir: at, Pattern: c.pattern, Include: c.include})
		t.Logf("%s %s: %d lines", c.pattern, c.include, len(got))
		compareLines(t, fmt.Sprintf("%q in %q", c.pattern, c.include), got, want)
	}
}

func compareLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	has := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, l := range list {
			m[l] = true
		}
		return m
	}
	ours, theirs := has(got), has(want)
	n := 0
	for _, l := range got {
		if !theirs[l] && n < 5 {
			n++
			t.Errorf("%s: only we have %.200q", what, l)
		}
	}
	for _, l := range want {
		if !ours[l] && n < 10 {
			n++
			t.Errorf("%s: only ripgrep has %.200q", what, l)
		}
	}
	if n == 0 {
		t.Errorf("%s: %d and %d lines, in another order", what, len(got), len(want))
	}
}
