package ripgrep

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func programs(t *testing.T) []string {
	t.Helper()
	list := filepath.SplitList(os.Getenv("TOOLFS_RG"))
	if len(list) == 0 {
		list = []string{"rg"}
	}
	for i, name := range list {
		path, err := exec.LookPath(name)
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

func openDir(t *testing.T, dir string) int {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return int(f.Fd())
}

// TestSieve: exactly the files that hold nothing are known, whatever the environment and
// a configuration file say, and although the directory was moved and another put there.
func TestSieve(t *testing.T) {
	files := map[string]string{
		"plain": "text\n", "empty": "", "sub/deep/x": "text", "-x": "text", "new\nline": "text", "bad\xff": "text\xff", "crlf": "a\r\n",
		"+match": "a needle\n", "+nul": "text\x00", "+late nul": strings.Repeat("text\n", 100_000) + "\x00",
		"+utf8 mark": "\ufefftext", "+utf16": "\xff\xfet\x00", "+utf16 without NUL": "\xfe\xffAB", "+gb18030": "\x84\x31\x95\x33",
	}
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("--text\n--glob=!plain\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RIPGREP_CONFIG_PATH", config)
	for _, program := range programs(t) {
		dir := filepath.Join(t.TempDir(), "d")
		var want, got []string
		for name, content := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			if name[0] != '+' {
				want = append(want, name)
			}
		}
		secret := t.TempDir()
		if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		fd := openDir(t, dir)
		if err := os.Rename(dir, dir+".moved"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, dir); err != nil {
			t.Fatal(err)
		}
		s, err := Start(t.Context(), Query{Program: program, Dir: fd, Expr: "needle"})
		if err != nil {
			t.Fatal(err)
		}
		for name := range files {
			if s.Without(t.Context(), name) {
				got = append(got, name)
			}
		}
		s.Close()
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || len(s.known) != len(want) {
			t.Errorf("%s: %q and %d in all, not %q", program, got, len(s.known), want)
		}
	}
}

// TestNothingIsAFlag: no glob and no expression is taken for anything else.
func TestNothingIsAFlag(t *testing.T) {
	q := Query{Expr: "--pre=x", Include: "--follow"}
	args := arguments(q)
	end := slices.Index(args, "--")
	if end != len(args)-2 || args[end-1] != "--regexp="+q.Expr+marks || args[end-2] != "--glob="+q.Include {
		t.Errorf("%q", args)
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, "--pre") || arg == "--follow" || arg == "-L" {
			t.Errorf("%q", args)
		}
	}
}

// TestEnd: a program that does not end is ended, with all that it started, within a
// moment; and half of the time is left.
func TestEnd(t *testing.T) {
	script := filepath.Join(t.TempDir(), "rg")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf './a\\0./b'\n/bin/sleep 600 &\n/bin/sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := openDir(t, t.TempDir())
	for _, deadline := range []time.Duration{0, 2 * time.Second} {
		ctx, cancel := context.WithCancel(t.Context())
		if deadline > 0 {
			ctx, cancel = context.WithTimeout(t.Context(), deadline)
		}
		s, err := Start(ctx, Query{Program: script, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if deadline > 0 {
			if !s.Without(ctx, "a") || s.Without(ctx, "b") || ctx.Err() != nil {
				t.Error("what it had said by half of the time is not used")
			}
		} else {
			time.Sleep(100 * time.Millisecond)
		}
		start := time.Now()
		cancel()
		s.Close()
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("it took %v to end", took)
		}
	}
}

// TestNoProgram: what cannot be started is an error, and a program that says nothing, or
// is none, knows of nothing.
func TestNoProgram(t *testing.T) {
	dir := openDir(t, t.TempDir())
	if _, err := Start(t.Context(), Query{Program: "/nonexistent/rg", Dir: dir}); err == nil {
		t.Error("there is no such program")
	}
	if _, err := Start(t.Context(), Query{Program: "/bin/true", Dir: dir, Include: "a\x00b"}); err == nil {
		t.Error("a NUL is no part of an argument")
	}
	s, err := Start(t.Context(), Query{Program: "/bin/false", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Without(t.Context(), "a") {
		t.Error("it said nothing")
	}
}
