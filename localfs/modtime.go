package localfs

import (
	"context"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// ModTime implements vfs.Dater.
func (f *FS) ModTime(ctx context.Context, t vfs.Target) (time.Time, error) {
	if ctx.Err() != nil {
		return time.Time{}, vfs.Aborted("stat", context.Cause(ctx))
	}
	return patient(ctx, f, "stat", "stat", t, 0, func() (time.Time, error) { return f.modTime(t) })
}
