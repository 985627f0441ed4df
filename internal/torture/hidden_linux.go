//go:build !toolfs_portable

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// change is one that hides: prepare runs before the file is read, and gives the change
// itself and what ends it.
type change struct {
	name    string
	slow    bool // the file stays open for writing, so that we wait for it
	prepare func(p *place) (change func() error, end func(), err error)
}

const hiddenSize = 4096

func hiddenContent(one byte) []byte { return bytes.Repeat([]byte{one}, hiddenSize) }

// hide makes every change that hides behind an unchanged size or time right after a read,
// and then puts a content that is only to replace what was read.
func hide(ctx context.Context, c config, r *report) error {
	n := c.count(2_000, 100)
	for _, where := range []string{memory, c.disk} {
		p, err := newPlace(where)
		if err != nil {
			return err
		}
		err = hideIn(ctx, where, p, n, r)
		p.remove()
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	const coarse = "ext4 with time stamps of seconds"
	if os.Geteuid() != 0 {
		r.leftOut(coarse, "it needs root, to mount")
		return nil
	}
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		r.leftOut(coarse, "mkfs.ext4 is missing")
		return nil
	}
	p, err := newPlace(c.disk)
	if err != nil {
		return err
	}
	defer p.remove()
	d, err := newDisk(ctx, p, 32, "mkfs.ext4", "-q", "-F", "-I", "128")
	if err != nil {
		return err
	}
	defer d.unmount()
	return hideIn(ctx, coarse, p, n, r)
}

func hideIn(ctx context.Context, name string, p *place, n int, r *report) error {
	disk, err := p.provider()
	if err != nil {
		return err
	}
	defer disk.Close()
	for _, h := range changes() {
		misses, tries := 0, n
		if h.slow {
			tries = max(n/50, 1)
		}
		for range tries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := os.WriteFile(p.file(leaf), hiddenContent('a'), 0o644); err != nil {
				return err
			}
			change, end, err := h.prepare(p)
			if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) {
				tries = 0
				break // not on this file system
			}
			if err != nil {
				return fmt.Errorf("%s: %w", h.name, err)
			}
			file, version, err := seen(ctx, disk)
			if err != nil {
				return err
			}
			if err := change(); err != nil {
				return fmt.Errorf("%s: %w", h.name, err)
			}
			_, err = disk.Put(ctx, file, hiddenContent('c'), vfs.PutOptions{If: vfs.IfVersion(version)})
			if code := vfs.CodeOf(err); code != vfs.CodeStaleVersion && code != vfs.CodeBusy {
				misses++
			}
			end()
			if data, err := os.ReadFile(p.file(leaf)); err != nil || bytes.IndexByte(data, 'b') < 0 {
				misses++
			}
		}
		r.say(name+": "+h.name+": changes", tries)
		r.none(name+": "+h.name+": not noticed", misses)
	}
	return nil
}
