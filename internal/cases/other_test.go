//go:build linux

package cases_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

const otherUser = 1000

// asOther runs f with the file permissions of somebody without privileges, to whom the
// workspace belongs. They are a thread's, and a call that nothing can cancel does all it
// does on the thread of its caller.
func asOther(t *testing.T, w *world, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f() // nobody special anyway
		return
	}
	w.must(os.Chown(w.ws, otherUser, otherUser))
	w.must(os.Chmod(w.base, 0o755), os.Chmod(filepath.Dir(w.base), 0o755)) // else nobody else gets there
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w.must(syscall.Setfsgid(otherUser), syscall.Setfsuid(otherUser))
	defer func() { w.must(syscall.Setfsuid(0), syscall.Setfsgid(0)) }()
	w.onThread = true
	defer func() { w.onThread = false }()
	f()
}
