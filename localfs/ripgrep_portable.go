//go:build !linux || toolfs_portable

package localfs

import (
	"context"
	"errors"

	"github.com/toolfs/toolfs/vfs"
)

// Grep implements vfs.Searcher.
func (f *FS) Grep(context.Context, vfs.GrepQuery, func(vfs.FoundLines) bool) (vfs.SearchReport, error) {
	return vfs.SearchReport{}, errors.ErrUnsupported
}
