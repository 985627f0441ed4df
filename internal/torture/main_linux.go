//go:build !toolfs_portable

// Command torture holds the programs that prove that the local disk provider loses
// nothing: they kill it, fill its disk, cut its power, race it and swap links under it,
// and count what went wrong.
//
//	go run ./internal/torture                 # the names
//	go run ./internal/torture kills -long     # one of them
//
// A program prints its figures, one "name: value" a line, and PASS or FAIL at the end;
// it exits with 1 when a required figure is missed. The short form (the default) is for
// every change, the long one for a night. -n and -for scale either.
//
// Some parts need root, to mount file systems of their own, and mkfs.ext4 and mkfs.xfs
// (apt-get install e2fsprogs xfsprogs). A part that cannot run here is named in a line
// "left out"; with TOOLFS_NO_SKIP set, that is a failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	if code, ok := asChild(); ok {
		os.Exit(code)
	}
	os.Exit(command(os.Args[1:], os.Stdout))
}

// program is one proof.
type program struct {
	name, about string
	root        bool // nothing of it runs without root
	run         func(ctx context.Context, c config, r *report) error
}

func programs() []program {
	return []program{
		{"syscalls", "SIGKILL before and after every system call of replace, create and in-place", false, killEveryCall},
		{"kills", "random SIGKILLs of a process that replaces and creates", false, killWriters},
		{"inplace", "random SIGKILLs of a process that writes in place", false, killInPlace},
		{"powercut", "power cuts on ext4 and xfs", true, cutPower},
		{"errno", "every error of every system call, and disks that are really full", false, failCalls},
		{"lost", "updates of other programs against guarded rewrites", false, loseUpdates},
		{"increments", "guarded increments by many processes", false, increment},
		{"create", "many creators of one name", false, raceCreators},
		{"escape", "links and directories swapped under reads and writes", false, escape},
		{"harmless", "actions that change nothing, and changes that hide", false, harmless},
		{"torn", "reads of a file that is being rewritten in place", false, tearReads},
		{"poller", "the modes that others can see during edits of a private file", false, pollModes},
	}
}

// config is how much of a program is asked for.
type config struct {
	long bool
	n    int
	each time.Duration
	disk string // a directory on a disk, where tmpfs will not do
	only string // of several parts, the one
}

// count is how often, in the long and the short form.
func (c config) count(long, short int) int {
	switch {
	case c.n > 0:
		return c.n
	case c.long:
		return long
	}
	return short
}

// period is for how long.
func (c config) period(long, short time.Duration) time.Duration {
	switch {
	case c.each > 0:
		return c.each
	case c.long:
		return long
	}
	return short
}

// wants reports whether a part is asked for.
func (c config) wants(part string) bool { return c.only == "" || c.only == part }

// Bounds on a whole program: what takes longer hangs.
const (
	longest  = time.Hour
	shortest = 5 * time.Minute
)

func command(args []string, out io.Writer) int {
	var p *program
	for _, known := range programs() {
		if len(args) > 0 && args[0] == known.name {
			p = &known
		}
	}
	if p == nil {
		for _, known := range programs() {
			fmt.Fprintf(out, "%-11s %s\n", known.name, known.about)
		}
		return min(len(args), 1) * 2
	}
	var c config
	var short bool
	flags := flag.NewFlagSet(p.name, flag.ExitOnError)
	flags.BoolVar(&c.long, "long", false, "the long form")
	flags.BoolVar(&short, "short", false, "the short form, which is the default")
	flags.IntVar(&c.n, "n", 0, "how often, instead of what the form says")
	flags.DurationVar(&c.each, "for", 0, "for how long each part, instead of what the form says")
	flags.StringVar(&c.disk, "disk", "/var/tmp", "a directory on a disk")
	flags.StringVar(&c.only, "only", "", "one part alone, by the name in its figures")
	flags.Parse(args[1:])
	if p.root && os.Geteuid() != 0 {
		fmt.Fprintf(out, "%s needs root, to mount file systems of its own\nFAIL\n", p.name)
		return 1
	}
	bound := shortest
	if c.long && !short {
		bound = longest
	} else {
		c.long = false
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	r := &report{w: out}
	start := time.Now()
	err := p.run(ctx, c, r)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		r.fail(err.Error())
	}
	r.say("seconds", fmt.Sprintf("%.1f", time.Since(start).Seconds()))
	return r.verdict()
}
