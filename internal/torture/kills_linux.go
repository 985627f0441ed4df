//go:build !toolfs_portable

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

// killWriters kills writers of a history in memory and on a disk.
func killWriters(ctx context.Context, c config, r *report) error {
	for _, part := range []struct {
		where string
		kills int
	}{{memory, c.count(10_000, 250)}, {c.disk, c.count(3_000, 250)}} {
		if !c.wants(part.where) {
			continue
		}
		if err := killIn(ctx, part.where, part.kills, r); err != nil {
			return err
		}
	}
	return nil
}

func killIn(ctx context.Context, where string, kills int, r *report) error {
	p, err := newPlace(where)
	if err != nil {
		return err
	}
	defer p.remove()
	var d damage
	for range kills {
		acknowledged, err := runAndKill(ctx, "writer", 15*time.Millisecond, p.base, "")
		if err != nil {
			return err
		}
		if err := d.check(ctx, p, acknowledged); err != nil {
			return err
		}
	}
	r.say(where+": kills", kills)
	d.report(r, where, kills/50)
	return nil
}

// runAndKill starts a child, kills it at some moment within the time after it is ready,
// and gives what it had said by then.
func runAndKill(ctx context.Context, role string, within time.Duration, args ...any) ([]string, error) {
	c, err := startChild(ctx, role, args...)
	if err != nil {
		return nil, err
	}
	first, err := c.line()
	if err == nil && first != "ready" {
		err = fmt.Errorf("a child said %q instead of being ready", first)
	}
	if err != nil {
		if failed := c.stop(); failed != nil {
			err = failed
		}
		return nil, err
	}
	timer := time.AfterFunc(rand.N(within), c.kill)
	defer timer.Stop()
	said := c.rest()
	killed, err := c.wait()
	if err == nil && !killed {
		err = fmt.Errorf("a child ended by itself")
	}
	return said, err
}

// large is how many times as large as usual a content is that is written in place, so that
// many kills meet the writing.
const large = 5

// killInPlace kills writers that rewrite a file in place: one that calls the publisher,
// and one that has a provider and a file that is a mount point.
func killInPlace(ctx context.Context, c config, r *report) error {
	kills := c.count(1_500, 100)
	if err := killInPlaceIn(ctx, "the publisher", kills, false, r); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		r.leftOut("a file that is a mount point", "that needs root")
		return nil
	}
	return killInPlaceIn(ctx, "a mounted file", kills, true, r)
}

func killInPlaceIn(ctx context.Context, name string, kills int, mounted bool, r *report) error {
	p, err := newPlace(memory)
	if err != nil {
		return err
	}
	defer p.remove()
	source := p.file(leaf)
	if mounted {
		source = filepath.Join(p.base, "source")
		if err := os.WriteFile(p.file(leaf), nil, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(source, scaled(1, large), 0o644); err != nil {
		return err
	}
	if mounted {
		if err := unix.Mount(source, p.file(leaf), "", unix.MS_BIND, ""); err != nil {
			return err
		}
		defer unix.Unmount(p.file(leaf), unix.MNT_DETACH)
	}
	var d damage
	atKill := 0
	for range kills {
		acknowledged, err := runAndKill(ctx, "inplace", 15*time.Millisecond, p.base, mounted)
		if err != nil {
			return err
		}
		if data, err := os.ReadFile(source); err != nil || numberOf(data) < 0 {
			atKill++
		}
		if err := d.check(ctx, p, acknowledged); err != nil {
			return err
		}
	}
	r.say(name+": kills", kills)
	r.say(name+": torn at the kill", atKill)
	d.report(r, name, kills/50)
	return nil
}

// writeInPlaceForEver is the role of a writer of a history in place, of which nothing is
// created: base, and whether it writes through a provider.
func writeInPlaceForEver(args []string) error {
	ctx := context.Background()
	p := placeAt(args[0])
	put := func(data []byte, was []byte) error {
		_, err := inDir(p, func(dir int) (atomicfile.Outcome, error) {
			return publisher(atomicfile.Kernel{}).InPlace(ctx, p.journal(), dir, leaf, p.file(leaf), data, atomicfile.DigestOf(was))
		})
		return err
	}
	if args[1] == "true" {
		disk, err := p.provider()
		if err != nil {
			return err
		}
		file, err := target(ctx, disk, leaf)
		if err != nil {
			return err
		}
		put = func(data []byte, was []byte) error {
			info, err := disk.Put(ctx, file, data, vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf(was))})
			if err == nil && info.Publication.Guarantee != vfs.GuaranteeInPlace {
				err = fmt.Errorf("the guarantee is %q", info.Publication.Guarantee)
			}
			return err
		}
	}
	was, err := os.ReadFile(p.file(leaf))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for number := numberOf(was) + 1; ; number++ {
		if creates(number) {
			continue
		}
		next := scaled(number, large)
		if err := put(next, was); err != nil {
			return err
		}
		was = next
		fmt.Println(number)
	}
}
