package localfs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/toolfs/toolfs/vfs"
)

// Glob implements vfs.Searcher. Ripgrep's list of files has neither the times by which
// they are ordered nor what could not be read, and to find out both is to walk.
func (f *FS) Glob(context.Context, vfs.GlobQuery, func(vfs.FoundFile) bool) (vfs.SearchReport, error) {
	return vfs.SearchReport{}, errors.ErrUnsupported
}

// Ripgrep is the search program that is used, "" for none.
func (f *FS) Ripgrep() string { return f.options.Ripgrep }

// checkRipgrep refuses a name that depends on where the process is.
func checkRipgrep(path string) error {
	if path != "" && !filepath.IsAbs(path) {
		return fmt.Errorf("localfs: Ripgrep must be an absolute path, not %q", path)
	}
	return nil
}
