//go:build linux && !toolfs_portable

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Without a role this is the test; with one it is a child of a program that ran in it.
func TestMain(m *testing.M) {
	if code, ok := asChild(); ok {
		os.Exit(code)
	}
	if args, ok := os.LookupEnv(programVariable); ok {
		os.Exit(command(strings.Fields(args), os.Stdout))
	}
	os.Exit(m.Run())
}

// programVariable names the environment variable that makes this test binary the program.
const programVariable = "TOOLFS_TORTURE_PROGRAM"

// TestShort runs the short form of every program, each as a process of its own. What they
// count is races between processes, of which the race detector knows nothing but makes
// them slow: so it is left out where Go is there to build the program.
func TestShort(t *testing.T) {
	build := filepath.Join(t.TempDir(), "torture")
	if out, err := exec.Command("go", "build", "-o", build, ".").CombinedOutput(); err != nil {
		t.Logf("the programs run in the test binary: %v: %s", err, out)
		build = ""
	}
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			if p.root && os.Geteuid() != 0 {
				skip(t, "it needs root, to mount file systems of its own")
			}
			out, err := runShort(t, build, p.name)
			if t.Failed() || err != nil {
				t.Errorf("%v\n%s", err, out)
				return
			}
			for line := range strings.Lines(out) {
				if strings.HasPrefix(line, "left out: ") {
					t.Log(strings.TrimSpace(line))
				}
			}
		})
	}
}

// runShort runs a program's short form, built or in this very binary.
func runShort(t *testing.T, build, name string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	var cmd *exec.Cmd
	if build != "" {
		cmd = exec.CommandContext(t.Context(), build, name, "-short")
	} else {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd = exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), programVariable+"="+name+" -short")
	}
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil && !strings.HasSuffix(out.String(), "\nPASS\n") {
		err = errors.New("it does not say PASS")
	}
	return out.String(), err
}

func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		t.Fatal(why + ", and TOOLFS_NO_SKIP is set")
	}
	t.Skip(why)
}

// A program that cannot fail proves nothing.
func TestAMissedFigureFails(t *testing.T) {
	tests := []struct {
		name string
		say  func(r *report)
		want int
	}{
		{"nothing lost", func(r *report) { r.none("lost", 0) }, 0},
		{"one lost", func(r *report) { r.none("lost", 1) }, 1},
		{"too few tries", func(r *report) { r.atLeast("tries", 1, 2) }, 1},
		{"another count", func(r *report) { r.exactly("final", 1, 2) }, 1},
		{"an error", func(r *report) { r.fail("broken") }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			r := &report{w: &out}
			tt.say(r)
			got := r.verdict()
			last := map[int]string{0: "PASS\n", 1: "FAIL\n"}[tt.want]
			if got != tt.want || !strings.HasSuffix(out.String(), last) {
				t.Errorf("got %d, %q", got, out.String())
			}
		})
	}
}

func TestWithoutANameTheNamesAreListed(t *testing.T) {
	var out bytes.Buffer
	if code := command(nil, &out); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	for _, p := range programs() {
		if !strings.Contains(out.String(), p.name) {
			t.Errorf("%s is not listed", p.name)
		}
	}
	if code := command([]string{"nothing"}, &out); code == 0 {
		t.Error("an unknown name is no error")
	}
}
