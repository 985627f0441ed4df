package approval_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
)

var errBoom = errors.New("boom")

func request() approval.Request {
	return approval.Request{Session: "A", CallID: "c", Tool: "write", Path: "/x/d/f", Key: "/x/d/f", Dir: "/x/d", Operation: "create",
		Mode: sandbox.DangerFullAccess, Standing: sandbox.ReadOnly, Justification: "why"}
}

func service(t *testing.T, o approval.Options) *approval.Service {
	t.Helper()
	s, err := approval.NewService(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func says(o tool.Outcome) approval.Answerer {
	return func(context.Context, approval.Request) (approval.Answer, error) {
		return approval.Answer{Outcome: o}, nil
	}
}

// Only the words of the vocabulary count, and whatever goes wrong allows nothing.
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answerer approval.Answerer
		want     tool.Outcome
	}{
		"allowed":         {says(approval.AllowedOnce), approval.AllowedOnce},
		"rejected":        {says(approval.Rejected), approval.Rejected},
		"cancelled":       {says(approval.Cancelled), approval.Cancelled},
		"unavailable":     {says(approval.Unavailable), approval.Unavailable},
		"no answerer":     {nil, approval.Unavailable},
		"no word":         {says(""), approval.Unavailable},
		"another word":    {says("yes"), approval.Unavailable},
		"nearly the word": {says("Allowed-Once"), approval.Unavailable},
		"an unknown scope": {func(context.Context, approval.Request) (approval.Answer, error) {
			return approval.Answer{Outcome: approval.AllowedOnce, Scope: "everything"}, nil
		}, approval.Unavailable},
		"an error": {func(context.Context, approval.Request) (approval.Answer, error) { return approval.Answer{}, errBoom }, approval.Unavailable},
		"allowed, but error": {func(context.Context, approval.Request) (approval.Answer, error) {
			return approval.Answer{Outcome: approval.AllowedOnce}, errBoom
		}, approval.Unavailable},
		"a panic": {func(context.Context, approval.Request) (approval.Answer, error) { panic("boom") }, approval.Unavailable},
		"no return": {func(context.Context, approval.Request) (approval.Answer, error) {
			runtime.Goexit()
			return approval.Answer{}, nil
		}, approval.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			var events []approval.Event
			s := service(t, approval.Options{Answerer: c.answerer, Record: func(e approval.Event) error { events = append(events, e); return nil }})
			got, err := s.Request(t.Context(), request())
			if err != nil || got.Outcome != c.want || got.Scope != "" {
				t.Errorf("%+v, %v", got, err)
			}
			want := []approval.Event{
				{Session: "A", Tool: "write", CallID: "c", Reason: "escalate sandbox to danger-full-access: why"},
				{Session: "A", Outcome: c.want},
			}
			if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(approval.Event{}, "ID")); diff != "" {
				t.Errorf("the events (-want +got):\n%s", diff)
			}
			if len(events) == 2 && (events[0].ID == "" || events[0].ID != events[1].ID || !events[0].Asked() || events[1].Asked()) {
				t.Errorf("the events are no pair: %+v", events)
			}
		})
	}
}

