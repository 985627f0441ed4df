package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"github.com/toolfs/toolfs/tool"
)

// Policy says whether a person is asked at all.
type Policy string

// The policies.
const (
	// Ask lets the Answerer decide.
	Ask Policy = "ask"
	// Never rejects every request without asking.
	Never Policy = "never"
)

func (p Policy) check() error {
	if p != Ask && p != Never {
		return errors.New(`approval policy must be one of "ask" or "never"`)
	}
	return nil
}

// ParsePolicy gives the policy of a name.
func ParsePolicy(name string) (Policy, error) { return Policy(name), Policy(name).check() }

// Options configures a Service. The zero value fails closed.
type Options struct {
	// Policy holds for sessions that have none of their own; "" is Ask.
	Policy Policy

	// Answerer asks; nil is nobody, and every request Unavailable.
	Answerer Answerer

	// Grants keeps what was allowed for longer; nil makes a store in memory.
	Grants *Grants

	// Record is told of every request and its end, in order for each request. Its error
	// ends the call. nil means nobody is.
	Record func(Event) error

	// InTurn says whether a session has a turn open, as a log of it demands; nil means
	// that it always has.
	InTurn func(session string) bool

	// Logger is told of answerers that fail; nil means nobody is.
	Logger *slog.Logger
}

// Event is what a session's log keeps of a request: first Asked, then the Outcome. Between
// the two a call may be made again, if it was Pending.
type Event struct {
	Session string       `json:"-"`
	ID      string       `json:"id"`
	Tool    string       `json:"toolName,omitempty"`
	CallID  string       `json:"callId,omitempty"`
	Reason  string       `json:"reason,omitempty"`
	Outcome tool.Outcome `json:"outcome,omitempty"`
	Scope   Scope        `json:"scope,omitempty"`
}

// LogValue implements slog.LogValuer.
func (e Event) LogValue() slog.Value {
	if e.Asked() {
		return slog.GroupValue(slog.String("session", e.Session), slog.String("id", e.ID), slog.String("tool", e.Tool),
			slog.String("call", e.CallID), slog.String("reason", e.Reason))
	}
	return slog.GroupValue(slog.String("session", e.Session), slog.String("id", e.ID),
		slog.String("outcome", string(e.Outcome)), slog.String("scope", string(e.Scope)))
}

// Asked reports that e is the question, not the decision.
func (e Event) Asked() bool { return e.Outcome == "" }

// Service asks for approvals. Safe for concurrent use.
type Service struct {
	options  Options
	mu       sync.Mutex
	policies map[string]Policy
	pending  map[callKey]string // the ids of requests whose calls are to be made again
}

// NewService makes a Service; a policy that does not exist is an error.
func NewService(o Options) (*Service, error) {
	if o.Policy == "" {
		o.Policy = Ask
	}
	if err := o.Policy.check(); err != nil {
		return nil, err
	}
	if o.Grants == nil {
		o.Grants = NewGrants()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{options: o, policies: map[string]Policy{}, pending: map[callKey]string{}}, nil
}

// Grants is the store of what was allowed for longer.
func (s *Service) Grants() *Grants { return s.options.Grants }

// Policy is the policy of a session.
func (s *Service) Policy(session string) Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.policies[session]; ok {
		return p
	}
	return s.options.Policy
}

// SetPolicy changes a session's policy from the next request on. The notice is what the
// session's model should be told, "" when nothing changed.
func (s *Service) SetPolicy(session string, p Policy) (notice string, err error) {
	if err := p.check(); err != nil {
		return "", err
	}
	before := s.Policy(session)
	s.mu.Lock()
	s.policies[session] = p
	s.mu.Unlock()
	if before == p {
		return "", nil
	}
	return fmt.Sprintf(`The approval policy changed from "%s" to "%s" (changed by the user).`, before, p), nil
}

// Context is what a model is told of a session's policy. Contract section 11.6.
func (s *Service) Context(session string) string {
	if s.Policy(session) == Never {
		return "Approval prompts are disabled in this session: actions that require approval are rejected automatically — do not request sandbox escalation (do not set `sandbox_permissions`)."
	}
	return "Approval policy: ask. Operations that require approval may ask through the configured answerers; without an available answerer, the request fails closed."
}

