package localfs

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// Resolve implements vfs.Provider. The key is the canonical path through every link,
// found component by component as the kernel does, also for a file that does not exist
// yet and for a dangling link, whose target it then is. The path shown is the one that
// was asked for, made absolute, links kept, "." and ".." folded unless that would name
// another file.
func (f *FS) Resolve(ctx context.Context, base, name string) (vfs.Target, error) {
	if ctx.Err() != nil {
		return vfs.Target{}, vfs.Aborted("resolve", context.Cause(ctx))
	}
	t, asked, from, err := f.spell(base, name)
	if err != nil {
		return t, err
	}
	found, err := patient(ctx, f, "resolve", "resolve", t, 0, func() (vfs.Target, error) { return f.resolve(t, asked, from, name) })
	if err == nil && ctx.Err() != nil {
		err = vfs.Aborted("resolve", context.Cause(ctx))
	}
	return found, err
}

// Stat implements vfs.Provider.
func (f *FS) Stat(ctx context.Context, t vfs.Target) (vfs.Info, error) {
	if ctx.Err() != nil {
		return vfs.Info{}, vfs.Aborted("stat", context.Cause(ctx))
	}
	return patient(ctx, f, "stat", "stat", t, 0, func() (vfs.Info, error) { return f.stat("stat", t) })
}

// Lstat implements vfs.Lstater.
func (f *FS) Lstat(ctx context.Context, base, name string) (vfs.Info, error) {
	_, t, err := f.split(ctx, base, name)
	if err != nil {
		return vfs.Info{}, err
	}
	return patient(ctx, f, "lstat", "stat", t, 0, func() (vfs.Info, error) { return f.lstat(t) })
}

// Open implements vfs.Provider. The file's reads end with ctx as well.
func (f *FS) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	if ctx.Err() != nil {
		return nil, vfs.Aborted("read", context.Cause(ctx))
	}
	opened, err := patient(ctx, f, "read", "read", t, 0, func() (*file, error) { return f.open(t) })
	if err != nil {
		return nil, err
	}
	return &boundFile{file: opened, fs: f, ctx: ctx, lateCloser: lateCloser{close: opened.Close}}, nil
}

// boundFile is an open file whose reads end with the context that it was opened with.
type boundFile struct {
	*file
	fs  *FS
	ctx context.Context
	lateCloser
}

// Close implements io.Closer.
func (b *boundFile) Close() error { return b.lateCloser.Close() }

// Read implements io.Reader. After a read that was left behind, p belongs to it. A disk
// of this machine always answers, and is not worth a goroutine for each read.
func (b *boundFile) Read(p []byte) (int, error) {
	if b.onDisk {
		return b.file.Read(p)
	}
	return patient(b.ctx, b.fs, "read", "read", b.target, 0, func() (n int, err error) {
		b.use(func() { n, err = b.file.Read(p) })
		return n, err
	})
}

// ReadAt implements io.ReaderAt, with the patience of Read.
func (b *boundFile) ReadAt(p []byte, at int64) (int, error) {
	if b.onDisk {
		return b.file.ReadAt(p, at)
	}
	return patient(b.ctx, b.fs, "read", "read", b.target, 0, func() (n int, err error) {
		b.use(func() { n, err = b.file.ReadAt(p, at) })
		return n, err
	})
}

// ReadDir implements vfs.Provider. Types come from the directory itself; only a link is
// looked at.
func (f *FS) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	entries, _ := f.ReadDirWithheld(ctx, t)
	return entries
}

// ReadDirWithheld implements vfs.Withholder.
func (f *FS) ReadDirWithheld(ctx context.Context, t vfs.Target) (entries iter.Seq2[vfs.Entry, error], withheld func() int) {
	var count atomic.Int64
	return f.readDir(ctx, t, &count), func() int { return int(count.Load()) }
}

func (f *FS) readDir(ctx context.Context, t vfs.Target, withheld *atomic.Int64) iter.Seq2[vfs.Entry, error] {
	return func(yield func(vfs.Entry, error) bool) {
		if ctx.Err() != nil {
			yield(vfs.Entry{}, vfs.Aborted("list", context.Cause(ctx)))
			return
		}
		dir, err := patient(ctx, f, "list", "list", t, 0, func() (*directory, error) { return f.openDir(t) })
		if err != nil {
			yield(vfs.Entry{}, err)
			return
		}
		open := lateCloser{close: dir.Close}
		defer open.Close()
		defer func() { withheld.Store(dir.filter.counted()) }()
		for {
			if ctx.Err() != nil {
				yield(vfs.Entry{}, vfs.Aborted("list", context.Cause(ctx)))
				return
			}
			entries, err := patient(ctx, f, "list", "list", t, 0, func() (list []vfs.Entry, err error) {
				open.use(func() { list, err = dir.next(ctx) })
				return list, err
			})
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(vfs.Entry{}, err)
				return
			}
			if len(entries) == 0 {
				return
			}
		}
	}
}

// linkType is the type of what a link leads to; a link that leads out of the roots
// shows no more than that it is there.
func (f *FS) linkType(ctx context.Context, dir vfs.Target, name string) vfs.Type {
	child, err := f.Resolve(ctx, dir.Key, name)
	if err != nil {
		return vfs.TypeOther
	}
	info, err := f.Stat(ctx, child)
	if err != nil {
		return vfs.TypeOther
	}
	return info.Type
}

// Put implements vfs.Provider.
func (f *FS) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	unlock, err := f.locks.Lock(ctx, t.Key)
	if err != nil {
		return vfs.Info{}, vfs.Aborted("write", err)
	}
	return f.putPatiently(ctx, t, unlock, func() (vfs.Info, error) { return f.put(ctx, t, data, o) })
}

// putPatiently runs a publication; the critical section lasts as long as it does, even
// if nobody waits for it any more.
func (f *FS) putPatiently(ctx context.Context, t vfs.Target, unlock func(), put func() (vfs.Info, error)) (vfs.Info, error) {
	if ctx.Err() != nil {
		unlock()
		return vfs.Info{}, vfs.Aborted("write", context.Cause(ctx))
	}
	if err := f.stalls.refusal("write", t); err != nil {
		unlock()
		return vfs.Info{}, err
	}
	return await(ctx, f, "write", t, putGrace, func() (vfs.Info, error) {
		defer unlock()
		return put()
	})
}

// Exclusive implements vfs.Exclusive: one critical section per file identity, first
// come first served.
func (f *FS) Exclusive(ctx context.Context, t vfs.Target) (vfs.Provider, func(), error) {
	unlock, err := f.locks.Lock(ctx, t.Key)
	if err != nil {
		return nil, nil, vfs.Aborted("write", err)
	}
	h := &held{FS: f, key: t.Key, unlock: unlock}
	return h, h.release, nil
}

// split finds the directory that a name lies in, for what is to be looked at itself.
func (f *FS) split(ctx context.Context, base, name string) (parent, t vfs.Target, err error) {
	dir, leaf := filepath.Split(strings.TrimRight(name, string(os.PathSeparator)))
	switch {
	case leaf == "" || leaf == "." || leaf == ".." || textenc.Blank(name):
		dir, leaf = name, ""
	case dir == "":
		dir = "."
	}
	parent, err = f.Resolve(ctx, base, dir)
	return parent, vfs.Target{Key: filepath.Join(parent.Key, leaf), Path: filepath.Join(parent.Path, leaf)}, err
}
