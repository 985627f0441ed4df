//go:build !toolfs_portable

package localfs

// Stepwise makes f walk paths in steps, as on a kernel without openat2.
func (f *FS) Stepwise() { f.stepwise = true }
