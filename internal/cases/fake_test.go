//go:build linux

package cases_test

import (
	"context"
	"io"
	"iter"

	"github.com/toolfs/toolfs/vfs"
)

// double is a provider that passes everything on, but for what a test replaces. It
// shows no capability of what it wraps.
type double struct {
	vfs.Provider
	open    func(ctx context.Context, t vfs.Target) (vfs.File, error)
	readDir func(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error]
	stat    func(ctx context.Context, t vfs.Target) (vfs.Info, error)
}

func (d *double) Stat(ctx context.Context, t vfs.Target) (vfs.Info, error) {
	if d.stat != nil {
		return d.stat(ctx, t)
	}
	return d.Provider.Stat(ctx, t)
}

func (d *double) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	if d.open != nil {
		return d.open(ctx, t)
	}
	return d.Provider.Open(ctx, t)
}

func (d *double) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	if d.readDir != nil {
		return d.readDir(ctx, t)
	}
	return d.Provider.ReadDir(ctx, t)
}

// file is an open file with content that a test makes up.
type file struct {
	io.Reader
	info vfs.Info
}

func (f *file) Info() vfs.Info { return f.info }
func (f *file) Close() error   { return nil }

// endless reads as the same byte again and again, size times.
type endless struct {
	left   int64
	before func() // each read
}

func (e *endless) Read(p []byte) (int, error) {
	if e.before != nil {
		e.before()
	}
	if e.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), e.left))
	for i := range p[:n] {
		p[i] = 'a'
	}
	e.left -= int64(n)
	return n, nil
}

// oneLine is a file of a single line of size bytes.
func oneLine(size int64, before func()) (stat func(context.Context, vfs.Target) (vfs.Info, error), open func(context.Context, vfs.Target) (vfs.File, error)) {
	info := vfs.Info{Type: vfs.TypeFile, Size: size}
	stat = func(context.Context, vfs.Target) (vfs.Info, error) { return info, nil }
	open = func(context.Context, vfs.Target) (vfs.File, error) {
		return &file{&endless{left: size, before: before}, info}, nil
	}
	return stat, open
}
