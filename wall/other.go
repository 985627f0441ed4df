//go:build !linux

package wall

import (
	"context"
	"errors"
	"os"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

const elsewhere = "this system has no Landlock"

// ABI is the version of Landlock that the kernel has, 0 without it.
func ABI() int { return 0 }

// Self puts the wall around this process. Here, that does nothing but say so.
func Self(*localfs.FS, ...string) (Status, error) { return Status{Why: elsewhere}, nil }

// Work does the writing for the process at the other end of a connection. Here, nobody
// asks for it.
func Work(context.Context, *os.File) error { return errors.New("wall: " + elsewhere) }

// pool has no worker.
type pool struct{}

func newPool(context.Context, *localfs.FS, Options) (*pool, Status, error) {
	return nil, Status{Why: elsewhere}, nil
}

func (*pool) close() {}

func (*pool) put(context.Context, vfs.Target, []byte, vfs.PutOptions, func() func()) (vfs.Info, error) {
	return vfs.Info{}, errors.ErrUnsupported
}
