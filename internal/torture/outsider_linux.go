//go:build !toolfs_portable

package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// tally is what another program saw of its updates.
type tally struct {
	updates   int
	transient int // undone, but only for a moment
	lost      int // undone for good
	kept      int // undone, but kept beside the file
}

func (t *tally) add(o tally) {
	t.updates += o.updates
	t.transient += o.transient
	t.lost += o.lost
	t.kept += o.kept
}

// forGood is how long an update is undone when it is lost: a rollback of ours whose
// process is kept from running puts it back sooner.
const forGood = 400 * time.Millisecond

// updateForEver is the role of another program, which knows nothing of us: base, how it
// writes, which field is its own, and how many there are. It goes on until its input
// ends, and prints its tally.
func updateForEver(args []string) error {
	p := placeAt(args[0])
	own, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	o := &outsider{p: p, own: own}
	update := map[string]func(int) error{"rename": o.rename, "in-place": o.inPlace, "long-open": o.longOpen, "mmap": o.mapped}[args[1]]
	var ended atomic.Bool
	go func() {
		io.Copy(io.Discard, os.Stdin)
		ended.Store(true)
	}()
	var t tally
	for number := 1; !ended.Load(); number++ {
		if err := update(number); err != nil {
			return err
		}
		t.updates++
		if err := o.watch(number, &t); err != nil {
			return err
		}
	}
	fmt.Println(t.updates, t.transient, t.lost, t.kept)
	return nil
}

// outsider updates one field.
type outsider struct {
	p    *place
	own  int
	fd   int // in a session of a long-open file, else 0
	page []byte
	left int // updates left in the session
}

// watch looks for a while whether an update is undone.
func (o *outsider) watch(number int, t *tally) error {
	end := time.Now().Add(rand.N(time.Millisecond))
	undone := false
	for {
		f, err := readFields(o.p.file(leaf))
		now := time.Now()
		switch {
		case err != nil:
			return err
		case f[o.own] >= number && undone:
			t.transient++
			return nil
		case f[o.own] >= number && now.After(end):
			return nil
		case f[o.own] < number && !undone:
			undone, end = true, now.Add(forGood)
		case f[o.own] < number && now.After(end) && keptBeside(o.p, o.own, number):
			t.kept++
			return nil
		case f[o.own] < number && now.After(end):
			t.lost++
			return nil
		}
	}
}

// rename writes a new file and renames it over the old one, taking turns with others of
// its kind, which would undo each other; what they have published they tell each other.
func (o *outsider) rename(number int) error {
	known, err := os.OpenFile(filepath.Join(o.p.base, "known"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer known.Close()
	if err := unix.Flock(int(known.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	all, err := readFields(o.p.file(leaf))
	if err != nil {
		return err
	}
	buf := make([]byte, fieldWidth)
	for i := range ourField {
		if n, _ := known.ReadAt(buf, int64(i*fieldWidth)); n == fieldWidth {
			var published int
			if _, err := fmt.Sscanf(string(buf), "%d", &published); err == nil {
				all[i] = published
			}
		}
	}
	all[o.own] = number
	next := filepath.Join(o.p.base, "next")
	_, err = known.WriteAt(field(number), int64(o.own*fieldWidth))
	return errors.Join(err, os.WriteFile(next, all.bytes(), 0o644), os.Rename(next, o.p.file(leaf)))
}

func (o *outsider) inPlace(number int) error {
	f, err := os.OpenFile(o.p.file(leaf), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(field(number), int64(o.own*fieldWidth))
	return errors.Join(err, f.Close())
}

// session opens the file every now and then, keeps it open for some updates, and then
// leaves it alone for a moment, so that we can rewrite it at all.
func (o *outsider) session(end func() error) error {
	if o.left--; o.left > 0 {
		return nil
	}
	if o.fd > 0 {
		if err := errors.Join(end(), unix.Close(o.fd)); err != nil {
			return err
		}
		time.Sleep(rand.N(5 * time.Millisecond))
	}
	o.left = 1 + rand.N(10)
	var err error
	o.fd, err = unix.Open(o.p.file(leaf), unix.O_RDWR|unix.O_CLOEXEC, 0)
	return err
}

func (o *outsider) longOpen(number int) error {
	if err := o.session(func() error { return nil }); err != nil {
		return err
	}
	_, err := unix.Pwrite(o.fd, field(number), int64(o.own*fieldWidth))
	return err
}

// mapped stores into a mapping, of which no system call tells.
func (o *outsider) mapped(number int) error {
	fresh := o.left <= 1
	if err := o.session(func() error { return unix.Munmap(o.page) }); err != nil {
		return err
	}
	if fresh {
		var err error
		if o.page, err = unix.Mmap(o.fd, 0, len(fields{})*fieldWidth, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			return err
		}
	}
	copy(o.page[o.own*fieldWidth:], field(number))
	return nil
}
