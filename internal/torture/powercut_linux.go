//go:build !toolfs_portable

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// cutPower shuts file systems down under a writer without letting them write out what
// they have in memory, and mounts them again. What reached the file system's image by
// then is kept, so this tests the order of what is written, not the caches of disks.
func cutPower(ctx context.Context, c config, r *report) error {
	for _, fs := range []struct {
		name string
		size int64 // megabytes; xfs has a least one
		mkfs []string
	}{
		{"ext4", 128, []string{"mkfs.ext4", "-q", "-F"}},
		{"xfs", 512, []string{"mkfs.xfs", "-q", "-f"}},
	} {
		if !c.wants(fs.name) {
			continue
		}
		if _, err := exec.LookPath(fs.mkfs[0]); err != nil {
			r.leftOut(fs.name, fs.mkfs[0]+" is missing")
			continue
		}
		if err := cutPowerOf(ctx, c, r, fs.name, fs.size, fs.mkfs); err != nil {
			return fmt.Errorf("%s: %w", fs.name, err)
		}
	}
	return nil
}

func cutPowerOf(ctx context.Context, c config, r *report, name string, size int64, mkfs []string) error {
	p, err := newPlace(c.disk)
	if err != nil {
		return err
	}
	defer p.remove()
	d, err := newDisk(ctx, p, size, mkfs...)
	if err != nil {
		return err
	}
	defer d.unmount()
	cuts := c.count(100, 5)
	var lost damage
	for range cuts {
		acknowledged, err := writeUntilCut(ctx, p)
		if err != nil {
			return err
		}
		if err := d.unmount(); err != nil {
			return fmt.Errorf("unmounting: %w", err)
		}
		if err := d.mount(ctx); err != nil {
			return err
		}
		if err := lost.check(ctx, p, acknowledged); err != nil {
			return err
		}
	}
	r.say(name+": cuts", cuts)
	lost.report(r, name, cuts)
	return nil
}

// writeUntilCut gives what a writer had acknowledged when the power went.
func writeUntilCut(ctx context.Context, p *place) ([]string, error) {
	w, err := startChild(ctx, "writer", p.base, "live")
	if err != nil {
		return nil, err
	}
	defer w.stop()
	if first, err := w.line(); err != nil || first != "ready" {
		return nil, fmt.Errorf("the writer said %q, %v, %s", first, err, w.stderr.String())
	}
	failed := make(chan error, 1)
	timer := time.AfterFunc(100*time.Millisecond+rand.N(300*time.Millisecond), func() {
		err := shutDown(p.dir)
		// What it asks for next fails, but for an xfs that has nothing to write; it
		// must not go on for ever.
		time.AfterFunc(100*time.Millisecond, w.kill)
		failed <- err
	})
	defer timer.Stop()
	acknowledged := w.rest()
	select {
	case err := <-failed:
		return acknowledged, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// shutDown is FS_IOC_SHUTDOWN: the file system ends here and now, without a flush of
// its log.
func shutDown(dir string) error {
	const (
		ioctlShutdown = 0x8004587d
		noLogFlush    = 2
	)
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	how := uint32(noLogFlush)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, d.Fd(), ioctlShutdown, uintptr(unsafe.Pointer(&how))); errno != 0 {
		return fmt.Errorf("FS_IOC_SHUTDOWN: %w", errno)
	}
	return nil
}
