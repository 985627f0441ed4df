//go:build !toolfs_portable

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

// publishOnce is the role of a child that runs one publication, and kills itself before
// or after the n-th call of it: base, publication, "before", "after" or "never", n.
func publishOnce(args []string) error {
	// On one thread, so that whoever counts its system calls from outside sees them in
	// order.
	runtime.LockOSThread()
	p := placeAt(args[0])
	n, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	count := 0
	die := func(when string) {
		if when == args[2] && count == n {
			unix.Kill(os.Getpid(), unix.SIGKILL)
		}
	}
	sys := &hooked{sys: atomicfile.Kernel{}, short: 8 << 10,
		enter: func(string) error { count++; die("before"); return nil },
		leave: func(string) { die("after") }}
	for _, pub := range publications() {
		if pub.name == args[1] {
			if _, err := pub.publish(sys, p); pub.name != intruder { // which ends in a refusal
				return err
			}
			return nil
		}
	}
	return fmt.Errorf("no publication %q", args[1])
}

// onDisk says which publications are killed on a disk too, where every run waits for it.
func (p *publication) onDisk() bool {
	return p.name == "replace" || p.name == "create" || p.name == "in-place"
}

// killEveryCall kills every publication before and after each of its calls.
func killEveryCall(ctx context.Context, c config, r *report) error {
	for _, where := range []string{memory, c.disk} {
		for _, pub := range publications() {
			if !c.wants(pub.name) || where == c.disk && !pub.onDisk() || pub.name == flicker {
				continue
			}
			var f fate
			for _, when := range []string{"before", "after"} {
				if err := f.killAll(ctx, where, pub, func(p *place, n int) (*child, error) {
					return startChild(ctx, "publisher", p.base, pub.name, when, n)
				}); err != nil {
					return fmt.Errorf("%s: %w", pub.name, err)
				}
			}
			f.report(r, where+" "+pub.name, 10)
		}
	}
	return killJournal(ctx, c, r)
}

// journalCalls is what writing in place, and keeping a journal of it, asks of the kernel.
func journalCalls() []string {
	return []string{"openat", "pread64", "pwrite64", "write", "close", "fstat", "newfstatat", "mkdirat", "renameat",
		"unlinkat", "flock", "fcntl", "fallocate", "ftruncate", "fsync", "faccessat2", "getdents64", "exit_group"}
}

// killJournal kills the writing in place at every system call that the kernel sees, which
// the calls for the journal are among.
func killJournal(ctx context.Context, c config, r *report) error {
	if !c.wants("journal") {
		return nil
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		r.say("left out", "the calls of the journal, strace is missing")
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var f fate
	pubs := publications()
	for _, call := range journalCalls() {
		if err := f.killAll(ctx, memory, pubs[len(pubs)-1], func(p *place, n int) (*child, error) {
			return startProgram(ctx, "publisher", []string{strace, "-f", "-qq", "-o", "/dev/null", "-e",
				"inject=" + call + ":signal=KILL:when=" + strconv.Itoa(n), self, p.base, "in-place", "never", "0"})
		}); err != nil {
			return fmt.Errorf("%s: %w", call, err)
		}
	}
	f.report(r, "in-place with its journal", 40)
	return nil
}
