// Package vfstest proves providers: Run takes any vfs.Provider through cases of which
// each names the rule that it proves. A provider that passes can stand behind the file
// tools; see the example for one that is proved in ten lines.
//
// Not every provider can do everything. What one lacks is a Trait: the cases that need
// it are not run, and the report says so. Nothing is skipped in any other way.
//
// Faulty wraps a provider with faults, for the tests of what is built on providers.
package vfstest

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// Config says which provider to prove.
type Config struct {
	// Name is the provider's name in reports.
	Name string

	// New makes the world for one case: a provider over an empty directory. It is
	// called once for each case, and releases what it took by t.Cleanup.
	New func(t testing.TB) World

	// Lacks names the traits that the provider does without, of those that no hook of
	// the World and no capability tells of: CaseSensitive, ByteNames, ContentVersions,
	// Proofs.
	Lacks []Trait

	// Timeout is how long a case may take before the provider counts as blocked; zero
	// is a minute.
	Timeout time.Duration
}

// World is a provider, the directory in which a case works, and hooks by which the case
// sees and changes the files behind the provider's back, as another program does. All
// names are absolute. A nil hook is something that cannot be done here: the trait is
// then missing. Hooks are called from several goroutines.
type World struct {
	Provider vfs.Provider

	// Root is the absolute name of an existing empty directory.
	Root string

	// Outside is the absolute name of an existing directory that the provider must
	// never reach, for a provider that confines; the hooks do reach it. Let it begin
	// with Root's name ("/ws" and "/ws-evil"), so that a comparison of mere prefixes
	// shows.
	Outside string

	// Again makes another provider over the same files, as another process would have
	// one. Leave it nil where conditions hold within a provider only.
	Again func() vfs.Provider

	Write   func(name, content string) error  // whole, in place or not, with missing directories
	Read    func(name string) (string, error) // fs.ErrNotExist for a missing file
	Remove  func(name string) error           // also a directory with what is in it
	Rename  func(from, to string) error       // files and directories
	Mkdir   func(name string) error           // an empty directory
	Symlink func(target, name string) error   // target need not exist
	Link    func(existing, name string) error // a second name for the same file
	Special func(name string) error           // a FIFO, or what else is no file
	Crash   func() vfs.Provider               // what a power cut leaves
	Handles func() int                        // files and directories that are open now
}

// Run proves the provider in t: every case is a subtest Group/name, which fails with
// what it saw and the rule that it proves. A case whose trait is missing is no subtest.
func Run(t *testing.T, c Config) Report {
	t.Helper()
	report := Report{Name: c.Name, Traits: c.traits(t)}
	for _, group := range groups() {
		t.Run(group.name, func(t *testing.T) {
			for _, k := range group.cases {
				if missing := k.missing(report.Traits); missing != "" {
					report.Results = append(report.Results, Result{Case: k, Missing: missing})
					continue
				}
				t.Run(k.Name, func(t *testing.T) {
					r := c.prove(t, k)
					report.Results = append(report.Results, r)
					for _, failure := range r.Failures {
						t.Errorf("%s\n(the rule: %s)", failure, k.Rule)
					}
				})
			}
		})
	}
	return report
}

// Check is Run outside of a test, where the report tells of the failures: of the cases
// with the given names, Group/name, or of all. A World that cannot be made fails the
// case New/world.
func Check(c Config, only ...string) Report {
	report := Report{Name: c.Name}
	world := c.prove(nil, Case{Group: "New", Name: "world", Rule: "a world can be made", run: func(k *check) {
		report.Traits = c.traits(k)
	}})
	if len(world.Failures) > 0 {
		report.Results = []Result{world}
		return report
	}
	for _, k := range Cases() {
		if len(only) > 0 && !slices.Contains(only, k.String()) {
			continue
		}
		if missing := k.missing(report.Traits); missing != "" {
			report.Results = append(report.Results, Result{Case: k, Missing: missing})
		} else {
			report.Results = append(report.Results, c.prove(nil, k))
		}
	}
	return report
}

// prove runs one case in a goroutine of its own, so that a provider that blocks or
// panics fails that case and no other.
func (c Config) prove(outer testing.TB, k Case) Result {
	limit := c.Timeout
	if limit == 0 {
		limit = time.Minute
	}
	r := newRecorder(outer, k.Group+"/"+k.Name)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.finish()
		k.run(&check{TB: r, World: c.New(r), patience: limit / 2})
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		r.Errorf("the provider blocks: the case is not through after %v\n%s", limit, stacks())
		r.cancel()
		timer.Reset(limit)
		select { // what honours its context ends now
		case <-done:
		case <-timer.C:
		}
	}
	return Result{Case: k, Failures: r.seen()}
}

func stacks() []byte {
	buf := make([]byte, 16<<10)
	return buf[:runtime.Stack(buf, true)]
}
