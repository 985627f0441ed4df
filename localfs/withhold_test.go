//go:build unix

package localfs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// hidden is a tree with things that its owner keeps from the tools.
func hidden(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".agentignore":        "secret/\n*.key\n!public.key\n/top.txt\n",
		"secret/a.txt":        "PRIVATE",
		"id.key":              "PRIVATE",
		"Public.KEY":          "PRIVATE",
		"public.key":          "open",
		"top.txt":             "PRIVATE",
		"sub/top.txt":         "open",
		"sub/.agentignore":    "!id.key\nown.txt\n",
		"sub/id.key":          "open",
		"sub/own.txt":         "PRIVATE",
		"sub/deep/own.txt":    "PRIVATE",
		"given/by/option.env": "PRIVATE",
		"plain.txt":           "open",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link.txt": "secret/a.txt", "linkdir": "secret"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func withholding(t *testing.T, dir string, o localfs.Options) map[string]*localfs.FS {
	o.IgnoreFile, o.Deny = ".agentignore", []string{"*.env"}
	root, err := localfs.Root([]string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Cwd = dir
	host, err := localfs.Host(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close(); host.Close() })
	return map[string]*localfs.FS{"root": root, "host": host}
}

// A withheld file is refused by every method in the same way, by whatever name; what is
// not withheld is not.
func TestWithheldIsTheSameForEveryMethod(t *testing.T) {
	dir := hidden(t)
	for name, p := range withholding(t, dir, localfs.Options{}) {
		for path, kept := range map[string]bool{
			"secret": true, "secret/a.txt": true, "secret/absent": true, "secret/new/dir": true, "link.txt": true,
			"linkdir/a.txt": true, "id.key": true, "Public.KEY": true, "absent.key": true, "top.txt": true, "sub/own.txt": true,
			"sub/deep/own.txt": true, "given/by/option.env": true, "sub/../secret/a.txt": true, "SECRET/x": true,
			"public.key": false, "sub/id.key": false, "sub/top.txt": false, "plain.txt": false, "sub": false, "given": false,
		} {
			t.Run(name+"/"+path, func(t *testing.T) {
				target, err := p.Resolve(t.Context(), "", path)
				if err != nil {
					t.Fatal(err)
				}
				_, statErr := p.Stat(t.Context(), target)
				_, _, readErr := vfs.ReadText(t.Context(), p, target)
				_, listErr := vfs.ListDir(t.Context(), p, target)
				var writeErr error
				if kept {
					_, writeErr = vfs.WriteText(t.Context(), p, target, "x", vfs.WriteOptions{})
				}
				for what, err := range map[string]error{"stat": statErr, "read": readErr, "list": listErr, "write": writeErr} {
					refused := vfs.CodeOf(err) == vfs.CodePermissionDenied && strings.Contains(err.Error(), "withheld from the tools by ")
					if refused != kept {
						t.Errorf("%s: %v", what, err)
					}
				}
				access, err := p.Explain(t.Context(), target, sandbox.Policy{})
				if err != nil || access.Read.Allowed == kept || kept && access.Write.Allowed {
					t.Errorf("explained as %+v, %v", access, err)
				}
			})
		}
		for _, gone := range []string{"secret/absent", "secret/new", "absent.key"} {
			if _, err := os.Lstat(filepath.Join(dir, gone)); err == nil {
				t.Errorf("%s was made", gone)
			}
		}
	}
}

func TestWithheldEntriesAreCounted(t *testing.T) {
	dir := hidden(t)
	for name, p := range withholding(t, dir, localfs.Options{}) {
		for path, want := range map[string]string{
			".":        ".agentignore given link.txt linkdir plain.txt public.key sub, 4 withheld",
			"sub":      ".agentignore deep id.key top.txt, 1 withheld",
			"given/by": ", 1 withheld",
		} {
			target, err := p.Resolve(t.Context(), "", path)
			if err != nil {
				t.Fatal(err)
			}
			entries, n, err := vfs.ListDirWithheld(t.Context(), p, target)
			if err != nil {
				t.Fatal(err)
			}
			if got := namesOf(entries) + ", " + string(rune('0'+n)) + " withheld"; got != want {
				t.Errorf("%s: %s is %q, want %q", name, path, got, want)
			}
		}
	}
}

// Rules that cannot be read are not taken for no rules.
func TestUnreadableRulesWithholdEverything(t *testing.T) {
	for what, make := range map[string]func(path string) error{
		"a directory":       func(path string) error { return os.Mkdir(path, 0o755) },
		"a FIFO":            func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a link to nowhere": func(path string) error { return os.Symlink("nowhere", path) },
		"far too large":     func(path string) error { return os.WriteFile(path, make([]byte, 1<<20+1), 0o644) },
	} {
		t.Run(what, func(t *testing.T) {
			dir := hidden(t)
			rules := filepath.Join(dir, "sub", ".agentignore")
			if err := os.Remove(rules); err != nil {
				t.Fatal(err)
			}
			if err := make(rules); err != nil {
				t.Fatal(err)
			}
			p := withholding(t, dir, localfs.Options{})["root"]
			for path, kept := range map[string]bool{"sub/top.txt": true, "plain.txt": false} {
				target, err := p.Resolve(t.Context(), "", path)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := vfs.ReadText(t.Context(), p, target); (err != nil) != kept {
					t.Errorf("%s: %v", path, err)
				}
			}
		})
	}
}

// A rule that is written is a rule at once.
func TestRulesAreReadWhenTheyChange(t *testing.T) {
	dir := hidden(t)
	p := withholding(t, dir, localfs.Options{})["root"]
	target, err := p.Resolve(t.Context(), "", "plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rules string
		kept  bool
	}{{"plain.txt", true}, {"plain.tx_", false}, {"plain.tx?", true}, {"", false}} {
		if err := os.WriteFile(filepath.Join(dir, ".agentignore"), []byte(c.rules), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := vfs.ReadText(t.Context(), p, target); (err != nil) != c.kept {
			t.Errorf("with the rule %q: %v", c.rules, err)
		}
	}
}

func TestDenyRefusesPatternsThatMatchNothing(t *testing.T) {
	for _, o := range []localfs.Options{{Deny: []string{"a[b"}}, {IgnoreFile: "a/b"}} {
		if _, err := localfs.Host(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// What says which files are kept cannot be rewritten by a tool.
func TestIgnoreFileIsProtected(t *testing.T) {
	dir := hidden(t)
	o := localfs.Options{Sandbox: &localfs.Sandbox{Mode: sandbox.WorkspaceWrite, NoTemp: true}}
	for name, p := range withholding(t, dir, o) {
		for _, path := range []string{".agentignore", "sub/.AgentIgnore", "new/.agentignore"} {
			target, err := p.Resolve(t.Context(), "", path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = vfs.WriteText(t.Context(), p, target, "", vfs.WriteOptions{})
			if vfs.CodeOf(err) != vfs.CodeSandboxDenied {
				t.Errorf("%s: %s: %v", name, path, err)
			}
		}
	}
}

func namesOf(entries []vfs.Entry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
