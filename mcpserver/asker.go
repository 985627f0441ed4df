package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/toolfs/toolfs/approval"
)

// DefaultAnswerTime is how long a question may be answered by default.
const DefaultAnswerTime = 10 * time.Minute

// AskerOptions configures an Asker. The zero value is useful.
type AskerOptions struct {
	// AnswerTime is how long a question may be answered; 0 is DefaultAnswerTime.
	AnswerTime time.Duration
}

// Asker puts requests for approval before the person at the client whose call it is. Its
// Answer is for approval.Options, and the Asker itself for the Options of the Server that
// runs the calls:
//
//	asker := mcpserver.NewAsker(mcpserver.AskerOptions{})
//	service, err := approval.NewService(approval.Options{Answerer: asker.Answer})
//	…
//	server, err := mcpserver.New(mcpserver.Options{Toolset: set, Asker: asker})
//
// A question is an elicitation with a form. Since revision 2026-07-28 it is the result of
// the call, which the client makes again with the answer and with a state that is sealed
// for this process, call and session, works once, and expires. Before, the client is
// asked while the call waits. A client that declares no such elicitation is not asked.
// Safe for concurrent use.
type Asker struct {
	time  time.Duration
	now   func() time.Time
	seal  sealer
	mu    sync.Mutex
	calls map[callKey]attempt // those that run now
}

// callKey names a call as the approval service sees it.
type callKey struct{ session, call string }

// attempt is what is known of a call that runs: whether its client can be asked, and the
// answer to what it was shown, if it was.
type attempt struct {
	asks   bool
	shown  string
	answer approval.Answer
}

// NewAsker makes an Asker. A negative AnswerTime lets no question be answered.
func NewAsker(o AskerOptions) *Asker {
	if o.AnswerTime == 0 {
		o.AnswerTime = DefaultAnswerTime
	}
	return &Asker{time: o.AnswerTime, now: time.Now, seal: newSealer(), calls: map[callKey]attempt{}}
}

// Answer is an approval.Answerer: it gives the answer that a call came with, or says that
// the client is to be asked. Calls of nobody's client are Unavailable.
func (a *Asker) Answer(_ context.Context, r approval.Request) (approval.Answer, error) {
	a.mu.Lock()
	at := a.calls[callKey{r.Session, r.CallID}]
	a.mu.Unlock()
	switch {
	case at.shown == "" && at.asks:
		return approval.Answer{}, &approval.Pending{Request: r}
	case at.shown == "":
		return approval.Answer{Outcome: approval.Unavailable}, nil
	case at.shown != r.Shown:
		return approval.Answer{}, &approval.StaleError{Path: r.Path}
	}
	return at.answer, nil
}

// begin makes a call known while it runs.
func (a *Asker) begin(session, call string, at attempt) (end func()) {
	key := callKey{session, call}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls[key] = at
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.calls, key)
	}
}
