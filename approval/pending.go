package approval

import (
	"fmt"

	"github.com/toolfs/toolfs/tool"
)

// Pending is the error of a call that cannot be decided now: its adapter, who finds it in
// the result's Failure, asks in its own way. When that brings a grant, it makes the call
// again for the same session and with the same CallID, which goes on with the request;
// with anything else it does not, and calls End. Nothing has been done or is held.
type Pending struct {
	Request Request
	service *Service
}

// Error is what a model sees where an adapter does not know how to ask.
func (p *Pending) Error() string { return p.Request.Refusal(Unavailable).Error() }

// End records how the request ended without the call being made again, and does nothing
// for one that has ended. It returns the error of Options.Record.
func (p *Pending) End(o tool.Outcome) error {
	if p.service == nil || !p.service.close(p.Request) {
		return nil
	}
	if o = (Answer{Outcome: o}).known().Outcome; o == AllowedOnce {
		o = Unavailable // a grant takes a call that is made again
	}
	return p.service.record(Event{Session: p.Request.Session, ID: p.Request.ID, Outcome: o})
}

// Refusal is the failure of a call that was not allowed. Contract section 11.6, checks 11
// to 13.
func (r Request) Refusal(o tool.Outcome) error {
	switch o {
	case Rejected:
		return fmt.Errorf("the user rejected escalating this operation to %q", string(r.Mode))
	case Cancelled:
		return fmt.Errorf("approval for escalating to %q was cancelled", string(r.Mode))
	}
	return fmt.Errorf("sandbox escalation to %q requires approval, but no approval channel is available", string(r.Mode))
}

// callKey names a call of a model.
type callKey struct{ session, call string }

// maxPending bounds the requests that wait for their call to be made again. One that is
// dropped is asked as a new one then.
const maxPending = 10_000

// keep remembers a request that is pending.
func (s *Service) keep(r Request) {
	if r.CallID == "" {
		return // nothing to know the call by
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.pending {
		if len(s.pending) < maxPending {
			break
		}
		delete(s.pending, key)
	}
	s.pending[callKey{r.Session, r.CallID}] = r.ID
}

// kept gives the id of the request of a call that is made again.
func (s *Service) kept(r Request) (id string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok = s.pending[callKey{r.Session, r.CallID}]
	return id, ok
}

// close forgets a request that ends, and reports whether it was pending.
func (s *Service) close(r Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := callKey{r.Session, r.CallID}
	if s.pending[key] != r.ID {
		return false
	}
	delete(s.pending, key)
	return true
}
