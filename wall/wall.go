// Package wall puts a second wall around what a provider for the local disk may change:
// the kernel's. The provider's own fence decides what a call may do, and knows more than
// a kernel can be told; the wall makes sure that even a mistake in the fence creates,
// replaces, renames, links or removes nothing outside the writable directories.
//
// The wall is Landlock, which a process puts up around itself for good. A program in
// which nothing is ever escalated calls Self. Otherwise New has a process of its own do
// the writing of workspace-write mode, and what a person allowed to go beyond is done
// here.
//
// Landlock does not cover everything: the mode, the owner, the times and the extended
// attributes of files outside, and what was open for writing before. It knows no
// exceptions below a writable directory either, so that protected places are the fence's
// alone. Reading is not its business here.
package wall

import (
	"context"
	"os"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// Connection is the descriptor at which a worker finds its connection.
const Connection = 3

// Status says whether the wall stands.
type Status struct {
	// ABI is the version of Landlock that the kernel has, 0 without it. Truncation is
	// covered from 3 on.
	ABI int `json:"abi"`
	// Confined says that changes outside fail in the kernel.
	Confined bool `json:"confined"`
	// Why says so in words, for a person.
	Why string `json:"why"`
}

// Options configures New. The zero value is useful.
type Options struct {
	// Command is the program that calls Work, and its arguments; nil is this program
	// with the argument "worker".
	Command []string
	// Stderr gets what the worker says when it crashes; nil is nowhere.
	Stderr *os.File
}

// FS is a localfs.FS whose changes of files are made behind the wall. It reads by
// itself. Safe for concurrent use.
type FS struct {
	*localfs.FS
	workers *pool // nil where there is no wall
	status  Status
}

// New puts the wall around the changes that fs makes in workspace-write mode. Without
// Landlock, fs works as before, and Status says why. fs then belongs to what New returns,
// which closes it; after an error it is still the caller's.
func New(ctx context.Context, fs *localfs.FS, o Options) (*FS, error) {
	f := &FS{FS: fs}
	if fs.SandboxMode() == "" {
		f.status = Status{ABI: ABI(), Why: "no sandbox mode is in force"}
		return f, nil
	}
	var err error
	if f.workers, f.status, err = newPool(ctx, fs, o); err != nil {
		return nil, err
	}
	return f, nil
}

// Status says whether the wall stands.
func (f *FS) Status() Status { return f.status }

// Close ends the workers and closes the provider.
func (f *FS) Close() error {
	f.workers.close()
	return f.FS.Close()
}

// Put implements vfs.Provider.
func (f *FS) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	if f.workers == nil {
		return f.FS.Put(ctx, t, data, o)
	}
	held, release, err := f.Exclusive(ctx, t)
	if err != nil {
		return vfs.Info{}, err
	}
	defer release()
	return held.Put(ctx, t, data, o)
}

// Exclusive implements vfs.Exclusive.
func (f *FS) Exclusive(ctx context.Context, t vfs.Target) (vfs.Provider, func(), error) {
	held, release, err := f.FS.Exclusive(ctx, t)
	if err != nil || f.workers == nil {
		return held, release, err
	}
	s := &section{FS: f, key: t.Key, held: held, unlock: release, uses: 1}
	return s, s.leave, nil
}
