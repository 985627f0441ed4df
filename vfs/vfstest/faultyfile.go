package vfstest

import (
	"context"

	"github.com/toolfs/toolfs/vfs"
)

// Open implements vfs.Provider.
func (f *FaultyProvider) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	var file *faultyFile
	err := f.call(ctx, MethodOpen, "read", func(due []Fault) error {
		inner, err := f.inner.Open(ctx, t)
		if err == nil {
			file = &faultyFile{ctx: ctx, p: f, inner: inner, size: resized(due, inner.Info()).Size}
		}
		return err
	})
	switch {
	case err == nil:
		return file, nil
	case file != nil: // it failed late: nobody else will close it
		file.inner.Close()
	}
	return nil, err
}

// faultyFile is a file with the faults of its provider.
type faultyFile struct {
	ctx   context.Context // of the Open: what a blocked Read waits for
	p     *FaultyProvider
	inner vfs.File
	size  int64
}

func (f *faultyFile) Info() vfs.Info {
	info := f.inner.Info()
	info.Size = f.size
	return info
}

func (f *faultyFile) Read(p []byte) (n int, err error) {
	err = f.p.call(f.ctx, MethodRead, "read", func(due []Fault) (err error) {
		for _, fault := range due {
			if fault.Short > 0 {
				p = p[:min(len(p), fault.Short)]
			}
		}
		n, err = f.inner.Read(p)
		return err
	})
	return n, err
}

func (f *faultyFile) Close() error {
	inner := f.inner.Close() // whatever the fault is, nothing stays open
	return f.p.call(f.ctx, MethodClose, "read", func([]Fault) error { return inner })
}
