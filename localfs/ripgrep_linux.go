//go:build !toolfs_portable

package localfs

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/linepattern"
	"github.com/toolfs/toolfs/internal/ripgrep"
	"github.com/toolfs/toolfs/internal/textenc"
	treesearch "github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/vfs"
)

// Grep implements vfs.Searcher. The walk, the rules, every count and every line are those
// of package search; ripgrep only says which files need not be read. So what is withheld
// stays so, and no program decides what is inside the roots.
func (f *FS) Grep(ctx context.Context, q vfs.GrepQuery, found func(vfs.FoundLines) bool) (vfs.SearchReport, error) {
	sieve, err := f.sieve(ctx, q)
	if err != nil {
		return vfs.SearchReport{}, errors.ErrUnsupported
	}
	defer sieve.Close()
	return treesearch.GrepSifted(ctx, f, q, sieve.Without, found)
}

// sieve starts ripgrep for a search that it can help with: of a directory on a disk,
// whose files are what their bytes are, in UTF-8, and for an expression that matches in
// some files only.
func (f *FS) sieve(ctx context.Context, q vfs.GrepQuery) (*ripgrep.Sieve, error) {
	if f.options.Ripgrep == "" || f.options.Encoding != textenc.UTF8.Name() {
		return nil, errors.ErrUnsupported
	}
	pattern, err := linepattern.Compile(q.Pattern)
	if err != nil {
		return nil, err
	}
	expr, ok := pattern.Coarse()
	if !ok {
		return nil, errors.ErrUnsupported
	}
	dir, err := patient(ctx, f, "list", "list", q.Dir, 0, func() (*directory, error) { return f.openDir(q.Dir) })
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if kind := fstypeOf(dir.fd); !onDisk(kind) && kind != unix.OVERLAYFS_SUPER_MAGIC {
		return nil, errors.ErrUnsupported
	}
	return ripgrep.Start(ctx, ripgrep.Query{Program: f.options.Ripgrep, Dir: dir.fd, Expr: expr, Include: q.Include})
}
