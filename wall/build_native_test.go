//go:build linux && !toolfs_portable

package wall

import "github.com/toolfs/toolfs/vfs/vfstest"

const excludesOthers = true

func lacking() []vfstest.Trait { return nil }
