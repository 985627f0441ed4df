//go:build linux && !toolfs_portable

package vfstest_test

const (
	build          = "native"
	excludesOthers = true
)
