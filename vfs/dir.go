package vfs

import (
	"context"
	"io"
	"strings"
	"time"
)

// DirOpener opens a directory so that what lies below it is reached from there: without
// resolving every path anew, and wherever the directory is moved meanwhile. It is how a
// whole tree is walked. OpenDir composes one for a provider without it.
type DirOpener interface {
	OpenDir(ctx context.Context, t Target) (Dir, error)
}

// Dir is an open directory. It follows no link: what a name turns out to be, when it is
// no directory or no regular file, is FS_NOT_DIRECTORY or FS_NOT_REGULAR_FILE. But for
// Each and Close, its methods are safe for concurrent use. Names are the raw bytes of
// one component.
type Dir interface {
	io.Closer

	// Each calls yield with every direct child, in no particular order, until it is
	// false. A provider that cannot tell a link from what it leads to gives it as that.
	// The name is valid only during the call. It can be asked once.
	Each(ctx context.Context, yield func(name []byte, t Type) bool) error

	// OpenDir opens a direct child that is a directory.
	OpenDir(ctx context.Context, name string) (Dir, error)

	// Load opens a direct child that is a regular file, and reads as much of its
	// beginning as buf has room for. What remains comes from rest, which is nil when
	// buf holds the whole file. After FS_ABORTED, buf must not be used any more.
	Load(ctx context.Context, name string, buf []byte) (n int, rest File, err error)

	// ModTime is when a direct child was last modified, zero where times are not known.
	ModTime(ctx context.Context, name string) (time.Time, error)
}

// Dater knows when a target was last modified.
type Dater interface {
	ModTime(ctx context.Context, t Target) (time.Time, error)
}

// OpenDir opens a directory for walking. Codes: those of Provider.ReadDir.
func OpenDir(ctx context.Context, p Provider, t Target) (Dir, error) {
	if err := aborted(ctx, "list"); err != nil {
		return nil, err
	}
	if o, ok := As[DirOpener](p); ok {
		return o.OpenDir(ctx, t)
	}
	return &composedDir{provider: p, target: t}, nil
}

// composedDir is a Dir over the five methods.
type composedDir struct {
	provider Provider
	target   Target
	parent   *composedDir
	withheld func() int
}

// Withheld implements WithholdingDir.
func (d *composedDir) Withheld() int {
	if d.withheld == nil {
		return 0
	}
	return d.withheld()
}

// Close implements io.Closer; nothing is held open.
func (d *composedDir) Close() error { return nil }

// Each implements Dir.
func (d *composedDir) Each(ctx context.Context, yield func(name []byte, t Type) bool) error {
	entries := d.provider.ReadDir(ctx, d.target)
	if w, ok := As[Withholder](d.provider); ok {
		entries, d.withheld = w.ReadDirWithheld(ctx, d.target)
	}
	for e, err := range entries {
		if err != nil {
			return WithOp(err, "list")
		}
		if !yield([]byte(e.Name), e.Type) {
			return nil
		}
	}
	return nil
}

// child finds a direct child that is no link. "./" lets a name be anything.
func (d *composedDir) child(ctx context.Context, name string, want Type) (Target, error) {
	if name == "" || name == "." || name == ".." || strings.IndexByte(name, '/') >= 0 {
		return Target{}, NotFound("read", Target{Path: d.target.Path + "/" + name})
	}
	info, err := Lstat(ctx, d.provider, d.target.Path, "./"+name)
	if err != nil {
		return Target{}, err
	}
	t, err := d.provider.Resolve(ctx, d.target.Path, "./"+name)
	if err == nil && info.Type != want {
		err = notOfType(t, want)
	}
	return t, err
}

func notOfType(t Target, want Type) error {
	if want == TypeDirectory {
		return &Error{Op: "list", Path: t.Path, Code: CodeNotDirectory, Msg: "not a directory"}
	}
	return NotRegular("read", t)
}

// OpenDir implements Dir. Where links cannot be told, one that leads back up is known by
// its identity.
func (d *composedDir) OpenDir(ctx context.Context, name string) (Dir, error) {
	t, err := d.child(ctx, name, TypeDirectory)
	if err != nil {
		return nil, err
	}
	for up := d; up != nil; up = up.parent {
		if up.target.Key == t.Key {
			return nil, notOfType(t, TypeDirectory)
		}
	}
	return &composedDir{provider: d.provider, target: t, parent: d}, nil
}

// Load implements Dir.
func (d *composedDir) Load(ctx context.Context, name string, buf []byte) (n int, rest File, err error) {
	t, err := d.child(ctx, name, TypeFile)
	if err != nil {
		return 0, nil, err
	}
	f, err := d.provider.Open(ctx, t)
	if err != nil {
		return 0, nil, WithOp(err, "read")
	}
	for n < len(buf) {
		if err := aborted(ctx, "read"); err != nil {
			f.Close()
			return 0, nil, err
		}
		m, err := f.Read(buf[n:])
		n += m
		switch {
		case err == io.EOF:
			return n, nil, f.Close()
		case err != nil:
			f.Close()
			return n, nil, readFailed("read", t, err)
		}
	}
	return n, f, nil
}

// ModTime implements Dir.
func (d *composedDir) ModTime(ctx context.Context, name string) (time.Time, error) {
	t, err := d.child(ctx, name, TypeFile)
	if err != nil {
		return time.Time{}, err
	}
	if dater, ok := As[Dater](d.provider); ok {
		return dater.ModTime(ctx, t)
	}
	return time.Time{}, nil
}

// WithholdingDir is implemented by a Dir that keeps some children back: how many, once
// Each has given all others.
type WithholdingDir interface{ Withheld() int }
