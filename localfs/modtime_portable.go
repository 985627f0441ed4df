//go:build !linux || toolfs_portable

package localfs

import (
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// modTime looks at the name itself.
func (f *FS) modTime(t vfs.Target) (time.Time, error) {
	p, err := f.place(t.Key)
	if err != nil {
		return time.Time{}, f.statError("stat", t, err)
	}
	defer p.close()
	info, err := p.dir.Lstat(p.rel)
	if err != nil {
		return time.Time{}, f.statError("stat", t, err)
	}
	return info.ModTime(), nil
}
