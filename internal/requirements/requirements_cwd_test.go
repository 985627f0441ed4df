package requirements_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// onPath are arguments with which each tool works on one path, a directory for list.
func onPath(name, path string) args {
	switch name {
	case "list":
		return args{"path": path}
	case "read":
		return args{"file_path": path}
	case "write":
		return args{"file_path": path, "content": "x"}
	}
	return args{"file_path": path, "old_string": "x", "new_string": "y"}
}

var execTests = tests{
	// No executor knows a policy or a ledger; what a listener of the gate says is all
	// they go by.
	"R-EXEC-01": func(t *testing.T) {
		code, _ := sources(t, ".")
		for _, name := range append(slices.Clone(family), "files") {
			file := code[name+".go"]
			if file == nil {
				t.Fatalf("%s.go does not exist", name)
			}
			if slices.Contains(fileImports(t, file), module+"/policy") || mentions(file, "Observe", "Ledger") {
				t.Errorf("%s.go knows of a policy", name)
			}
		}
		w := newWorld(t, unguarded)
		p := w.file("f", "a")
		t.Cleanup(w.gate.EditIntent.Add(func(context.Context, gate.EditIntent, func() (vfs.Version, error)) (vfs.Version, error) {
			return vfs.VersionOf([]byte("something else")), nil
		}))
		w.ok("read", args{"file_path": "f"})
		w.fails("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"}, "FS_STALE_VERSION",
			`cannot edit "`+p+`": file changed since it was read — re-read the file, then retry`)
	},

	"R-EXEC-02": func(t *testing.T) {
		type key struct{}
		for _, name := range family {
			w := newDisk(t)
			r := &resolving{FS: w.disk}
			w.open(unguarded, func(o *toolfs.Options) { o.Provider = r })
			w.set.Execute(context.WithValue(t.Context(), key{}, name), w.call(name, onPath(name, "some/path")))
			if r.base != w.ws || r.name != "some/path" || r.ctx == nil || r.ctx.Value(key{}) != name {
				t.Errorf("%s resolves %q from %q", name, r.name, r.base)
			}
		}
	},
}

