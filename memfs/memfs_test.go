package memfs_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// put publishes without a condition.
func put(t *testing.T, fs *memfs.FS, name, content string) vfs.Info {
	t.Helper()
	target, err := fs.Resolve(t.Context(), "", name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := fs.Put(t.Context(), target, []byte(content), vfs.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func holds(t *testing.T, fs *memfs.FS, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, fs.Files()); diff != "" {
		t.Errorf("the files differ (-want +got):\n%s", diff)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func codeIs(t *testing.T, what string, err error, code vfs.Code) {
	t.Helper()
	if vfs.CodeOf(err) != code || (err == nil) != (code == "") {
		t.Errorf("%s: got %v, want %q", what, err, code)
	}
}

func TestTheHandOfTheWorld(t *testing.T) {
	fs := memfs.New(memfs.Options{Cwd: "/ws"})
	must(t,
		fs.WriteFile("a/f", "one"), fs.WriteFile("/b/g", "two"), fs.Mkdir("empty/dir"), fs.Mkdir("a"),
		fs.Symlink("a/f", "link"), fs.Symlink("a", "dir"), fs.Symlink("later", "dangling"), fs.Special("fifo"),
		fs.WriteFile("link", "through a link"), fs.WriteFile("dir/h", "below a link"), fs.WriteFile("dangling", "made"),
		fs.Rename("a/h", "moved/h"), fs.Rename("empty", "full"), fs.Remove("/b"),
	)
	holds(t, fs, map[string]string{"/ws/a/f": "through a link", "/ws/moved/h": "below a link", "/ws/later": "made"})
	if got, err := fs.ReadFile("dir/f"); err != nil || got != "through a link" {
		t.Errorf("ReadFile through a link: %q, %v", got, err)
	}
	codeIs(t, "removing a link", fs.Remove("link"), "")
	codeIs(t, "a moved directory", fs.Mkdir("full/dir/new"), "")
	for what, tt := range map[string]struct {
		err  error
		code vfs.Code
	}{
		"writing onto a directory":          {fs.WriteFile("a", "x"), vfs.CodeNotRegularFile},
		"writing onto the root":             {fs.WriteFile("/", "x"), vfs.CodeNotRegularFile},
		"writing below a file":              {fs.WriteFile("a/f/x", "x"), vfs.CodeNotFound},
		"a directory where a file is":       {fs.Mkdir("a/f"), vfs.CodeNotDirectory},
		"a link where something is":         {fs.Symlink("x", "a/f"), vfs.CodeNotObserved},
		"a link below a file":               {fs.Symlink("x", "a/f/x"), vfs.CodeNotFound},
		"a special file where something is": {fs.Special("fifo"), vfs.CodeNotObserved},
		"removing nothing":                  {fs.Remove("nothing"), vfs.CodeNotFound},
		"removing the root":                 {fs.Remove("/"), vfs.CodeNotFound},
		"renaming nothing":                  {fs.Rename("nothing", "x"), vfs.CodeNotFound},
		"renaming into itself":              {fs.Rename("a", "a/b"), vfs.CodeNotRegularFile},
		"renaming below a file":             {fs.Rename("later", "a/f/x"), vfs.CodeNotFound},
		"renaming onto the root":            {fs.Rename("later", "/"), vfs.CodeNotFound},
	} {
		codeIs(t, what, tt.err, tt.code)
	}
	for name, code := range map[string]vfs.Code{"nothing": vfs.CodeNotFound, "a": vfs.CodeNotRegularFile, "fifo": vfs.CodeNotRegularFile, "a/f/x": vfs.CodeNotFound} {
		_, err := fs.ReadFile(name)
		codeIs(t, "reading "+name, err, code)
	}
	if got, err := fs.ReadFile("later"); err != nil || got != "made" {
		t.Errorf("what could not be moved: %q, %v", got, err)
	}
}

func TestTheHandReachesOutOfTheRoots(t *testing.T) {
	fs := memfs.New(memfs.Options{Roots: []string{"/ws", "cache"}})
	must(t, fs.WriteFile("/etc/passwd", "secret"))
	_, err := fs.Resolve(t.Context(), "", "/etc/passwd")
	codeIs(t, "Resolve", err, vfs.CodeSandboxDenied)
	if want := `cannot access "/etc/passwd": it is outside the workspace; use a path below "/ws" or "/cache"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	put(t, fs, "/cache/f", "x")
	put(t, fs, "g", "y")
	holds(t, fs, map[string]string{"/etc/passwd": "secret", "/cache/f": "x", "/ws/g": "y"})
}

func TestOwnVersionsAreOptional(t *testing.T) {
	for _, own := range []bool{false, true} {
		fs := memfs.New(memfs.Options{OwnVersions: own, MaxGuardedBytes: 3})
		for content, want := range map[string]vfs.Version{"abc": vfs.VersionOf([]byte("abc")), "abcd": vfs.UnguardedVersion(4)} {
			if put := put(t, fs, "/f", content); put.Version != want {
				t.Errorf("Put tells %q, want %q", put.Version, want)
			}
			info, err := fs.Stat(t.Context(), vfs.Target{Key: "/f", Path: "/f"})
			if err != nil || own && info.Version != want || !own && info.Version != "" {
				t.Errorf("own versions %t: Stat gives %+v, %v", own, info, err)
			}
			if _, read, err := vfs.ReadText(t.Context(), fs, vfs.Target{Key: "/f", Path: "/f"}); err != nil || read.Version != want {
				t.Errorf("own versions %t: a reader learns %+v, %v", own, read, err)
			}
		}
	}
}

func TestOpenFilesAreCounted(t *testing.T) {
	fs := memfs.New(memfs.Options{})
	must(t, fs.WriteFile("/f", "x"))
	target := vfs.Target{Key: "/f", Path: "/f"}
	var files []vfs.File
	for range 3 {
		f, err := fs.Open(t.Context(), target)
		must(t, err)
		files = append(files, f)
	}
	must(t, files[0].Close(), files[0].Close(), files[1].Close())
	if n := fs.OpenFiles(); n != 1 {
		t.Errorf("%d files are open, want 1", n)
	}
	if _, err := files[0].Read(make([]byte, 1)); vfs.CodeOf(err) != vfs.CodeIOError {
		t.Errorf("a closed file reads on: %v", err)
	}
	if data, err := io.ReadAll(files[2]); err != nil || string(data) != "x" {
		t.Errorf("an open one gives %q, %v", data, err)
	}
	must(t, files[2].Close())
}

func TestAReadOnlyLookLocksNobodyOut(t *testing.T) {
	fs := memfs.New(memfs.Options{NoSync: true})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 50 {
				put(t, fs, fmt.Sprintf("/d%d/f%d", i, j%5), strings.Repeat("x", j))
			}
		})
		wg.Go(func() {
			for range 50 {
				fs.Files()
				fs.CrashClone(nil).Sync()
				fs.Sync()
			}
		})
	}
	wg.Wait()
	if n := len(fs.Files()); n != 20 {
		t.Errorf("%d files, want 20", n)
	}
}

func TestReadDirIsInOrder(t *testing.T) {
	fs := memfs.New(memfs.Options{})
	must(t, fs.WriteFile("/b", ""), fs.WriteFile("/a/x", ""), fs.Special("/C"))
	entries, err := vfs.ListDir(t.Context(), fs, vfs.Target{Key: "/", Path: "/"})
	want := []vfs.Entry{{Name: "C", Type: vfs.TypeOther}, {Name: "a", Type: vfs.TypeDirectory}, {Name: "b", Type: vfs.TypeFile}}
	if err != nil || !slices.Equal(entries, want) {
		t.Errorf("got %v, %v", entries, err)
	}
}
