//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// trouble is a disk that cannot take what is written. It gives how to end it.
type trouble struct {
	name  string
	mkfs  []string
	begin func(p *place) error
}

// fillDisks writes to disks that are full, that have no inode left, that turn read-only,
// and past the limit on the size of files.
func fillDisks(ctx context.Context, c config, r *report) error {
	if err := limitSize(ctx, r); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		r.leftOut("real disks", "they need root, to mount")
		return nil
	}
	for _, t := range []trouble{
		{"a full disk", []string{"mkfs.ext4", "-q", "-F"}, func(p *place) error { return fill(p.file("filler")) }},
		{"no inodes", []string{"mkfs.ext4", "-q", "-F", "-N", "64"}, func(p *place) error {
			for i := 0; ; i++ {
				err := os.WriteFile(p.file("inode"+strconv.Itoa(i)), nil, 0o644)
				switch {
				case errors.Is(err, unix.ENOSPC):
					return nil
				case err != nil:
					return err
				}
			}
		}},
		{"a read-only disk", []string{"mkfs.ext4", "-q", "-F"}, func(p *place) error {
			return unix.Mount("", p.dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
		}},
	} {
		if err := t.meet(ctx, c, r); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// fill writes a file until there is no room.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, unix.ENOSPC) {
			return err
		}
	}
	return f.Sync()
}

func (t trouble) meet(ctx context.Context, c config, r *report) error {
	p, err := newPlace(c.disk)
	if err != nil {
		return err
	}
	defer p.remove()
	d, err := newDisk(ctx, p, 8, t.mkfs...)
	if err != nil {
		return err
	}
	defer d.unmount()
	if err := os.WriteFile(p.file(leaf), oldContent(), 0o644); err != nil {
		return err
	}
	if err := t.begin(p); err != nil {
		return err
	}
	before, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	disk, err := p.provider()
	if err != nil {
		return err
	}
	defer disk.Close()
	wrong := 0
	for name, condition := range map[string]vfs.Condition{leaf: vfs.IfVersion(vfs.VersionOf(oldContent())), "sub/dir/new": vfs.IfAbsent()} {
		file, err := target(ctx, disk, name)
		if err != nil {
			return err
		}
		_, err = disk.Put(ctx, file, newContent(), vfs.PutOptions{If: condition})
		if code := vfs.CodeOf(err); code != vfs.CodeIOError {
			wrong++
		}
		r.say(t.name+": "+name, err)
	}
	r.none(t.name+": answers without a code", wrong)
	after, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	r.none(t.name+": names left over", len(after)-len(before))
	var f fate
	r.none(t.name+": content lost", map[bool]int{true: 0, false: 1}[f.name(p) == "old"])
	return nil
}

// limitSize writes past the limit on the size of files, in a child, which must live on.
func limitSize(ctx context.Context, r *report) error {
	p, err := newPlace(memory)
	if err != nil {
		return err
	}
	defer p.remove()
	if err := os.WriteFile(p.file(leaf), oldContent(), 0o644); err != nil {
		return err
	}
	limited, err := startChild(ctx, "limited", p.base)
	if err != nil {
		return err
	}
	said := limited.rest()
	if _, err := limited.wait(); err != nil {
		return err
	}
	const name = "a limit on the size"
	r.exactly(name+": refusals of a process that lived on", len(said), 2)
	for _, s := range said {
		r.say(name, s)
	}
	entries, err := os.ReadDir(p.dir)
	var f fate
	r.exactly(name+": names", len(entries), 1)
	r.none(name+": content lost", map[bool]int{true: 0, false: 1}[f.name(p) == "old"])
	return err
}

// putLimited is the role of a process that may not write files as large as it wants.
func putLimited(args []string) error {
	ctx := context.Background()
	p := placeAt(args[0])
	limit := uint64(4 << 10)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	disk, err := p.provider()
	if err != nil {
		return err
	}
	defer disk.Close()
	for name, condition := range map[string]vfs.Condition{leaf: vfs.IfVersion(vfs.VersionOf(oldContent())), filepath.Join("sub", "new"): vfs.IfAbsent()} {
		file, err := target(ctx, disk, name)
		if err != nil {
			return err
		}
		if _, err := disk.Put(ctx, file, newContent(), vfs.PutOptions{If: condition}); vfs.CodeOf(err) == vfs.CodeIOError {
			fmt.Println(err)
		}
	}
	return nil
}
