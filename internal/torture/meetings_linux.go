//go:build !toolfs_portable

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

// without makes a system that does not know a call.
func without(call string, sys atomicfile.Sys) atomicfile.Sys {
	return &hooked{sys: sys, short: 1 << 20, leave: func(string) {}, enter: func(c string) error {
		if c == call {
			return unix.EOPNOTSUPP
		}
		return nil
	}}
}

// noExchange cannot exchange two names, like many network file systems.
type noExchange struct{ atomicfile.Sys }

func (n noExchange) Rename(dir int, from, to string, flags uint) error {
	if flags&unix.RENAME_EXCHANGE != 0 {
		return unix.EINVAL
	}
	return n.Sys.Rename(dir, from, to, flags)
}

// intruded lets another program rename a file of its own over ours right before the
// first exchange.
type intruded struct {
	atomicfile.Sys
	p    *place
	done bool
}

func (i *intruded) Rename(dir int, from, to string, flags uint) error {
	if flags&unix.RENAME_EXCHANGE != 0 && !i.done {
		i.done = true
		theirs := filepath.Join(i.p.base, "theirs")
		err := errors.Join(os.WriteFile(theirs, theirContent(), 0o644), os.Rename(theirs, i.p.file(leaf)),
			os.WriteFile(i.p.intrusion(), nil, 0o644))
		if err != nil {
			return err
		}
	}
	return i.Sys.Rename(dir, from, to, flags)
}

// flickering lets another program write the file while the system copies from it, and undo
// that right after, so that it has its old content whenever it is looked at.
type flickering struct {
	atomicfile.Sys
	p *place
}

func (f flickering) CopyRange(from int, offset int64, to, n int) (int, error) {
	if err := f.write(bytes.Repeat([]byte{'X'}, len(oldContent()))); err != nil {
		return 0, err
	}
	n, failed := f.Sys.CopyRange(from, offset, to, n)
	return n, errors.Join(failed, f.write(oldContent()))
}

func (f flickering) write(data []byte) error {
	file, err := os.OpenFile(f.p.file(leaf), os.O_WRONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil // it is kept from writing
	}
	if err != nil {
		return err
	}
	_, err = file.WriteAt(data, 0)
	return errors.Join(err, file.Close())
}

// intrusion is the name of a file that is there once that took place.
func (p *place) intrusion() string { return filepath.Join(p.base, "intrusion") }
