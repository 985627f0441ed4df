package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGlobalIgnore: the person's own excludes file is found where git finds it.
func TestGlobalIgnore(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	put := func(name, content string) {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is := func(rule, want string) {
		t.Helper()
		if got := string(globalIgnore()); got != want {
			t.Errorf("%s: %q, not %q", rule, got, want)
		}
	}
	is("none", "")
	put(".config/git/ignore", "default")
	is("the default", "default")
	put(".config/git/config", "[user]\n\texcludesFile = no\n[core]\n\texcludesfile = ~/mine\n")
	put("mine", "mine")
	is("a configured one", "mine")
	put(".gitconfig", "[Core]\nexcludesFile = \""+home+"/other\"\n")
	put("other", "other")
	is("the later file counts", "other")
}
