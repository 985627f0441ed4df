package approval_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
)

// asked is a service whose answerer says what answer holds, and the log of it.
type asked struct {
	*approval.Service
	answer approval.Answer
	err    error
	log    []string
	ids    []string
}

func ask(t *testing.T) *asked {
	t.Helper()
	a := &asked{}
	s, err := approval.NewService(approval.Options{
		Answerer: func(_ context.Context, r approval.Request) (approval.Answer, error) {
			if a.err == nil && a.answer == (approval.Answer{}) {
				return approval.Answer{}, &approval.Pending{Request: r}
			}
			return a.answer, a.err
		},
		Record: func(e approval.Event) error {
			a.log = append(a.log, string(e.Outcome))
			a.ids = append(a.ids, e.ID)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Service = s
	return a
}

var pendingRequest = approval.Request{Session: "s", CallID: "1", Mode: sandbox.DangerFullAccess, Path: "/a"}

func (a *asked) pending(t *testing.T) *approval.Pending {
	t.Helper()
	_, err := a.Request(context.Background(), pendingRequest)
	p, ok := errors.AsType[*approval.Pending](err)
	if !ok {
		t.Fatalf("the request ended with %v", err)
	}
	return p
}

// logged checks the outcomes that were recorded, "" for a question, and that they are of
// so many requests.
func (a *asked) logged(t *testing.T, requests int, outcomes ...string) {
	t.Helper()
	ids := slices.Sorted(slices.Values(a.ids))
	if n := len(slices.Compact(ids)); !slices.Equal(a.log, outcomes) || n != requests {
		t.Errorf("recorded %q of %d requests", a.log, n)
	}
}

func TestACallThatIsMadeAgainGoesOnWithItsRequest(t *testing.T) {
	a := ask(t)
	p := a.pending(t)
	a.answer = approval.Answer{Outcome: approval.AllowedOnce}
	if got, err := a.Request(context.Background(), pendingRequest); err != nil || got != a.answer {
		t.Errorf("got %v, %v", got, err)
	}
	if err := p.End(approval.Rejected); err != nil { // it has ended
		t.Error(err)
	}
	a.logged(t, 1, "", "allowed-once")
	a.Request(context.Background(), pendingRequest)
	a.logged(t, 2, "", "allowed-once", "", "allowed-once")
}

func TestAnotherCallIsAnotherRequest(t *testing.T) {
	for name, change := range map[string]func(*approval.Request){
		"call":    func(r *approval.Request) { r.CallID = "2" },
		"session": func(r *approval.Request) { r.Session = "t" },
	} {
		a := ask(t)
		a.pending(t)
		a.answer = approval.Answer{Outcome: approval.Rejected}
		other := pendingRequest
		change(&other)
		a.Request(context.Background(), other)
		if !slices.Equal(a.log, []string{"", "", "rejected"}) {
			t.Errorf("another %s: recorded %q", name, a.log)
		}
	}
}

func TestTheEndOfAPendingRequest(t *testing.T) {
	for end, want := range map[tool.Outcome]string{
		approval.Rejected: "rejected", approval.Cancelled: "cancelled", approval.Unavailable: "unavailable",
		approval.AllowedOnce: "unavailable", "yes": "unavailable",
	} {
		a := ask(t)
		p := a.pending(t)
		p.End(end)
		p.End(end)
		a.logged(t, 1, "", want)
	}
	a := ask(t)
	p := a.pending(t)
	a.Forget("s")
	p.End(approval.Rejected)
	a.logged(t, 1, "")
}

func TestAnAnswerToSomethingElseIsRecorded(t *testing.T) {
	a := ask(t)
	a.err = &approval.StaleError{Path: "/a"}
	if _, err := a.Request(context.Background(), pendingRequest); err != a.err {
		t.Errorf("the request ended with %v", err)
	}
	a.logged(t, 1, "", "cancelled")
}

func TestRefusals(t *testing.T) {
	for o, want := range map[tool.Outcome]string{
		approval.Rejected:    `the user rejected escalating this operation to "danger-full-access"`,
		approval.Cancelled:   `approval for escalating to "danger-full-access" was cancelled`,
		approval.Unavailable: `requires approval, but no approval channel is available`,
		"yes":                `requires approval, but no approval channel is available`,
	} {
		if got := pendingRequest.Refusal(o).Error(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", o, got)
		}
	}
}

func TestWhatALogSaysOfARequest(t *testing.T) {
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("approval", "", approval.Event{Session: "s", ID: "i", Tool: "write", CallID: "1", Reason: "why"})
	log.Info("approval", "", approval.Event{Session: "s", ID: "i", Outcome: approval.AllowedOnce, Scope: approval.ScopeFile})
	want := "level=INFO msg=approval session=s id=i tool=write call=1 reason=why\n" +
		"level=INFO msg=approval session=s id=i outcome=allowed-once scope=file\n"
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
}
