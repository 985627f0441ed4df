//go:build unix

package localfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// fenced is a provider with a fence, over ws and what lies beside it.
type fenced struct {
	*world
	base string
}

func newFenced(t *testing.T, s localfs.Sandbox) *fenced {
	t.Helper()
	f := &fenced{world: newWorld(t, false)}
	f.base = filepath.Dir(f.ws)
	f.open(s)
	return f
}

// open puts a provider with another fence over the same.
func (f *fenced) open(s localfs.Sandbox) {
	f.t.Helper()
	if s.Mode == "" {
		s.Mode = sandbox.WorkspaceWrite
	}
	disk, err := localfs.Host(localfs.Options{Cwd: f.ws, NoSync: true, StateDir: filepath.Join(f.base, "state"), Sandbox: &s})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { disk.Close() })
	f.fs = disk
}

// put tries to write, and fails unless forecast, explanation and deed agree. It gives
// the rule.
func (f *fenced) put(name string, p sandbox.Policy) (rule string, err error) {
	f.t.Helper()
	t := f.resolve(name)
	forecast := f.fs.CheckWrite(f.t.Context(), t, p)
	access, err := f.fs.Explain(f.t.Context(), t, p)
	if err != nil {
		f.t.Fatal(err)
	}
	_, err = f.fs.Put(f.t.Context(), t, []byte("x"), vfs.PutOptions{Sandbox: p})
	if (forecast == nil) != access.Write.Allowed || vfs.CodeOf(forecast) != vfs.CodeOf(err) || !access.Read.Allowed || access.Write.Why == "" {
		f.t.Errorf("%s: forecast %v, explanation %+v, deed %v", name, forecast, access, err)
	}
	return access.Write.Rule, err
}

func (f *fenced) allows(name string, p sandbox.Policy) {
	f.t.Helper()
	if rule, err := f.put(name, p); err != nil {
		f.t.Errorf("%s: %s %v", name, rule, err)
	}
}

func (f *fenced) denies(name string, p sandbox.Policy, rule string) {
	f.t.Helper()
	got, err := f.put(name, p)
	denied, ok := errors.AsType[*sandbox.DeniedError](err)
	if got != rule || !ok || vfs.CodeOf(err) != vfs.CodeSandboxDenied {
		f.t.Errorf("%s: %s %v, not %s", name, got, err, rule)
		return
	}
	if rule == "protected" && !denied.Protected {
		f.t.Errorf("%s: the denial does not say that it is protected", name)
	}
	want := "cannot write " + vfs.QuotePath(f.resolve(name).Path) + ": file access denied under " + string(denied.Mode) + " mode"
	if err.Error() != want {
		f.t.Errorf("it says %s, not %s", err, want)
	}
}

// What would make everything writable is refused before anything is served.
func TestFenceRefusesToHoldEverything(t *testing.T) {
	// Not in /tmp, which is a writable root unless it is told otherwise.
	base, err := os.MkdirTemp("/var/tmp", "toolfs-fence")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	w := &world{t: t, ws: base + "/ws"}
	w.mkdir("ws/d")
	w.link("..", "up")
	for name, c := range map[string]struct {
		cwd, tmp string
		sandbox  localfs.Sandbox
		want     string
	}{
		"the top as the workspace":       {cwd: "/", sandbox: localfs.Sandbox{NoTemp: true}, want: "must not be /"},
		"the top as a writable root":     {sandbox: localfs.Sandbox{WritableRoots: []string{"/"}, NoTemp: true}, want: "/ holds the workspace"},
		"a root above the workspace":     {sandbox: localfs.Sandbox{WritableRoots: []string{base}, NoTemp: true}, want: base + " holds the workspace"},
		"a link to one":                  {sandbox: localfs.Sandbox{WritableRoots: []string{w.ws + "/up"}, NoTemp: true}, want: base + " holds the workspace"},
		"one spelt with ..":              {sandbox: localfs.Sandbox{WritableRoots: []string{w.ws + "/.."}, NoTemp: true}, want: base + " holds the workspace"},
		"the top for temporary files":    {tmp: "/", want: "/ holds the workspace"},
		"such a directory for them":      {tmp: base, want: base + " holds the workspace"},
		"a mode that does not exist":     {sandbox: localfs.Sandbox{Mode: "yolo", NoTemp: true}, want: "sandbox mode must be one of"},
		"a session's mode by mistake":    {sandbox: localfs.Sandbox{Mode: "Read-Only", NoTemp: true}, want: "sandbox mode must be one of"},
		"the usual ones":                 {},
		"the workspace, named as a root": {sandbox: localfs.Sandbox{WritableRoots: []string{w.ws}, NoTemp: true}},
		"a root inside the workspace":    {sandbox: localfs.Sandbox{WritableRoots: []string{w.ws + "/d"}, NoTemp: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.tmp != "" {
				t.Setenv("TMPDIR", c.tmp)
			}
			if c.cwd == "" {
				c.cwd = w.ws
			}
			disk, err := localfs.Host(localfs.Options{Cwd: c.cwd, Sandbox: &c.sandbox})
			if err == nil {
				disk.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, not %s", err, c.want)
			}
		})
	}
}

