//go:build !toolfs_portable

package localfs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// scripted is a provider whose search program is a script, and a tree of a few files.
func scripted(t *testing.T, script string) (*localfs.FS, vfs.GrepQuery) {
	t.Helper()
	dir := t.TempDir()
	for i := range 200 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d", i)), []byte("a needle\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "rg")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	disk, err := localfs.Root([]string{dir}, localfs.Options{NoSync: true, Ripgrep: program})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	return disk, vfs.GrepQuery{Dir: resolved(t, disk, dir), Pattern: "needle"}
}

// TestProgramFails: whatever becomes of the program, all is found.
func TestProgramFails(t *testing.T) {
	for rule, script := range map[string]string{
		"it fails":               "exit 2",
		"it is killed":           "kill -9 $$",
		"it talks nonsense":      "printf 'rg: no\\n'; printf '\\0\\0./\\0../f000\\0/f001\\0' ; echo secret >&2; exit 1",
		"it stops in the middle": "printf './f000'",
	} {
		disk, q := scripted(t, script)
		if !used(t, disk, q) {
			t.Errorf("%s: it was not started", rule)
		}
		if got := grepAll(t.Context(), disk, q); len(got.Found) != 200 || got.Report.Stopped != "" || got.Err != "" {
			t.Errorf("%s: %d lines, %+v, %s", rule, len(got.Found), got.Report, got.Err)
		}
	}
	disk, q := scripted(t, "exit 0")
	if err := os.Remove(disk.Ripgrep()); err != nil {
		t.Fatal(err)
	}
	if got := grepAll(t.Context(), disk, q); len(got.Found) != 200 {
		t.Errorf("it is gone: %d lines", len(got.Found))
	}
}

// TestProgramHangs: a search ends with its context, and a deadline leaves time to find
// things without the program.
func TestProgramHangs(t *testing.T) {
	disk, q := scripted(t, "exec /bin/sleep 600")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if got := grepAll(ctx, disk, q); len(got.Found) != 200 || got.Report.Stopped != "" {
		t.Errorf("%d lines, %+v", len(got.Found), got.Report)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	start := time.Now()
	if got := grepAll(ctx, disk, q); got.Report.Stopped != vfs.StoppedByCaller {
		t.Errorf("%+v", got.Report)
	}
	if took := time.Since(start); took > 300*time.Millisecond && !raceEnabled {
		t.Errorf("it ended %v after its start", took)
	}
}

// TestEnough: a search of which nobody wants more says so.
func TestEnough(t *testing.T) {
	disk, q := scripted(t, "exit 1")
	report, err := search.Grep(t.Context(), disk, q, func(vfs.FoundLines) bool { return false })
	if err != nil || report.Stopped != vfs.StoppedByBudget {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestRipgrepPath: where a program is must not depend on the working directory.
func TestRipgrepPath(t *testing.T) {
	if disk, err := localfs.Root([]string{t.TempDir()}, localfs.Options{Ripgrep: "rg"}); err == nil {
		disk.Close()
		t.Error("a relative path is taken")
	}
}
