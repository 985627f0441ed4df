package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestRipgrepFound: the first program on PATH is taken that does not lie where a model may
// write, whatever link leads there.
func TestRipgrepFound(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ripgrep is used on Linux only")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ws/bin", "safe", "link"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ws/bin/rg", "safe/rg"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "ws/bin/rg"), filepath.Join(dir, "link/rg")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "safe"))
	ws, link, safe := filepath.Join(dir, "ws"), filepath.Join(dir, "link"), filepath.Join(dir, "safe")
	for _, c := range []struct {
		rule, path string
		dirs       []string
		want       string
	}{
		{"outside", safe, []string{ws}, safe + "/rg"},
		{"below a root", ws + "/bin:" + safe, []string{ws}, safe + "/rg"},
		{"a link to below a root", link + ":" + safe, []string{ws}, safe + "/rg"},
		{"nowhere else", ws + "/bin", []string{ws}, ""},
		{"a directory that is relative", ".", []string{ws}, ""},
		{"a root like its name", safe, []string{dir + "/sa"}, safe + "/rg"},
	} {
		t.Setenv("PATH", c.path)
		if got := ripgrep(c.dirs); got != c.want {
			t.Errorf("%s: %q", c.rule, got)
		}
	}
}
