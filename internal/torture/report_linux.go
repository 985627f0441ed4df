//go:build !toolfs_portable

package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// report prints figures and remembers whether one was missed. Safe for concurrent use.
type report struct {
	mu     sync.Mutex
	w      io.Writer
	missed int
}

func (r *report) say(name string, value any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.w, "%s: %v\n", name, value)
}

// exactly prints a figure that must be want.
func (r *report) exactly(name string, got, want int) {
	if got == want {
		r.say(name, got)
		return
	}
	r.miss()
	r.say(name, fmt.Sprintf("%d, must be %d", got, want))
}

// none prints a figure that must be 0.
func (r *report) none(name string, got int) { r.exactly(name, got, 0) }

// atLeast prints a figure below which the program proves nothing.
func (r *report) atLeast(name string, got, least int) {
	if got >= least {
		r.say(name, got)
		return
	}
	r.miss()
	r.say(name, fmt.Sprintf("%d, must be at least %d", got, least))
}

// fail prints what went wrong besides the figures.
func (r *report) fail(what string) {
	r.miss()
	r.say("failed", what)
}

func (r *report) miss() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missed++
}

// leftOut says that a part cannot run here, which is a failure where nothing may be
// skipped.
func (r *report) leftOut(part, why string) {
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		r.miss()
	}
	r.say("left out", part+", "+why)
}

// verdict prints the last line and gives the exit code.
func (r *report) verdict() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missed > 0 {
		fmt.Fprintln(r.w, "FAIL")
		return 1
	}
	fmt.Fprintln(r.w, "PASS")
	return 0
}
