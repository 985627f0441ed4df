// Package policy holds the listeners of the gate that decide what may be changed.
// Observe is the one that every deployment wants: a file must have been read before
// it is changed, and must still be what was read. Contract section 9.
//
// A policy touches no file and knows no tool: it remembers what the gate told it.
//
// What it refuses an edit with, <p> being the path as it is shown:
//
//	edit requires reading "<p>" first    FS_NOT_OBSERVED, for a file that was not seen
//	cannot edit "<p>": not found         FS_NOT_FOUND, for one that was seen to be absent
package policy

import (
	"context"
	"sync"

	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/vfs"
)

// The bounds on what an Observe remembers, in its Options' zero value.
const (
	DefaultMaxSessions = 1024
	DefaultMaxFiles    = 16384
)

// Options bounds an Observe: how many sessions, and how many files of one session,
// it remembers. What was used longest ago is forgotten first, which is safe: a file
// that was forgotten has to be read again. Zero takes the defaults.
type Options struct {
	MaxSessions int
	MaxFiles    int
}

// Observe is the ledger of what each session has seen of each file: nothing (unseen),
// that it is absent, or that it is present with a version. Sessions do not see each
// other's entries. Safe for concurrent use.
type Observe struct {
	options  Options
	mu       sync.Mutex
	sessions *recent[string, *ledger]
}

// ledger is one session's observations, by target key.
type ledger = recent[string, observation]

// observation is the last thing seen of a target; an empty version means absent.
type observation struct{ version vfs.Version }

// NewObserve makes an empty ledger.
func NewObserve(o Options) *Observe {
	if o.MaxSessions <= 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = DefaultMaxFiles
	}
	return &Observe{options: o, sessions: newRecent[string, *ledger](o.MaxSessions)}
}

// Attach makes the ledger decide at g and record what is observed there; it records
// before any other listener can fail. The function returned detaches it and drops
// all that it knows.
func (o *Observe) Attach(g *gate.Gate) (detach func()) {
	removes := []func(){
		g.WriteIntent.Add(o.decideWrite),
		g.EditIntent.Add(o.decideEdit),
		g.Observed.Prepend(o.record),
	}
	return sync.OnceFunc(func() {
		for _, remove := range removes {
			remove()
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.sessions = newRecent[string, *ledger](o.options.MaxSessions)
	})
}

// Forget drops a session and all that it has seen.
func (o *Observe) Forget(session string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sessions.remove(session)
}

func (o *Observe) decideWrite(_ context.Context, e gate.WriteIntent, _ func() (vfs.Condition, error)) (vfs.Condition, error) {
	if seen, ok := o.seen(e.Session, e.Target.Key); ok && seen.version != "" {
		return vfs.IfVersion(seen.version), nil
	}
	return vfs.IfAbsent(), nil
}

func (o *Observe) decideEdit(_ context.Context, e gate.EditIntent, _ func() (vfs.Version, error)) (vfs.Version, error) {
	seen, ok := o.seen(e.Session, e.Target.Key)
	switch {
	case !ok:
		return "", &vfs.Error{Path: e.Target.Path, Code: vfs.CodeNotObserved,
			Msg: "edit requires reading " + vfs.QuotePath(e.Target.Path) + " first"}
	case seen.version == "":
		return "", vfs.NotFound("edit", e.Target)
	}
	return seen.version, nil
}

func (o *Observe) seen(session, key string) (observation, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, ok := o.sessions.get(session)
	if !ok {
		return observation{}, false
	}
	return l.get(key)
}

func (o *Observe) record(e gate.Observed) error {
	if e.Session == "" {
		return nil
	}
	seen := observation{version: e.Version}
	if e.Absent {
		seen.version = ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ledger(e.Session).put(e.Target.Key, seen)
	return nil
}

// ledger is the session's own, made on first use. The caller holds the lock.
func (o *Observe) ledger(session string) *ledger {
	l, ok := o.sessions.get(session)
	if !ok {
		l = newRecent[string, observation](o.options.MaxFiles)
		o.sessions.put(session, l)
	}
	return l
}
