//go:build !toolfs_portable

package localfs_test

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// A large file that cannot be replaced is written in place while it can be loaded; what
// is larger is refused and stays as it is.
func TestLargeEditOfAMountedFile(t *testing.T) {
	needsRoot(t)
	tests := []struct {
		name string
		size int64
		code vfs.Code
	}{
		{"that can be loaded", vfs.LargeEdit + 1, ""},
		{"that cannot", vfs.DefaultMaxGuardedBytes + 1, vfs.CodeBusy},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, true)
			before := "#unique#" + strings.Repeat("\n", int(tt.size)-len("#unique#"))
			source, path := w.write("../out/source", before), w.write("f", "hidden")
			if err := unix.Mount(source, path, "", unix.MS_BIND, ""); err != nil {
				t.Fatal(err)
			}
			defer unix.Unmount(path, unix.MNT_DETACH)
			p, err := localfs.Root([]string{w.ws}, localfs.Options{StateDir: t.TempDir(), MaxGuardedBytes: 1 << 30, NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			target, err := p.Resolve(t.Context(), "", "f")
			if err != nil {
				t.Fatal(err)
			}
			out, err := vfs.EditText(t.Context(), p, target, vfs.Edit{Old: "#unique#", New: "new"}, vfs.EditOptions{})
			wantCode(t, err, tt.code)
			want := before
			if tt.code == "" {
				want = strings.Replace(before, "#unique#", "new", 1)
				if out.Info.Publication.Guarantee != vfs.GuaranteeInPlace {
					t.Errorf("got %+v", out.Info)
				}
			}
			if w.content(source) != want {
				t.Error("the mounted file does not hold what it should")
			}
			w.onlyNames(w.ws, "f")
		})
	}
}
