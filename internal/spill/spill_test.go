package spill_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolfs/toolfs/internal/spill"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	s := spill.New(filepath.Join(dir, "results"))
	write := func(session, text string) string {
		t.Helper()
		path, err := s.Write(session, "x", func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := write("../b", "other")
	var last string
	for i := range spill.Kept + 5 {
		last = write("a", fmt.Sprint(i))
	}
	if data, err := os.ReadFile(last); err != nil || string(data) != fmt.Sprint(spill.Kept+4) {
		t.Errorf("the last holds %q, %v", data, err)
	}
	if files, err := os.ReadDir(filepath.Dir(last)); err != nil || len(files) != spill.Kept {
		t.Errorf("%d files stay, %v", len(files), err)
	}
	if data, err := os.ReadFile(other); err != nil || string(data) != "other" || filepath.Dir(filepath.Dir(other)) != filepath.Join(dir, "results") {
		t.Errorf("another session's %s holds %q, %v", other, data, err)
	}
	for path, mode := range map[string]os.FileMode{last: 0o600, filepath.Dir(last): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
}

// A file that could not be written whole is not there.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	if _, err := spill.New(dir).Write("a", "x", func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if files, err := filepath.Glob(dir + "/*/*"); err != nil || len(files) != 0 {
		t.Errorf("%q stay, %v", files, err)
	}
}