var cwdTests = tests{
	"R-CWD-01": func(t *testing.T) {
		w := newWorld(t)
		w.must(os.Mkdir(w.path("d"), 0o755), os.WriteFile(filepath.Join(w.home, "f"), []byte("not this"), 0o644))
		w.ok("write", args{"file_path": "f", "content": "x\n"})
		w.holds(w.path("f"), "x\n")
		w.holds(filepath.Join(w.home, "f"), "not this")
		equal(t, "lines", []string{"x"}, lines(t, w.run("read", args{"file_path": "f"})))
		w.ok("edit", args{"file_path": "./d/../f", "old_string": "x", "new_string": "y"})
		w.holds(w.path("f"), "y\n")
		out, err := shell(t, w.ws, "cat f; ls")
		w.must(err)
		equal(t, "what a command sees", "y\nd\nf\n", out)
		// A directory that has vanished is not made anew in passing.
		call := w.call("write", args{"file_path": "f", "content": "x"})
		call.Session = &tool.Session{ID: "A", Cwd: w.path("vanished")}
		if r := w.set.Execute(t.Context(), call); !r.IsError {
			t.Errorf("a write where there is nothing: %v", r.Content)
		}
		w.lacks(w.path("vanished"))
	},

	// A cancellation reaches a resolution that takes its time.
	"R-CWD-02": func(t *testing.T) {
		for _, name := range family {
			w := newDisk(t)
			hanging := &hangingResolve{FS: w.disk, entered: make(chan struct{})}
			w.open(unguarded, func(o *toolfs.Options) { o.Provider = hanging })
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-hanging.entered
				cancel()
			}()
			failure(t, w.set.Execute(ctx, w.call(name, onPath(name, "f"))), "FS_ABORTED", "resolve aborted")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := newDisk(t).disk.Resolve(ctx, "", "f")
		if vfs.CodeOf(err) != vfs.CodeAborted || err.Error() != "resolve aborted" {
			t.Errorf("the disk gives %v", err)
		}
	},

	// The base may be left out; then the provider's own directory holds.
	"R-CWD-03": func(t *testing.T) {
		w := newDisk(t)
		target, err := w.disk.Resolve(t.Context(), "", "f")
		w.must(err)
		equal(t, "the path", filepath.Join(w.home, "f"), target.Path)
	},

	"R-CWD-04": func(t *testing.T) {
		w := newDisk(t)
		for _, c := range []struct{ base, name, want string }{
			{w.ws, "f", w.path("f")},
			{"", "f", filepath.Join(w.home, "f")},
			{w.ws, "./d/./f", w.path("d/f")},
			{w.ws, filepath.Join(w.home, "g"), filepath.Join(w.home, "g")},
			{"", w.path("g"), w.path("g")},
			{"/nowhere", w.path("g"), w.path("g")},
		} {
			target, err := w.disk.Resolve(t.Context(), c.base, c.name)
			w.must(err)
			equal(t, c.name+" from "+c.base, c.want, target.Path)
		}
	},

	// One rule for all tools: the session's directory as it is spelt, but by its
	// physical path once ".." is involved.
	"R-CWD-05": func(t *testing.T) {
		for _, name := range family {
			w := newDisk(t)
			r := &resolving{FS: w.disk}
			w.open(unguarded, func(o *toolfs.Options) { o.Provider = r })
			w.must(os.MkdirAll(w.path("real/dir"), 0o755), os.Symlink("real/dir", w.path("link")))
			for _, c := range []struct{ cwd, path, base string }{
				{w.ws, "f", w.ws},
				{w.path("link"), "f", w.path("link")},
				{w.path("link"), "a..b/..c", w.path("link")},
				{w.path("link"), "../f", w.path("real/dir")},
				{w.path("link"), "sub/../f", w.path("real/dir")},
				{w.path("link"), `..\f`, w.path("real/dir")},
				{w.ws + "/real/../link", "f", w.path("real/dir")},
				{w.path("gone"), "../f", w.path("gone")},
				{"", "f", ""},
			} {
				call := w.call(name, onPath(name, c.path))
				call.Session = &tool.Session{ID: "A", Cwd: c.cwd}
				w.set.Execute(t.Context(), call)
				equal(t, name+" "+c.path+" in "+c.cwd, c.base, r.base)
			}
		}
	},

	// A base is a plain string; no provider knows sessions, calls or tools, and of the
	// sandbox only the words for a call's policy. Searching knows none of them either.
	"R-CWD-06": func(t *testing.T) {
		for _, provider := range []string{"/vfs", "/localfs"} {
			for _, dep := range imports(t, provider) {
				if dep != "/vfs" && dep != "/sandbox" && dep != "/search" && !strings.HasPrefix(dep, "/internal/") {
					t.Errorf("%s depends on %s", provider, dep)
				}
			}
		}
		var _ interface {
			Resolve(ctx context.Context, base, name string) (vfs.Target, error)
		} = (*localfs.FS)(nil)
	},

	// A relative path means what it means to a command started in the session's
	// directory, also after a link.
	"R-CWD-07": func(t *testing.T) {
		w := newWorld(t, unguarded)
		w.must(os.MkdirAll(w.path("a/b"), 0o755), os.Symlink("a/b", w.path("link")))
		for _, path := range []string{"f", "a/f", "./a/./f", "a/b/../f", "link/f", "link/../f", "link/../../f"} {
			w.ok("write", args{"file_path": path, "content": "for " + path})
			out, err := shell(t, w.ws, "cat "+path)
			w.must(err)
			equal(t, "what a command reads", "for "+path, out)
			_, err = shell(t, w.ws, "echo changed > "+path)
			w.must(err)
			equal(t, "what read shows", []string{"changed"}, lines(t, w.run("read", args{"file_path": path})))
		}
		call := w.call("read", args{"file_path": "../f"})
		call.Session = &tool.Session{ID: "A", Cwd: w.path("link")}
		equal(t, "above a link", []string{"changed"}, lines(t, w.set.Execute(t.Context(), call)))
	},

	// The disk bases a relative name on what it is given and an absolute one on
	// nothing; in a session all tools work where the session is.
	"R-CWD-08": func(t *testing.T) {
		w := newWorld(t)
		w.ok("write", args{"file_path": "sub/f", "content": "one\n"})
		w.ok("read", args{"file_path": "sub/f"})
		w.ok("edit", args{"file_path": "sub/f", "old_string": "one", "new_string": "two"})
		w.holds(w.path("sub/f"), "two\n")
		w.lacks(filepath.Join(w.home, "sub"))
		elsewhere := filepath.Join(w.home, "g")
		w.ok("write", args{"file_path": elsewhere, "content": "absolute"})
		w.holds(elsewhere, "absolute")
		w.lacks(w.path("g"))
	},

	// A call of nobody's, and a session that says no directory, start where the
	// provider does.
	"R-CWD-09": func(t *testing.T) {
		for name, session := range map[string]*tool.Session{"nobody": nil, "no directory": {ID: "A"}, "nothing at all": {}} {
			w := newWorld(t)
			call := w.call("write", args{"file_path": "f", "content": "x"})
			call.Session = session
			if r := w.set.Execute(t.Context(), call); r.IsError {
				t.Errorf("%s: %v", name, r.Content)
			}
			w.holds(filepath.Join(w.home, "f"), "x")
		}
	},
}

// hangingResolve is the disk, but that a resolution ends with its context only.
type hangingResolve struct {
	*localfs.FS
	entered chan struct{}
}

func (h *hangingResolve) Resolve(ctx context.Context, _, _ string) (vfs.Target, error) {
	close(h.entered)
	<-ctx.Done()
	return vfs.Target{}, vfs.Aborted("resolve", context.Cause(ctx))
}

func shell(t *testing.T, dir, script string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-c", script)
	command.Dir = dir
	out, err := command.Output()
	return string(out), err
}
