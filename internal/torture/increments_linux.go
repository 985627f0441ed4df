//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/toolfs/toolfs/vfs"
)

// increment lets processes count one number up, each from what it read: with P processes
// of G goroutines that succeed N times each it ends at P·G·N, and every number on the way
// was acknowledged exactly once.
func increment(ctx context.Context, c config, r *report) error {
	shapes := [][3]int{{4, 4, 250}}
	if c.long {
		shapes = append(shapes, [3]int{8, 8, 125})
	}
	for _, s := range shapes {
		if err := incrementBy(ctx, r, s[0], s[1], c.count(s[2], s[2])); err != nil {
			return err
		}
	}
	return nil
}

func incrementBy(ctx context.Context, r *report, processes, goroutines, times int) error {
	p, err := newPlace(memory)
	if err != nil {
		return err
	}
	defer p.remove()
	if err := os.WriteFile(p.file(leaf), []byte("n=0\n"), 0o644); err != nil {
		return err
	}
	var all []*child
	for range processes {
		one, err := startChild(ctx, "incrementer", p.base, goroutines, times)
		if err != nil {
			return err
		}
		defer one.stop()
		all = append(all, one)
	}
	seen := map[string]int{}
	twice, busy, stale, acknowledged := 0, 0, 0, 0
	for _, one := range all {
		for _, line := range one.rest() {
			switch {
			case line == "busy":
				busy++
			case line == "stale":
				stale++
			default:
				acknowledged++
				if seen[line]++; seen[line] > 1 {
					twice++
				}
			}
		}
		if _, err := one.wait(); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(p.file(leaf))
	if err != nil {
		return err
	}
	final, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(data), "n=")))
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%d x %d x %d", processes, goroutines, times)
	total := processes * goroutines * times
	r.exactly(name+": acknowledged", acknowledged, total)
	r.exactly(name+": final", final, total)
	r.none(name+": numbers acknowledged twice", twice)
	missing := 0
	for n := 1; n <= total; n++ {
		if seen[strconv.Itoa(n)] == 0 {
			missing++
		}
	}
	r.none(name+": numbers never acknowledged", missing)
	r.say(name+": stale", stale)
	r.none(name+": busy", busy)
	r.none(name+": residue", residue(p.dir))
	return nil
}

// incrementAll is the role of one process: base, goroutines, times.
func incrementAll(args []string) error {
	goroutines, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	times, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	disk, err := placeAt(args[0]).provider()
	if err != nil {
		return err
	}
	defer disk.Close()
	errs := make([]error, goroutines)
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() { errs[i] = incrementTimes(context.Background(), disk, times) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func incrementTimes(ctx context.Context, disk vfs.Provider, times int) error {
	file, err := target(ctx, disk, leaf)
	if err != nil {
		return err
	}
	for done := 0; done < times; {
		text, info, err := vfs.ReadText(ctx, disk, file)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(text, "n=")))
		if err != nil {
			return fmt.Errorf("read %q", text)
		}
		next := strconv.Itoa(n + 1)
		_, err = vfs.EditText(ctx, disk, file, vfs.Edit{Old: text, New: "n=" + next + "\n"}, vfs.EditOptions{If: info.Version})
		switch vfs.CodeOf(err) {
		case vfs.CodeStaleVersion:
			fmt.Println("stale")
		case vfs.CodeBusy:
			fmt.Println("busy")
		default:
			if err != nil {
				return err
			}
			fmt.Println(next)
			done++
		}
	}
	return nil
}
