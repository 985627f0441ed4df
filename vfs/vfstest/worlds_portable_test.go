//go:build !linux || toolfs_portable

package vfstest_test

import "github.com/toolfs/toolfs/vfs/vfstest"

// The portable provider verifies a version right before it publishes, and cannot close
// the window in between to other processes; within one it can.
const (
	build          = "portable"
	excludesOthers = false
)

// lacking: it does not notice that somebody writes into what it reads.
func lacking() []vfstest.Trait { return []vfstest.Trait{vfstest.Proofs} }
