//go:build !toolfs_portable

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

const creators = 6

// raceCreators lets processes create the same names at the same time, while a reader
// looks at what is there.
func raceCreators(ctx context.Context, c config, r *report) error {
	for _, where := range []string{memory, c.disk} {
		if err := raceIn(ctx, where, c.count(1_500, 100), r); err != nil {
			return err
		}
	}
	return nil
}

func raceIn(ctx context.Context, where string, rounds int, r *report) error {
	p, err := newPlace(where)
	if err != nil {
		return err
	}
	defer p.remove()
	var all []*child
	for i := range creators {
		one, err := startChild(ctx, "creator", p.base, i)
		if err != nil {
			return err
		}
		defer one.stop()
		all = append(all, one)
	}
	reader := &roundReader{p: p, done: make(chan struct{})}
	go reader.run()
	bad, other := 0, 0
	for round := range rounds {
		reader.round.Store(int64(round))
		winners := ""
		for _, one := range all {
			if _, err := fmt.Fprintln(one.stdin, round); err != nil {
				return err
			}
		}
		for i, one := range all {
			line, err := one.line()
			switch {
			case err != nil:
				_, failed := one.wait()
				return errors.Join(err, failed)
			case line == "won":
				winners += strconv.Itoa(i)
			case line != string(vfs.CodeNotObserved):
				other++
				r.say("another answer", line)
			}
		}
		data, err := os.ReadFile(p.file(strconv.Itoa(round)))
		if err != nil || len(winners) != 1 || !bytes.Equal(data, signed(winners)) {
			bad++
		}
	}
	reader.ended.Store(true)
	<-reader.done
	r.exactly(where+": rounds", rounds, rounds)
	r.none(where+": rounds without exactly one winner, whose content is there", bad)
	r.none(where+": other answers", other)
	r.atLeast(where+": reads", reader.reads, rounds)
	r.none(where+": partial reads", reader.partial)
	r.none(where+": residue", residue(p.dir))
	return nil
}

// signed is the content that the creator with this name writes.
func signed(name string) []byte { return bytes.Repeat([]byte(name), 60_000) }

// roundReader reads the file of the round all the time.
type roundReader struct {
	p              *place
	round          atomic.Int64
	ended          atomic.Bool
	done           chan struct{}
	reads, partial int
}

func (r *roundReader) run() {
	defer close(r.done)
	for !r.ended.Load() {
		data, err := os.ReadFile(r.p.file(strconv.FormatInt(r.round.Load(), 10)))
		if err != nil {
			continue
		}
		r.reads++
		if len(data) == 0 || !bytes.Equal(data, signed(string(data[:1]))) {
			r.partial++
		}
	}
}

// createOnCue is the role of one creator: base and its name. It creates the file of every
// round that its input names, and says "won" or the code of the refusal.
func createOnCue(args []string) error {
	ctx := context.Background()
	disk, err := placeAt(args[0]).provider()
	if err != nil {
		return err
	}
	defer disk.Close()
	unix.Umask(0)
	for {
		var round string
		if _, err := fmt.Scanln(&round); err != nil {
			return nil // no more rounds
		}
		file, err := target(ctx, disk, round)
		if err != nil {
			return err
		}
		answer := "won"
		if _, err := disk.Put(ctx, file, signed(args[1]), vfs.PutOptions{If: vfs.IfAbsent()}); err != nil {
			answer = string(vfs.CodeOf(err))
		}
		fmt.Println(answer)
	}
}
