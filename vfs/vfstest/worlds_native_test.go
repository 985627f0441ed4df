//go:build linux && !toolfs_portable

package vfstest_test

import "github.com/toolfs/toolfs/vfs/vfstest"

const (
	build          = "native"
	excludesOthers = true
)

func lacking() []vfstest.Trait { return nil }
