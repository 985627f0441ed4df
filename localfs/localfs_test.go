//go:build unix

package localfs_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a workspace and a directory beside it that must stay untouched.
type world struct {
	t       *testing.T
	ws, out string
	fs      *localfs.FS
}

func newWorld(t *testing.T, confined bool) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, ws: filepath.Join(base, "ws"), out: filepath.Join(base, "out")}
	w.mkdir("ws")
	w.mkdir("out")
	if confined {
		w.fs, err = localfs.Root([]string{w.ws}, localfs.Options{})
	} else {
		w.fs, err = localfs.Host(localfs.Options{Cwd: w.ws})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.fs.Close() })
	return w
}

func (w *world) mkdir(name string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(filepath.Dir(w.ws), name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, content string) string {
	w.t.Helper()
	path := filepath.Join(w.ws, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) link(target, name string) {
	w.t.Helper()
	if err := os.Symlink(target, filepath.Join(w.ws, name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) resolve(name string) vfs.Target {
	w.t.Helper()
	t, err := w.fs.Resolve(w.t.Context(), "", name)
	if err != nil {
		w.t.Fatalf("resolve %q: %v", name, err)
	}
	return t
}

func (w *world) content(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *world) onlyNames(dir string, want ...string) {
	w.t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		w.t.Errorf("%s holds %q, want %q", dir, names, want)
	}
}

func wantCode(t *testing.T, err error, code vfs.Code) {
	t.Helper()
	if vfs.CodeOf(err) != code {
		t.Errorf("got %v (%q), want %s", err, vfs.CodeOf(err), code)
	}
}

func TestResolveIdentity(t *testing.T) {
	w := newWorld(t, false)
	w.write("real/f", "x")
	w.link("real", "dir")
	w.link("real/f", "alias")
	w.link("real/later", "dangling")
	w.link("../ws/real", "up")
	key := filepath.Join(w.ws, "real")
	tests := []struct{ name, path, key, shown string }{
		{"a plain name", "real/f", key + "/f", w.ws + "/real/f"},
		{"a link to the file", "alias", key + "/f", w.ws + "/alias"},
		{"a link above the file", "dir/f", key + "/f", w.ws + "/dir/f"},
		{"a missing file below a link", "dir/new/deep", key + "/new/deep", w.ws + "/dir/new/deep"},
		{"a dangling link is its target", "dangling", key + "/later", w.ws + "/dangling"},
		{"dot and slashes fold", "./real//./f", key + "/f", w.ws + "/real/f"},
		{"dot-dot folds where it means the same", "real/../real/f", key + "/f", w.ws + "/real/f"},
		{"dot-dot after a link goes where the kernel goes", "up/../real/f", key + "/f", w.ws + "/real/f"},
		{"an absolute path ignores the base", key + "/f", key + "/f", key + "/f"},
		{"names with dots are names", "v1..v2.diff", w.ws + "/v1..v2.diff", w.ws + "/v1..v2.diff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := w.resolve(tt.path)
			if got.Key != tt.key || got.Path != tt.shown {
				t.Errorf("got %+v, want key %q path %q", got, tt.key, tt.shown)
			}
		})
	}
}

func TestResolveDotDotAfterLinkShowsTheRealPlace(t *testing.T) {
	w := newWorld(t, false)
	w.write("a/b/keep", "")
	w.write("a/x", "in a")
	w.write("x", "in ws")
	w.link("a/b", "l")
	got := w.resolve("l/../x")
	if want := filepath.Join(w.ws, "a/x"); got.Key != want || got.Path != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}

func TestResolveKeyIsStableAcrossCreation(t *testing.T) {
	w := newWorld(t, true)
	before := w.resolve("new/dir/f")
	if _, err := w.fs.Put(t.Context(), before, []byte("x"), vfs.PutOptions{If: vfs.IfAbsent()}); err != nil {
		t.Fatal(err)
	}
	if after := w.resolve("new/dir/f"); after != before {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestResolveRefuses(t *testing.T) {
	w := newWorld(t, false)
	w.write("file", "x")
	w.link("loop", "loop")
	tests := []struct {
		name, path, text string
		code             vfs.Code
	}{
		{"a blank name", " \t", "file_path must be a non-empty string", vfs.CodeNotFound},
		{"a file as a directory", "file/x", `cannot resolve "` + w.ws + `/file/x": a parent path segment is not a directory`, vfs.CodeNotFound},
		{"a file asked for as a directory", "file/", "not a directory", vfs.CodeNotDirectory},
		{"a missing directory", "newdir/", `must be an existing directory`, vfs.CodeNotFound},
		{"a loop", "loop", "too many symbolic links", vfs.CodeIOError},
		{"a missing part before dot-dot", "missing/../file", "not found", vfs.CodeNotFound},
		{"a NUL character", "a\x00b", `"`, vfs.CodeIOError},
		{"a name that is too long", strings.Repeat("x", 300), "file name too long", vfs.CodeIOError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.fs.Resolve(t.Context(), "", tt.path)
			wantCode(t, err, tt.code)
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %q, want it to contain %q", err, tt.text)
			}
		})
	}
}

func TestRootConfinesEveryOperation(t *testing.T) {
	confines(t, newWorld(t, true))
}

// confines tries every way out of the world's root.
func confines(t *testing.T, w *world) {
	t.Helper()
	secret := filepath.Join(w.out, "secret")
	if err := os.WriteFile(secret, []byte("canary"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(w.ws+"-evil", 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("inside", "ok")
	w.link(w.out, "l")
	w.link("../out/secret", "leaf")
	w.link("../out/new", "dangling")
	for _, path := range []string{
		secret, "../out/secret", "l/secret", "l/new/x", "leaf", "dangling", w.ws + "-evil/x", "../ws-evil/x",
		"inside/../../out/secret", "/proc/self/root" + secret, "/etc/passwd", "..", "/", "../missing/x",
	} {
		_, err := w.fs.Resolve(t.Context(), "", path)
		wantCode(t, err, vfs.CodeSandboxDenied)
	}
	// A target that was made before the tree changed must not lead out either.
	for _, key := range []string{secret, w.ws + "/l/secret", w.ws + "/leaf", w.ws + "/../out/secret"} {
		target := vfs.Target{Key: key, Path: key}
		if _, err := w.fs.Open(t.Context(), target); err == nil {
			t.Errorf("%s was opened", key)
		}
		if _, err := w.fs.Put(t.Context(), target, []byte("x"), vfs.PutOptions{}); err == nil {
			t.Errorf("%s was written", key)
		}
		for _, err := range w.fs.ReadDir(t.Context(), vfs.Target{Key: filepath.Dir(key)}) {
			if err == nil && !strings.HasPrefix(key, w.ws+"/leaf") {
				t.Errorf("the directory of %s was listed", key)
			}
			break
		}
	}
	w.onlyNames(w.out, "secret")
	if got := w.content(secret); got != "canary" {
		t.Errorf("the secret is %q", got)
	}
}

func TestRootFollowsLinksThatStayInside(t *testing.T) {
	w := newWorld(t, true)
	real := w.write("real/f", "x")
	w.link(filepath.Join(w.ws, "real"), "absolute")
	w.link("../ws/real", "relative")
	for _, path := range []string{"absolute/f", "relative/f"} {
		if got := w.resolve(path); got.Key != real {
			t.Errorf("%s is %q, want %q", path, got.Key, real)
		}
	}
}

func TestOpenNeverBlocks(t *testing.T) {
	w := newWorld(t, false)
	fifo := filepath.Join(w.ws, "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(w.ws, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, "d", "/dev/zero", "/dev/tty"} {
		target, err := w.fs.Resolve(t.Context(), "", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.fs.Open(t.Context(), target)
		wantCode(t, err, vfs.CodeNotRegularFile)
		_, err = w.fs.Put(t.Context(), target, nil, vfs.PutOptions{})
		wantCode(t, err, vfs.CodeNotRegularFile)
		_, err = w.fs.Put(t.Context(), target, nil, vfs.PutOptions{If: vfs.IfAbsent()})
		wantCode(t, err, vfs.CodeNotRegularFile)
		_, err = w.fs.Put(t.Context(), target, nil, vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf(nil))})
		if err == nil {
			t.Errorf("%s was replaced", path)
		}
	}
}

func TestReadDirClassifies(t *testing.T) {
	w := newWorld(t, true)
	w.write("file", "x")
	w.write("dir/x", "x")
	w.link("dir", "to-dir")
	w.link("file", "to-file")
	w.link("nowhere", "dangling")
	w.link("loop", "loop")
	w.link(w.out, "outside")
	if err := syscall.Mkfifo(filepath.Join(w.ws, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	entries, err := vfs.ListDir(t.Context(), w.fs, w.resolve("."))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]vfs.Type{"file": vfs.TypeFile, "dir": vfs.TypeDirectory, "to-dir": vfs.TypeDirectory, "to-file": vfs.TypeFile,
		"dangling": vfs.TypeOther, "loop": vfs.TypeOther, "outside": vfs.TypeOther, "fifo": vfs.TypeOther}
	for _, e := range entries {
		if want[e.Name] != e.Type {
			t.Errorf("%s is %q, want %q", e.Name, e.Type, want[e.Name])
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d entries, want %d", len(entries), len(want))
	}
}

func TestLstatSeesTheLink(t *testing.T) {
	w := newWorld(t, false)
	w.link("nowhere", "l")
	info, err := vfs.Lstat(t.Context(), w.fs, "", "l")
	if err != nil || info.Type != vfs.TypeSymlink {
		t.Errorf("got %+v, %v", info, err)
	}
	_, err = vfs.Lstat(t.Context(), w.fs, "", "missing")
	wantCode(t, err, vfs.CodeNotFound)
	_, err = vfs.Lstat(t.Context(), w.fs, "", "  ")
	wantCode(t, err, vfs.CodeNotFound)
}

func TestCancelledCallsSayWhich(t *testing.T) {
	w := newWorld(t, false)
	w.write("f", "x")
	target := w.resolve("f")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func() error{
		"resolve aborted": func() error { _, err := w.fs.Resolve(ctx, "", "f"); return err },
		"stat aborted":    func() error { _, err := w.fs.Stat(ctx, target); return err },
		"lstat aborted":   func() error { _, err := vfs.Lstat(ctx, w.fs, "", "f"); return err },
		"read aborted":    func() error { _, _, err := vfs.ReadText(ctx, w.fs, target); return err },
		"list aborted":    func() error { _, err := vfs.ListDir(ctx, w.fs, target); return err },
		"write aborted": func() error {
			_, err := vfs.WriteText(ctx, w.fs, target, "y", vfs.WriteOptions{})
			return err
		},
		"edit aborted": func() error {
			_, err := vfs.EditText(ctx, w.fs, target, vfs.Edit{Old: "x", New: "y"}, vfs.EditOptions{})
			return err
		},
	}
	for want, call := range calls {
		err := call()
		wantCode(t, err, vfs.CodeAborted)
		if err == nil || err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}
