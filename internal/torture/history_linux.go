//go:build !toolfs_portable

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// A writer's history is a row of numbers. Every third one is a file of its own, "c" and
// the number, that is created; the others are the contents that the file "f" has one
// after the other. Each content says its number, and can be checked to its last byte.

func creates(number int) bool { return number%3 == 0 }

func created(number int) string { return "c" + strconv.Itoa(number) }

// numbered is the content of a number: 20 to 200 kB, and another size each time.
func numbered(number int) []byte { return scaled(number, 1) }

// scaled is such a content, so many times as large.
func scaled(number, times int) []byte {
	head := fmt.Sprintf("number %d %d\n", number, times)
	return append([]byte(head), bytes.Repeat([]byte{byte('a' + number%26)}, (20_000+number*7919%180_000)*times)...)
}

// numberOf is the number of a content, -1 for one that is not whole.
func numberOf(data []byte) int {
	head, _, _ := bytes.Cut(data[:min(len(data), 64)], []byte{'\n'})
	var number, times int
	if n, err := fmt.Sscanf(string(head), "number %d %d", &number, &times); n != 2 || err != nil || !bytes.Equal(data, scaled(number, times)) {
		return -1
	}
	return number
}

// writeForEver is the role of a writer of a history: base, and "live" to make sure, before
// a number is acknowledged, that the file system is still one. It prints every number
// that it has published.
func writeForEver(args []string) error {
	ctx := context.Background()
	p := placeAt(args[0])
	disk, err := p.provider()
	if err != nil {
		return err
	}
	file, err := target(ctx, disk, leaf)
	if err != nil {
		return err
	}
	var alive *os.File
	if args[1] == "live" {
		if alive, err = os.Create(p.file("alive")); err != nil {
			return err
		}
	}
	number, condition := 0, vfs.IfAbsent()
	data, info, err := vfs.ReadBytes(ctx, disk, file, 1<<20)
	switch {
	case err == nil:
		number, condition = numberOf(data), vfs.IfVersion(info.Version)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	fmt.Println("ready")
	for {
		number++
		if creates(number) {
			one, err := target(ctx, disk, created(number))
			if err != nil {
				return err
			}
			if _, err := disk.Put(ctx, one, numbered(number), vfs.PutOptions{If: vfs.IfAbsent()}); err != nil {
				return err
			}
		} else {
			info, err := disk.Put(ctx, file, numbered(number), vfs.PutOptions{If: condition})
			if err != nil {
				return err
			}
			condition = vfs.IfVersion(info.Version)
		}
		if alive != nil {
			// A directory is synced with success on an xfs that was shut down.
			_, err := alive.WriteAt([]byte(strconv.Itoa(number)), 0)
			if err := errors.Join(err, alive.Sync()); err != nil {
				return err
			}
		}
		fmt.Println(number)
	}
}

// damage counts what went wrong over many writers' ends.
type damage struct {
	acknowledged, lost, torn, residue, left int
}

// check compares the directory with what was acknowledged, lets a fresh provider
// recover and collect, and clears away what was created.
func (d *damage) check(ctx context.Context, p *place, acknowledged []string) error {
	d.acknowledged += len(acknowledged)
	d.residue += residue(p.dir)
	left, err := p.restart(ctx)
	if err != nil {
		return err
	}
	d.left += left
	newest := 0
	for _, a := range acknowledged {
		number, err := strconv.Atoi(a)
		switch {
		case err != nil:
			return fmt.Errorf("the writer said %q", a)
		case !creates(number):
			newest = number
		case !d.whole(p.file(created(number)), number):
			d.lost++
		}
	}
	data, err := os.ReadFile(p.file(leaf))
	switch number := numberOf(data); {
	case errors.Is(err, fs.ErrNotExist):
		if newest > 0 {
			d.lost++
		}
	case err != nil:
		return err
	case number < 0:
		d.torn++
		os.Remove(p.file(leaf))
	case number < newest:
		d.lost++
	}
	return d.clear(p)
}

func (d *damage) whole(path string, number int) bool {
	data, err := os.ReadFile(path)
	return err == nil && numberOf(data) == number
}

// clear removes what was created, acknowledged or not: none of it may be torn.
func (d *damage) clear(p *place) error {
	paths, err := filepath.Glob(p.file("c*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		number, err := strconv.Atoi(filepath.Base(path)[1:])
		if err != nil || !d.whole(path, number) {
			d.torn++
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	_, err = inDir(p, func(dir int) (int, error) { return 0, unix.Fsync(dir) })
	return err
}

// report prints it, with least the acknowledgements below which nothing is proven.
func (d *damage) report(r *report, name string, least int) {
	r.atLeast(name+": acknowledged", d.acknowledged, least)
	r.none(name+": acknowledged and lost", d.lost)
	r.none(name+": torn", d.torn)
	r.say(name+": residue", d.residue)
	r.none(name+": residue after collection", d.left)
}
