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
	"strings"
)

// fate counts what became of a file whose publication was killed, one kill a time.
type fate struct {
	points, old, new, theirs, torn int
	residue, left, changed, lost   int
	tornAtKill                     int // which only writing in place may be, until it is recovered
}

// killAll runs a publication in a fresh place again and again, each time killed one
// point later, until it comes to its end.
func (f *fate) killAll(ctx context.Context, where string, pub publication, start func(p *place, n int) (*child, error)) error {
	for n := 1; ; n++ {
		if n > 1000 {
			return errors.New("it has no end")
		}
		killed, err := f.killOne(ctx, where, pub, func(p *place) (*child, error) { return start(p, n) })
		if err != nil {
			return fmt.Errorf("killed at %d: %w", n, err)
		}
		if !killed {
			return nil
		}
	}
}

func (f *fate) killOne(ctx context.Context, where string, pub publication, start func(p *place) (*child, error)) (killed bool, err error) {
	p, err := newPlace(where)
	if err != nil {
		return false, err
	}
	defer p.remove()
	if pub.old {
		if err := os.WriteFile(p.file(leaf), oldContent(), 0o640); err != nil {
			return false, err
		}
	}
	c, err := start(p)
	if err != nil {
		return false, err
	}
	c.rest()
	if killed, err = c.wait(); err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return killed, f.judge(ctx, p, pub, killed)
}

// judge looks at the file, lets a fresh provider recover and collect, and looks again.
func (f *fate) judge(ctx context.Context, p *place, pub publication, killed bool) error {
	before := f.name(p)
	if before == "torn" {
		f.tornAtKill++
	}
	if killed {
		f.points++
	}
	f.residue += residue(p.dir)
	_, err := os.Stat(p.intrusion())
	intruded := err == nil
	if pub.name == late && killed {
		intruded = true
		if err := os.WriteFile(p.file(leaf), theirContent(), 0o644); err != nil {
			return err
		}
	}
	left, err := p.restart(ctx)
	if err != nil {
		return err
	}
	if pub.name != late || f.name(p) != "theirs" { // else an entry of the journal may stay, for people
		f.left += left
	}
	after := f.name(p)
	switch after {
	case "old", "absent":
		f.old++
	case "new":
		f.new++
	case "theirs":
		f.theirs++
	default:
		f.torn++
	}
	if after == "absent" && pub.old || after == "old" && !pub.old || !killed && after != "new" && pub.name != intruder {
		f.lost++
	}
	if intruded && !f.holdsTheirs(p) {
		f.lost++
	}
	if pub.name != "in-place" && pub.name != late && pub.name != intruder && before != after {
		f.changed++
	}
	return nil
}

// name says which content the file has.
func (f *fate) name(p *place) string {
	data, err := os.ReadFile(p.file(leaf))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "absent"
	case bytes.Equal(data, oldContent()):
		return "old"
	case bytes.Equal(data, newContent()):
		return "new"
	case bytes.Equal(data, theirContent()):
		return "theirs"
	}
	return "torn"
}

// holdsTheirs reports whether any file, wherever it is kept, has the other program's
// content.
func (f *fate) holdsTheirs(p *place) bool {
	found := false
	filepath.WalkDir(p.base, func(path string, _ fs.DirEntry, _ error) error {
		if data, err := os.ReadFile(path); err == nil && bytes.Equal(data, theirContent()) {
			found = true
		}
		return nil
	})
	return found
}

func (f *fate) report(r *report, name string, least int) {
	name = strings.TrimPrefix(name, "/")
	r.atLeast(name+": points", f.points, least)
	r.say(name+": old, new, another program's", fmt.Sprintf("%d, %d, %d", f.old, f.new, f.theirs))
	r.say(name+": torn at the kill", f.tornAtKill)
	r.none(name+": torn", f.torn)
	r.none(name+": lost", f.lost)
	r.say(name+": residue", f.residue)
	r.none(name+": residue after collection", f.left)
	r.none(name+": changed by the collection", f.changed)
}