// Forget drops what a session has set and was granted, when it ends.
func (s *Service) Forget(session string) {
	s.mu.Lock()
	delete(s.policies, session)
	maps.DeleteFunc(s.pending, func(k callKey, _ string) bool { return k.session == session })
	s.mu.Unlock()
	s.options.Grants.Forget(session)
}

//lint:ignore ST1005 the text is the contract's
var errOutsideTurn = errors.New("approval.request() outside an open turn: the approval/asked + approval/decided audit pair must be turn-enclosed (a bare event between turns is crash-tail garbage on reload). Ask from inside the turn that needs the decision.")

// Request asks, and returns how it ended. An error ends the call as it is: *Pending,
// *StaleError, that of Record, or that there is no open turn.
func (s *Service) Request(ctx context.Context, r Request) (Answer, error) {
	if s.options.InTurn != nil && !s.options.InTurn(r.Session) {
		return Answer{}, errOutsideTurn
	}
	id, again := s.kept(r)
	if r.ID = id; !again {
		r.ID = rand.Text()
		asked := Event{Session: r.Session, ID: r.ID, Tool: r.Tool, CallID: r.CallID, Reason: r.Reason()}
		if err := s.record(asked); err != nil {
			return Answer{}, err
		}
	}
	answer, err := s.decide(ctx, r)
	if pending, ok := errors.AsType[*Pending](err); ok {
		s.keep(r)
		pending.Request, pending.service = r, s
		return Answer{}, err
	}
	s.close(r)
	if err != nil { // the answer was for something else, and counts for nothing
		if recorded := s.record(Event{Session: r.Session, ID: r.ID, Outcome: Cancelled}); recorded != nil {
			err = recorded
		}
		return Answer{}, err
	}
	if err := s.record(Event{Session: r.Session, ID: r.ID, Outcome: answer.Outcome, Scope: answer.Scope}); err != nil {
		return Answer{}, err
	}
	if answer.Outcome == AllowedOnce && answer.Scope != "" {
		s.options.Grants.add(r, answer.Scope)
	}
	return answer, nil
}

func (s *Service) record(e Event) error {
	if s.options.Record == nil {
		return nil
	}
	return s.options.Record(e)
}

// decide asks the Answerer, whose late answer to a call that was given up counts for
// nothing.
func (s *Service) decide(ctx context.Context, r Request) (Answer, error) {
	switch {
	case ctx.Err() != nil:
		return Answer{Outcome: Cancelled}, nil
	case s.Policy(r.Session) == Never:
		return Answer{Outcome: Rejected}, nil
	case s.options.Answerer == nil:
		return Answer{Outcome: Unavailable}, nil
	}
	done := make(chan reply, 1)
	go func() {
		got := reply{err: errors.New("the answerer ended without an answer")}
		defer func() { done <- got }()
		got = s.ask(ctx, r)
	}()
	var got reply
	select {
	case got = <-done:
	case <-ctx.Done():
		return Answer{Outcome: Cancelled}, nil
	}
	if ctx.Err() != nil {
		return Answer{Outcome: Cancelled}, nil
	}
	if _, ok := errors.AsType[*Pending](got.err); ok {
		return Answer{}, got.err
	}
	if _, ok := errors.AsType[*StaleError](got.err); ok {
		return Answer{}, got.err
	}
	if got.err != nil {
		s.options.Logger.Error("asking for approval failed", "tool", r.Tool, "call", r.CallID, "error", got.err)
		return Answer{Outcome: Unavailable}, nil
	}
	return got.answer.known(), nil
}

type reply struct {
	answer Answer
	err    error
}

func (s *Service) ask(ctx context.Context, r Request) (got reply) {
	defer func() {
		if v := recover(); v != nil {
			got = reply{err: fmt.Errorf("the answerer panicked: %v", v)}
		}
	}()
	got.answer, got.err = s.options.Answerer(ctx, r)
	return got
}

// known is the answer in the vocabulary: what is not in it allows nothing.
func (a Answer) known() Answer {
	switch a.Outcome {
	case Rejected, Cancelled:
		return Answer{Outcome: a.Outcome}
	case AllowedOnce:
		switch a.Scope {
		case "", ScopeOnce:
			return Answer{Outcome: AllowedOnce}
		case ScopeFile, ScopeDirectory:
			return a
		}
	}
	return Answer{Outcome: Unavailable}
}