// Each request has an id of its own, and the answerer sees the one that is recorded.
func TestFreshIDs(t *testing.T) {
	seen := map[string]bool{}
	s := service(t, approval.Options{Answerer: func(_ context.Context, r approval.Request) (approval.Answer, error) {
		if r.ID == "given" || seen[r.ID] {
			t.Errorf("id %q again", r.ID)
		}
		seen[r.ID] = true
		return approval.Answer{Outcome: approval.Rejected}, nil
	}})
	for range 50 {
		r := request()
		r.ID = "given"
		if _, err := s.Request(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d ids", len(seen))
	}
}

// A call that was given up before is cancelled and puts no question, whatever the policy.
func TestAbortedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, policy := range []approval.Policy{approval.Ask, approval.Never} {
		s := service(t, approval.Options{Policy: policy, Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
			t.Error("somebody was asked")
			return approval.Answer{}, nil
		}})
		if got, err := s.Request(ctx, request()); err != nil || got.Outcome != approval.Cancelled {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A call that is given up while a person thinks ends at once, and what the person says
// later neither counts nor is kept.
func TestAbortedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		late := make(chan struct{})
		s := service(t, approval.Options{Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
			<-late
			return approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeFile}, nil
		}})
		done := make(chan approval.Answer, 1)
		go func() {
			got, err := s.Request(ctx, request())
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		select {
		case got := <-done:
			if got.Outcome != approval.Cancelled {
				t.Errorf("%+v", got)
			}
		default:
			t.Error("the call waits on")
		}
		close(late)
		synctest.Wait()
		if list := s.Grants().List(""); len(list) > 0 {
			t.Errorf("the late answer granted %v", list)
		}
	})
}

// An answer that comes together with the end of the call counts as late.
func TestAnswerAtTheEndIsLate(t *testing.T) {
	ctx := &ending{Context: t.Context()}
	s := service(t, approval.Options{Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
		ctx.over.Store(true)
		return approval.Answer{Outcome: approval.AllowedOnce}, nil
	}})
	if got, err := s.Request(ctx, request()); err != nil || got.Outcome != approval.Cancelled {
		t.Errorf("%+v, %v", got, err)
	}
}

// ending is a context whose end is not noticed before it is asked for.
type ending struct {
	context.Context
	over atomic.Bool
}

func (*ending) Done() <-chan struct{} { return nil }

func (e *ending) Err() error {
	if e.over.Load() {
		return context.Canceled
	}
	return nil
}

// What cannot be recorded does not happen.
func TestRecordFails(t *testing.T) {
	for _, failing := range []string{"the question", "the decision"} {
		asked := false
		s := service(t, approval.Options{
			Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
				asked = true
				return approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeFile}, nil
			},
			Record: func(e approval.Event) error {
				if e.Asked() == (failing == "the question") {
					return errBoom
				}
				return nil
			},
		})
		got, err := s.Request(t.Context(), request())
		if err != errBoom || got != (approval.Answer{}) || asked != (failing == "the decision") || len(s.Grants().List("")) > 0 {
			t.Errorf("%s: %+v, %v, asked %t", failing, got, err, asked)
		}
	}
}

func TestOutsideATurn(t *testing.T) {
	const want = "approval.request() outside an open turn: the approval/asked + approval/decided audit pair must be turn-enclosed (a bare event between turns is crash-tail garbage on reload). Ask from inside the turn that needs the decision."
	s := service(t, approval.Options{
		Answerer: says(approval.AllowedOnce),
		InTurn:   func(session string) bool { return session == "B" },
		Record:   func(e approval.Event) error { return map[string]error{"A": errBoom}[e.Session] },
	})
	if _, err := s.Request(t.Context(), request()); err == nil || err.Error() != want {
		t.Errorf("outside: %v", err)
	}
	r := request()
	r.Session = "B"
	if got, err := s.Request(t.Context(), r); err != nil || got.Outcome != approval.AllowedOnce {
		t.Errorf("inside: %+v, %v", got, err)
	}
}

// What an adapter has to deal with itself reaches it as it is.
func TestErrorsForTheAdapter(t *testing.T) {
	for _, want := range []error{&approval.Pending{Request: request()}, &approval.StaleError{Path: "/x/d/f"}} {
		s := service(t, approval.Options{Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
			return approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeFile}, want
		}})
		if got, err := s.Request(t.Context(), request()); reflect.TypeOf(err) != reflect.TypeOf(want) || err.Error() != want.Error() || got != (approval.Answer{}) || len(s.Grants().List("")) > 0 {
			t.Errorf("%+v, %v, not %v", got, err, want)
		}
	}
}
