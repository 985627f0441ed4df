//go:build !toolfs_portable

package localfs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// walked opens a directory of a confined world: outside lies a secret.
func walked(t *testing.T) (d vfs.Dir, root, outside string) {
	t.Helper()
	root, outside = t.TempDir(), t.TempDir()
	for _, path := range []string{root + "/sub/f", outside + "/secret", root + "/f"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	disk, err := localfs.Root([]string{root}, localfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	at, err := disk.Resolve(t.Context(), "", root)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = disk.OpenDir(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, root, outside
}

// swap puts something else in the place of a name.
func swap(t *testing.T, path string, put func(path string) error) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := put(path); err != nil {
		t.Fatal(err)
	}
}

// What takes a child's place after its directory was read is not followed.
func TestAWalkLeavesNoDirectory(t *testing.T) {
	d, root, outside := walked(t)
	ctx, buf := t.Context(), make([]byte, 100)
	if n, rest, err := d.Load(ctx, "f", buf); string(buf[:n]) != "content" || rest != nil || err != nil {
		t.Fatalf("%q, %v, %v", buf[:n], rest, err)
	}
	swap(t, root+"/sub", func(path string) error { return os.Symlink(outside, path) })
	if _, err := d.OpenDir(ctx, "sub"); vfs.CodeOf(err) != vfs.CodeNotDirectory {
		t.Errorf("a link in the place of a directory: %v", err)
	}
	swap(t, root+"/f", func(path string) error { return os.Symlink(outside+"/secret", path) })
	if n, _, err := d.Load(ctx, "f", buf); vfs.CodeOf(err) != vfs.CodeNotRegularFile {
		t.Errorf("a link in the place of a file: %q, %v", buf[:n], err)
	}
	if _, err := d.ModTime(ctx, "f"); vfs.CodeOf(err) != vfs.CodeNotRegularFile {
		t.Errorf("the time of a link: %v", err)
	}
	swap(t, root+"/f", func(path string) error { return syscall.Mkfifo(path, 0o644) })
	if _, _, err := d.Load(ctx, "f", buf); vfs.CodeOf(err) != vfs.CodeNotRegularFile {
		t.Errorf("a FIFO in the place of a file: %v", err)
	}
	swap(t, root+"/f", func(path string) error { return os.Mkdir(path, 0o755) })
	if _, _, err := d.Load(ctx, "f", buf); vfs.CodeOf(err) != vfs.CodeNotRegularFile {
		t.Errorf("a directory in the place of a file: %v", err)
	}
	for _, name := range []string{"..", ".", "", "../" + filepath.Base(outside) + "/secret", "sub/secret", outside + "/secret", "none"} {
		_, _, load := d.Load(ctx, name, buf)
		_, dir := d.OpenDir(ctx, name)
		_, when := d.ModTime(ctx, name)
		for _, err := range []error{load, dir, when} {
			if vfs.CodeOf(err) != vfs.CodeNotFound {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
}

// A large file comes in two parts, which are closed one by one.
func TestAWalkLoadsTheBeginning(t *testing.T) {
	d, root, _ := walked(t)
	if err := os.WriteFile(root+"/large", make([]byte, 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	n, rest, err := d.Load(t.Context(), "large", make([]byte, 600))
	if n != 600 || rest == nil || err != nil {
		t.Fatalf("%d, %v, %v", n, rest, err)
	}
	if m, err := rest.Read(make([]byte, 600)); m != 400 || err != nil || rest.Info().Size != 1000 {
		t.Errorf("the rest: %d, %v, %+v", m, err, rest.Info())
	}
	if err := rest.Close(); err != nil {
		t.Error(err)
	}
}

// What FS.Open refuses is refused here.
func TestAWalkReadsNoProcess(t *testing.T) {
	disk, err := localfs.Host(localfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	at, err := disk.Resolve(t.Context(), "", "/proc/self")
	if err != nil {
		t.Fatal(err)
	}
	d, err := disk.OpenDir(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, _, err := d.Load(t.Context(), "environ", make([]byte, 10)); vfs.CodeOf(err) != vfs.CodePermissionDenied {
		t.Errorf("its environment: %v", err)
	}
	names := 0
	if err := d.Each(t.Context(), func([]byte, vfs.Type) bool { names++; return names < 3 }); err != nil || names != 3 {
		t.Errorf("%d names, %v", names, err)
	}
}

// What is withheld is not seen by a walk either, and is counted.
func TestAWalkWithholds(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"secret/f", "sub/key.pem", "sub/f", ".keep"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	disk, err := localfs.Root([]string{root}, localfs.Options{Deny: []string{"secret/", "*.pem"}})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	at, err := disk.Resolve(t.Context(), "", root)
	if err != nil {
		t.Fatal(err)
	}
	top, err := disk.OpenDir(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	if got := seen(t, top); got != ".keep sub" || top.(vfs.WithholdingDir).Withheld() != 1 {
		t.Errorf("at the top: %q, %d withheld", got, top.(vfs.WithholdingDir).Withheld())
	}
	if _, err := top.OpenDir(t.Context(), "secret"); vfs.CodeOf(err) != vfs.CodePermissionDenied {
		t.Errorf("the directory: %v", err)
	}
	sub, err := top.OpenDir(t.Context(), "sub")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if got := seen(t, sub); got != "f" {
		t.Errorf("below: %q", got)
	}
	_, _, load := sub.Load(t.Context(), "key.pem", make([]byte, 8))
	_, when := sub.ModTime(t.Context(), "key.pem")
	_, none := sub.ModTime(t.Context(), "none.pem")
	for _, err := range []error{load, when, none} {
		if vfs.CodeOf(err) != vfs.CodePermissionDenied {
			t.Errorf("the file: %v", err)
		}
	}
}

// seen gives the names in a directory.
func seen(t *testing.T, d vfs.Dir) string {
	t.Helper()
	var names []string
	if err := d.Each(t.Context(), func(name []byte, _ vfs.Type) bool { names = append(names, string(name)); return true }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
