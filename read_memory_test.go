package toolfs_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
)

// A window of a huge file is read without holding the file: everything that one call
// allocates, kept or not, stays under 8 MiB.
func TestReadHoldsNoMoreThanAWindow(t *testing.T) {
	dir := t.TempDir()
	for name, unit := range map[string]string{
		"one line": strings.Repeat("x", 1<<16), "short lines": strings.Repeat("line\n", 1<<13), "wide lines": strings.Repeat("é", 1<<14) + "\r\n",
		"UTF-16": "\xff\xfe" + strings.Repeat("l\x00\x65\x67\r\x00\n\x00", 1<<13),
	} {
		write(t, filepath.Join(dir, name), unit, 100<<20)
	}
	disk, err := localfs.Root([]string{dir}, localfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	tools, err := toolfs.New(toolfs.Options{Provider: disk})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	for _, args := range []string{`{"file_path":"one line"}`, `{"file_path":"short lines","offset":10000000}`, `{"file_path":"wide lines"}`, `{"file_path":"UTF-16","offset":10000000}`} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := tools.Execute(context.Background(), tool.Call{Name: "read", Arguments: []byte(args), Session: &tool.Session{ID: "s", Cwd: dir}})
		runtime.ReadMemStats(&after)
		if r.IsError {
			t.Fatalf("%s: %s", args, r.Error.Message)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s allocated %d bytes", args, used)
		}
	}
}

func write(t *testing.T, path, unit string, size int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for n := 0; n < size; n += len(unit) {
		w.WriteString(unit)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}