// A directory whose name only begins like the workspace's is another one.
func TestFencePrefixes(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	name := rapid.StringMatching(`[a-zA-Z0-9 ._-]{1,12}`).Filter(func(s string) bool { return s != "." && s != ".." && !strings.HasPrefix(strings.ToLower(s), ".git") })
	rapid.Check(t, func(t *rapid.T) {
		more, below := name.Draw(t, "more"), name.Draw(t, "below")
		p := sandbox.Policy{Mode: sandbox.WorkspaceWrite}
		inside, outside := vfs.Target{Key: filepath.Join(f.ws, more, below)}, vfs.Target{Key: filepath.Join(f.ws+more, below)}
		if err := f.fs.CheckWrite(t.Context(), inside, p); err != nil {
			t.Errorf("%s: %v", inside.Key, err)
		}
		for _, key := range []string{outside.Key, f.ws + more, filepath.Join(f.base, below), f.ws[:len(f.ws)-1]} {
			if key == f.ws || strings.HasPrefix(key, f.ws+"/") {
				continue
			}
			if err := f.fs.CheckWrite(t.Context(), vfs.Target{Key: key}, p); vfs.CodeOf(err) != vfs.CodeSandboxDenied {
				t.Errorf("%s: %v", key, err)
			}
		}
	})
}

// Each session has its own workspace; none makes everything writable, and the rest of
// the directory that it lies in is not writable only because that one is for temporary
// files.
func TestFenceSessionWorkspaces(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true, WritableRoots: nil})
	f.open(localfs.Sandbox{NoTemp: true, WritableRoots: []string{f.out}})
	f.mkdir("out/session")
	f.mkdir("other")
	in := func(root string) sandbox.Policy {
		return sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: root}
	}
	f.allows(f.base+"/other/f", in(f.base+"/other"))
	f.denies("f", in(f.base+"/other"), "outside")
	f.denies("f", in("/"), "outside")
	f.denies("/f", in("/"), "outside")
	f.allows(f.out+"/f", in(f.ws))
	f.allows(f.out+"/session/f", in(f.out+"/session"))
	f.denies(f.out+"/g", in(f.out+"/session"), "outside")
	f.denies("f", in(f.base+"/missing"), "outside")
	f.link(f.base+"/other", "linked")
	f.allows(f.base+"/other/g", in(f.ws+"/linked"))
	f.denies(f.base+"/other/h", sandbox.Policy{Mode: "yolo", WorkspaceRoot: f.base + "/other"}, "mode")
	f.allows("f", sandbox.Policy{})
	f.denies("g", sandbox.Policy{Mode: sandbox.ReadOnly}, "mode")
	f.allows(f.base+"/anything", sandbox.Policy{Mode: sandbox.DangerFullAccess})
}

// A writable directory that does not exist yet lets nothing be written until it does.
func TestFenceRootMadeLater(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	f.open(localfs.Sandbox{NoTemp: true, WritableRoots: []string{f.base + "/later"}})
	f.denies(f.base+"/late", sandbox.Policy{}, "outside")
	f.mkdir("later")
	f.allows(f.base+"/later/f", sandbox.Policy{})
}

