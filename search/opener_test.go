//go:build linux && !toolfs_portable

package search_test

import (
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

var _ vfs.DirOpener = (*localfs.FS)(nil)
