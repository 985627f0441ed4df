//go:build !linux || toolfs_portable

package vfstest_test

// The portable provider verifies a version right before it publishes, and cannot close
// the window in between to other processes; within one it can.
const (
	build          = "portable"
	excludesOthers = false
)
