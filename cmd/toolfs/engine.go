package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/toolfs/toolfs/localfs"
)

// engineRG is the value of --engine for which a program is run. By auto none is: searching
// without one was never slower where it was measured, and there is nothing to start.
const engineRG = "rg"

// engine gives the provider the search program that --engine names.
func (w workspace) engine(o *localfs.Options, roots []string) error {
	if w.Engine != engineRG {
		return nil
	}
	o.Ripgrep = ripgrep(append(roots[:len(roots):len(roots)], w.Writable...))
	if o.Ripgrep == "" {
		return usageError{errors.New("--engine rg needs ripgrep (rg) in a directory on PATH that is not served, and Linux: install it, or leave the flag out for the same results without it")}
	}
	return nil
}

// ripgrep finds the search program on PATH, "" for none. What lies below one of the
// directories, where a model may write, is never executed.
func ripgrep(dirs []string) string {
	if runtime.GOOS != "linux" {
		return ""
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path, err := exec.LookPath(filepath.Join(dir, "rg"))
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil && !anyHolds(dirs, path) {
			return path
		}
	}
	return ""
}

func anyHolds(dirs []string, path string) bool {
	for _, dir := range dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return true
		}
	}
	return false
}
