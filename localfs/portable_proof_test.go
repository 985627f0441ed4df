//go:build unix && (!linux || toolfs_portable)

package localfs_test

import (
	"os"
	"testing"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// The times of a file that has just changed prove nothing.
func TestAFreshFileIsNotProven(t *testing.T) {
	w := newWorld(t, true)
	path := w.write("f", "text")
	soon := time.Now().Add(time.Hour) // however slow the test is
	if err := os.Chtimes(path, soon, soon); err != nil {
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
	if got := r.Proof(); got != vfs.Quiet {
		t.Errorf("the proof is %d", got)
	}
}
