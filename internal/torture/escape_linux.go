//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// canary is what nobody who is confined may ever read, and inside what may be read there.
const (
	canary = "outside: nobody may read this\n"
	inside = "inside: this may be read\n"
)

// attack is one way to swap something under somebody who is confined to ws.
type attack struct {
	name  string
	setUp func(a *arena) error
	flip  func(a *arena) (func() error, error)
	paths func(a *arena) []string // the directories that are written in and read from
}

// arena is where an attack takes place: ws confines, out is outside and must stay as it
// is, away is outside too, and gets only what is moved there.
type arena struct {
	base, ws, out, away string
}

func arenaAt(base string) *arena {
	return &arena{base: base, ws: filepath.Join(base, "ws"), out: filepath.Join(base, "out"), away: filepath.Join(base, "away")}
}

// naive is who resolves a path, compares it with the root, and then uses it: the attack
// must get through there, or it proves nothing.
const naive = "check and use"

// escape attacks a provider for as long as asked, with each attack, and once more with
// each on a kernel that does not know openat2.
func escape(ctx context.Context, c config, r *report) error {
	for _, kernel := range []string{"openat2", "stepwise", naive} {
		for _, a := range attacks() {
			name := kernel + " " + a.name
			if kernel == naive && a.name != "directory and link" {
				continue
			}
			if !c.wants(a.name) && !c.wants(name) && !c.wants(kernel) {
				continue
			}
			if err := a.take(ctx, c, r, name, kernel); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func (a *attack) take(ctx context.Context, c config, r *report, name, kernel string) error {
	p, err := newPlace(memory)
	if err != nil {
		return err
	}
	defer p.remove()
	at := arenaAt(p.base)
	if err := at.build(); err != nil {
		return err
	}
	if err := a.setUp(at); err != nil {
		return err
	}
	guard, err := watchOutside(at)
	if err != nil {
		return err
	}
	defer guard.close()
	period := c.period(60*time.Second, time.Second)
	victim, err := startChild(ctx, "victim", p.base, a.name, period, kernel)
	if err != nil {
		return err
	}
	defer victim.stop()
	if _, err := victim.line(); err != nil { // it has opened its root
		_, failed := victim.wait()
		return errors.Join(err, failed)
	}
	flipper, err := startChild(ctx, "flipper", p.base, a.name)
	if err != nil {
		return err
	}
	defer flipper.stop()
	line, err := victim.line()
	if err != nil {
		_, failed := victim.wait()
		return errors.Join(err, failed)
	}
	var writes, reads, refused, secrets int
	if _, err := fmt.Sscan(line, &writes, &reads, &refused, &secrets); err != nil {
		return err
	}
	flipper.stdin.Close()
	var flips int
	if line, err = flipper.line(); err != nil {
		_, failed := flipper.wait()
		return errors.Join(err, failed)
	}
	if _, err := fmt.Sscan(line, &flips); err != nil {
		return err
	}
	seen, err := guard.seen()
	if err != nil {
		return err
	}
	void := 5
	if c.long {
		void = 1_000
	}
	r.atLeast(name+": swaps", flips, 100)
	r.atLeast(name+": writes", writes, void)
	r.atLeast(name+": reads", reads, void)
	r.say(name+": refused", refused)
	changes := seen + at.differences()
	if kernel == naive {
		r.atLeast(name+": secrets read", secrets, 1)
		r.atLeast(name+": changes outside", changes, 1)
		return nil
	}
	r.none(name+": secrets read", secrets)
	r.none(name+": changes outside", changes)
	return nil
}

// build makes what every attack finds. The directories outside look like those inside, so
// that a path that goes astray arrives.
func (a *arena) build() error {
	for _, dir := range []string{a.out, a.away, filepath.Join(a.ws, "d"), filepath.Join(a.ws, "m", "d"), filepath.Join(a.out, "d")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return errors.Join(
		a.write(inside, a.ws, a.ws+"/d", a.ws+"/m/d"),
		a.write(canary, a.out, a.out+"/d"))
}

func (a *arena) write(content string, dirs ...string) error {
	for _, dir := range dirs {
		for _, name := range []string{"secret", leaf} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// differences counts what is outside now and was not built, or is gone.
func (a *arena) differences() int {
	n := 0
	for dir, names := range map[string]int{a.out: 3, a.out + "/d": 2} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != names {
			n++
		}
		for _, name := range []string{"secret", leaf} {
			if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != canary {
				n++
			}
		}
	}
	// Only a directory that somebody moved there may be in away, never a file of ours.
	entries, err := os.ReadDir(a.away)
	for _, e := range entries {
		if e.Name() != "d" && e.Name() != "r" {
			n++
		}
	}
	if err != nil {
		n++
	}
	return n
}
