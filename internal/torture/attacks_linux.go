//go:build !toolfs_portable

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

func attacks() []attack {
	return []attack{
		{"directory and link", func(a *arena) error { return os.Symlink(a.out, a.ws+"/dl") },
			func(a *arena) (func() error, error) { return exchange(a.ws+"/d", a.ws+"/dl"), nil },
			func(a *arena) []string { return []string{"d"} }},
		{"middle component", func(a *arena) error { return os.Symlink(a.out, a.ws+"/ml") },
			func(a *arena) (func() error, error) { return exchange(a.ws+"/m", a.ws+"/ml"), nil },
			func(a *arena) []string { return []string{"m/d"} }},
		{"file and link", func(a *arena) error {
			// f turns into a link, and what is read is turned as well.
			return os.Symlink(a.out+"/secret", a.ws+"/d/fl")
		}, func(a *arena) (func() error, error) { return exchange(a.ws+"/d/"+leaf, a.ws+"/d/fl"), nil },
			func(a *arena) []string { return []string{"d"} }},
		{"absolute link", func(a *arena) error { return os.Symlink(a.ws+"/d", a.ws+"/al") }, func(a *arena) (func() error, error) {
			return retarget(a.base+"/next", a.ws+"/al", a.ws+"/d", a.out), nil
		}, func(a *arena) []string { return []string{"al"} }},
		{"directory moved out", func(*arena) error { return nil }, func(a *arena) (func() error, error) {
			return there(a.ws+"/d", a.away+"/d"), nil
		}, func(a *arena) []string { return []string{"d"} }},
		{"root itself", func(a *arena) error { return os.Symlink(a.out, a.base+"/rl") },
			func(a *arena) (func() error, error) { return exchange(a.ws, a.base+"/rl"), nil },
			func(a *arena) []string { return []string{a.ws, a.ws + "/d"} }},
		{"link above the root", func(a *arena) error { return os.Symlink(a.ws, a.base+"/up") },
			func(a *arena) (func() error, error) {
				return retarget(a.base+"/next", a.base+"/up", a.ws, a.out), nil
			}, func(a *arena) []string { return []string{a.base + "/up", a.base + "/up/d"} }},
	}
}

func attackNamed(name string) (attack, error) {
	for _, a := range attacks() {
		if a.name == name {
			return a, nil
		}
	}
	return attack{}, fmt.Errorf("no attack %q", name)
}

// exchange swaps two names in one step.
func exchange(a, b string) func() error {
	return func() error { return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) }
}

// retarget makes link lead now to one and now to the other, in one step.
func retarget(next, link, one, other string) func() error {
	i := 0
	return func() error {
		i++
		if err := os.Symlink([2]string{one, other}[i%2], next); err != nil {
			return err
		}
		return os.Rename(next, link)
	}
}

// there moves a directory away and back, where somebody may have made another one
// meanwhile.
func there(home, away string) func() error {
	i := 0
	return func() error {
		i++
		if i%2 == 1 {
			return os.Rename(home, away)
		}
		for {
			err := os.Rename(away, home)
			if !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
				return err
			}
			if err := os.RemoveAll(home); err != nil && !errors.Is(err, unix.ENOTEMPTY) {
				return err
			}
		}
	}
}

// flipForEver is the role of the attacker: base and attack. It goes on until its input
// ends, and says how often it swapped.
func flipForEver(args []string) error {
	var ended atomic.Bool
	go func() {
		io.Copy(io.Discard, os.Stdin)
		ended.Store(true)
	}()
	a, err := attackNamed(args[1])
	if err != nil {
		return err
	}
	flip, err := a.flip(arenaAt(args[0]))
	if err != nil {
		return err
	}
	flips := 0
	for ; !ended.Load(); flips++ {
		if err := flip(); err != nil {
			return err
		}
	}
	fmt.Println(flips)
	return nil
}

// outsideGuard is told by the kernel of every change outside.
type outsideGuard struct{ fd int }

func watchOutside(a *arena) (*outsideGuard, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	const changes = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_MODIFY | unix.IN_ATTRIB
	for _, dir := range []string{a.out, filepath.Join(a.out, "d")} {
		if _, err := unix.InotifyAddWatch(fd, dir, changes); err != nil {
			unix.Close(fd)
			return nil, err
		}
	}
	return &outsideGuard{fd}, nil
}

// seen counts what it was told, by the bytes of it.
func (g *outsideGuard) seen() (n int, err error) {
	buf := make([]byte, 64<<10)
	for {
		m, err := unix.Read(g.fd, buf)
		switch {
		case err == unix.EAGAIN:
			return n, nil
		case err != nil:
			return n, err
		}
		n += m
	}
}

func (g *outsideGuard) close() { unix.Close(g.fd) }
