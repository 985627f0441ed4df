//go:build unix

package localfs_test

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// A read of what nobody has touched for long is proven, and one during which the file
// changed is not, however many bytes came.
func TestReadsAreProvenOrNot(t *testing.T) {
	tests := []struct {
		name   string
		change func(path string) error
		want   vfs.Proof
	}{
		{"untouched", func(string) error { return nil }, vfs.Proven},
		{"written to", func(path string) error { return os.WriteFile(path, []byte("new"), 0o644) }, vfs.Disturbed},
		{"cut off", func(path string) error { return os.Truncate(path, 1) }, vfs.Disturbed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, true)
			path := w.write("f", "old")
			long := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
			r, err := vfs.StreamText(t.Context(), w.fs, w.resolve("f"))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for err == nil {
				_, err = r.Next(t.Context())
			}
			if err != io.EOF {
				t.Fatal(err)
			}
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			if got := r.Proof(); got != tt.want {
				t.Errorf("the proof is %d, want %d", got, tt.want)
			}
		})
	}
}
