//go:build linux && toolfs_portable

package wall

import "github.com/toolfs/toolfs/vfs/vfstest"

const excludesOthers = false

func lacking() []vfstest.Trait { return []vfstest.Trait{vfstest.Proofs} }
