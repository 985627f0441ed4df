package vfstest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// special makes FIFOs.
func special() func(string) error {
	return func(name string) error { return syscall.Mkfifo(name, 0o644) }
}

// handles counts the process's descriptors of files and directories below dir, so that
// those of tests that run beside do not count.
func handles(dir string) func() int {
	return func() int {
		const open = "/proc/self/fd"
		entries, err := os.ReadDir(open)
		if err != nil {
			panic(err)
		}
		n := 0
		for _, e := range entries {
			if at, err := os.Readlink(filepath.Join(open, e.Name())); err == nil && strings.HasPrefix(at, dir) {
				n++
			}
		}
		return n
	}
}
