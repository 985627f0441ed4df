package mcpserver

import (
	"bytes"
	"sync"
	"time"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/tool"
)

// question is what a client was asked about one of its calls.
type question struct {
	call    string // the id of the call, which keeps it when it is made again
	pending *approval.Pending
	expires time.Time
}

// maxQuestions bounds what one session has open; the oldest goes first.
const maxQuestions = 100

// questions are those of a session that wait for the client to make the call again, the
// oldest first.
type questions struct {
	mu   sync.Mutex
	open []question
}

// put opens a question, and closes those that nobody can answer any more.
func (s *questions) put(q question, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, q)
	for len(s.open) > maxQuestions || len(s.open) > 0 && s.open[0].expires.Before(now) {
		s.open[0].pending.End(approval.Unavailable)
		s.open = s.open[1:]
	}
}

// take closes a question that is answered; once.
func (s *questions) take(request string) (question, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.open {
		if q.pending.Request.ID == request {
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			return q, true
		}
	}
	return question{}, false
}

// end closes all, with the session.
func (s *questions) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.open {
		q.pending.End(approval.Cancelled)
	}
	s.open = nil
}

// answers finds the question that a call answers by the state that it came with. The
// state must be the one that was made for this very call.
func (s *session) answers(state string, c tool.Call) (question, error) {
	invalid := func(why string) (question, error) {
		return question{}, &answerError{CodeApprovalInvalid, why}
	}
	asker := s.server.options.Asker
	if asker == nil {
		return invalid("nobody was asked")
	}
	got, ok := asker.seal.open(state)
	want := sealedFor(s.caller.ID, c)
	switch {
	case !ok:
		return invalid("its request state is missing, or is not as it was made here")
	case got.Session != want.Session:
		return invalid("its request state belongs to another session")
	case got.Tool != want.Tool || !bytes.Equal(got.Arguments, want.Arguments):
		return invalid("its request state belongs to another call")
	case !asker.now().Before(got.Expires):
		return question{}, &answerError{CodeApprovalExpired, "it came too late"}
	}
	q, ok := s.questions.take(got.Request)
	if !ok {
		return question{}, &answerError{CodeApprovalUsed, "the question was answered before, or is no longer open"}
	}
	return q, nil
}
