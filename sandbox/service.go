package sandbox

import (
	"fmt"
	"path/filepath"
	"sync"
)

// Options configures a Service. The zero value is useful.
type Options struct {
	// Mode is the standing mode of sessions that have none of their own; "" is
	// ReadOnly.
	Mode Mode

	// WorkspaceRoot is the absolute directory of calls without a session's; it is
	// canonical if the caller made it so.
	WorkspaceRoot string

	// Record is told of each change of a session's mode, under a lock: it must not
	// call the Service. nil means nobody is.
	Record func(Event)
}

// Event is a change of a session's standing mode, as a log of the session keeps it.
type Event struct {
	Session string `json:"-"`
	Mode    Mode   `json:"mode"`
	// Source says who set it, for example "delegation"; "" is the user.
	Source string `json:"source,omitempty"`
}

// Service knows the standing policy of each session. Safe for concurrent use.
type Service struct {
	options Options
	mu      sync.Mutex
	modes   map[string]Mode
}

// NewService makes a Service. A mode that does not exist and a root that is not
// absolute are errors.
func NewService(o Options) (*Service, error) {
	if o.Mode == "" {
		o.Mode = ReadOnly
	}
	if !o.Mode.Valid() {
		return nil, fmt.Errorf("invalid config:\n  - $.mode expected %s but got %q (at mode)", quoted(" | "), string(o.Mode))
	}
	if o.WorkspaceRoot != "" && !filepath.IsAbs(o.WorkspaceRoot) {
		return nil, fmt.Errorf("sandbox: WorkspaceRoot must be absolute, got %q", o.WorkspaceRoot)
	}
	return &Service{options: o, modes: map[string]Mode{}}, nil
}

// DefaultMode is the mode of sessions that have none of their own.
func (s *Service) DefaultMode() Mode { return s.options.Mode }

// Resolve gives the standing policy of a session whose absolute directory is root; ""
// is nobody's session, and the Service's own root.
func (s *Service) Resolve(session, root string) Policy {
	if root == "" {
		root = s.options.WorkspaceRoot
	}
	return Policy{Mode: s.Mode(session), WorkspaceRoot: root, SessionID: session}
}

// Mode is the standing mode of a session.
func (s *Service) Mode(session string) Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.modes[session]; ok {
		return m
	}
	return s.options.Mode
}

// SetMode changes a session's standing mode from the next call on, and records it.
// source is as in Event. Nothing that a model can call leads here.
func (s *Service) SetMode(session string, mode Mode, source string) error {
	if _, err := ParseMode(string(mode)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.modes[session] = mode
	if s.options.Record != nil {
		s.options.Record(Event{Session: session, Mode: mode, Source: source})
	}
	return nil
}

// Forget drops what a session has set, when it ends.
func (s *Service) Forget(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.modes, session)
}
