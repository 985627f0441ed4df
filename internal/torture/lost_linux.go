//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// loseUpdates lets other programs update fields of a file, each one of its own, while we
// rewrite the whole file again and again, each time only if it is what we read. An update
// that is undone for good was lost.
func loseUpdates(ctx context.Context, c config, r *report) error {
	places := []string{memory}
	if c.long {
		places = append(places, c.disk)
	}
	for _, where := range places {
		for _, how := range []string{"rename", "in-place", "long-open", "mmap"} {
			for _, outsiders := range []int{1, 3} {
				name := where + " " + how + " by " + strconv.Itoa(outsiders)
				if !c.wants(how) {
					continue
				}
				if err := meetOutsiders(ctx, c, r, where, name, how, outsiders); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
	}
	return nil
}

func meetOutsiders(ctx context.Context, c config, r *report, where, name, how string, outsiders int) error {
	p, err := newPlace(where)
	if err != nil {
		return err
	}
	defer p.remove()
	if err := os.WriteFile(p.file(leaf), newFields().bytes(), 0o644); err != nil {
		return err
	}
	var all []*child
	for i := range outsiders {
		o, err := startChild(ctx, "outsider", p.base, how, i, outsiders)
		if err != nil {
			return err
		}
		defer o.stop()
		all = append(all, o)
	}
	g, err := rewriteGuarded(ctx, p, c.period(30*time.Second, 2*time.Second))
	if err != nil {
		return err
	}
	var sum tally
	for _, o := range all {
		o.stdin.Close() // which tells it to end
		var t tally
		line, err := o.line()
		if err != nil {
			_, failed := o.wait()
			return errors.Join(err, failed)
		}
		if _, err := fmt.Sscan(line, &t.updates, &t.transient, &t.lost, &t.kept); err != nil {
			return err
		}
		sum.add(t)
	}
	r.say(name+": rewritten, stale, busy", fmt.Sprintf("%d, %d, %d", g.rewritten, g.stale, g.busy))
	r.atLeast(name+": rewritten or refused", g.rewritten+g.stale+g.busy, 3)
	r.atLeast(name+": updates", sum.updates, 20)
	r.say(name+": seen undone for a moment", sum.transient)
	r.say(name+": kept beside the file", sum.kept)
	r.none(name+": lost", sum.lost)
	if how != "rename" { // who renames loses ours, knowing nothing of it
		r.none(name+": our own lost", g.lost)
	}
	_, err = p.restart(ctx)
	return err
}

// guarded counts what became of our rewrites.
type guarded struct {
	rewritten, stale, busy, lost int
}

// rewriteGuarded counts our own field up in the whole file.
func rewriteGuarded(ctx context.Context, p *place, period time.Duration) (g guarded, err error) {
	disk, err := p.provider()
	if err != nil {
		return g, err
	}
	defer disk.Close()
	file, err := target(ctx, disk, leaf)
	if err != nil {
		return g, err
	}
	newest := 0
	for end := time.Now().Add(period); time.Now().Before(end) && ctx.Err() == nil; {
		data, info, err := vfs.ReadBytes(ctx, disk, file, 1<<20)
		if err != nil {
			return g, err
		}
		all, err := parseFields(data)
		if err != nil {
			return g, err
		}
		if all[ourField] < newest {
			g.lost++
		}
		all[ourField]++
		_, err = disk.Put(ctx, file, all.bytes(), vfs.PutOptions{If: vfs.IfVersion(info.Version)})
		switch vfs.CodeOf(err) {
		case "":
			if err != nil {
				return g, err
			}
			g.rewritten++
			newest = all[ourField]
		case vfs.CodeStaleVersion:
			g.stale++
		case vfs.CodeBusy:
			g.busy++
		default:
			return g, err
		}
	}
	return g, ctx.Err()
}