// A protected place is one under every name, wherever it lies and whatever the mode is.
func TestFenceProtects(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	for _, dir := range []string{"real/conf", "data/objects", "data/refs", "half/objects", "state"} {
		f.mkdir("ws/" + dir)
	}
	f.link("real/conf", "conf")
	f.write("data/HEAD", "ref: refs/heads/main\n")
	f.write("half/HEAD", "")
	f.mkdir("state/kept")
	absolute := f.base + "/out/secret"
	f.open(localfs.Sandbox{NoTemp: true, WritableRoots: []string{f.base + "/state", f.out}, Protect: []string{"conf", "a/b", absolute, ".envrc"}})
	for _, name := range []string{
		".git", ".git/config", ".GIT/x", ".git./x", ".git /x", ".git::$INDEX_ALLOCATION/x", "git~1/x", "GIT~1", ".g\u200cit/x", "d/.git/hooks/x", "d/.Git",
		"conf/x", "real/conf/x", "CONF/x", "a/b", "a/b/c", "A/B/c", ".envrc", absolute, absolute + "/x",
		"data/config", "data/hooks/new/x", f.base + "/state/kept/x",
		f.out + "/conf", // an entry holds from every writable root on
	} {
		f.denies(name, sandbox.Policy{}, "protected")
		f.deniesProtected(name, sandbox.Policy{Mode: sandbox.ReadOnly})
	}
	f.deniesProtected(f.base+"/elsewhere/.git/hooks/x", sandbox.Policy{})
	f.deniesProtected(absolute, sandbox.Policy{Mode: sandbox.ReadOnly})
	for _, name := range []string{"git/x", ".gitignore", ".github/x", "a.git/x", "x.git", "real/x", "a/bb", "conf2", "half/config", "d/.envrc"} {
		f.allows(name, sandbox.Policy{})
	}
	f.allows(".git/config", sandbox.Policy{Mode: sandbox.DangerFullAccess})
}

func (f *fenced) deniesProtected(name string, p sandbox.Policy) {
	f.t.Helper()
	_, err := f.put(name, p)
	if denied, ok := errors.AsType[*sandbox.DeniedError](err); !ok || !denied.Protected {
		f.t.Errorf("%s under %q: %v", name, p.Mode, err)
	}
}

// A provider that serves some directories is fenced within them, and its roots alone
// say what is outside: no mode helps there.
func TestFenceWithinRoots(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	disk, err := localfs.Root([]string{f.ws, f.out}, localfs.Options{NoSync: true, Sandbox: &localfs.Sandbox{Mode: sandbox.WorkspaceWrite, NoTemp: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	f.fs = disk
	f.allows("f", sandbox.Policy{})
	f.denies(f.out+"/f", sandbox.Policy{}, "outside")
	f.allows(f.out+"/f", sandbox.Policy{Mode: sandbox.DangerFullAccess})
	if _, err := disk.Resolve(t.Context(), "", f.base+"/f"); vfs.CodeOf(err) != vfs.CodeSandboxDenied {
		t.Errorf("outside the roots: %v", err)
	}
	if _, err := disk.Explain(t.Context(), vfs.Target{Key: f.base + "/f"}, sandbox.Policy{Mode: sandbox.DangerFullAccess}); vfs.CodeOf(err) != vfs.CodeSandboxDenied {
		t.Errorf("explained outside the roots: %v", err)
	}
}

// Without a fence nothing is denied, and nothing is said to confine.
func TestNoFence(t *testing.T) {
	w := newWorld(t, false)
	if mode := vfs.SandboxMode(w.fs); mode != "" {
		t.Errorf("the mode is %q", mode)
	}
	target := w.resolve(w.out + "/f")
	if _, err := w.fs.Put(t.Context(), target, nil, vfs.PutOptions{Sandbox: sandbox.Policy{Mode: sandbox.ReadOnly}}); err != nil {
		t.Error(err)
	}
	if err := vfs.CheckWrite(t.Context(), w.fs, target, sandbox.Policy{Mode: sandbox.ReadOnly}); err != nil {
		t.Error(err)
	}
}

// The state may lie behind a link, and need not exist when the fence is made.
func TestFenceKeepsOutOfStateBehindALink(t *testing.T) {
	f := newFenced(t, localfs.Sandbox{NoTemp: true})
	f.mkdir("ws/real")
	f.link("real", "linked")
	disk, err := localfs.Host(localfs.Options{Cwd: f.ws, StateDir: f.ws + "/linked/state", Sandbox: &localfs.Sandbox{Mode: sandbox.WorkspaceWrite, NoTemp: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	f.fs = disk
	if err := os.RemoveAll(f.ws + "/real/state"); err != nil {
		t.Fatal(err)
	}
	f.denies("real/state/x", sandbox.Policy{}, "protected")
	f.denies("linked/state/x", sandbox.Policy{}, "protected")
}
