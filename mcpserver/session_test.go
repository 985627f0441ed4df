package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolfs/toolfs/tool"
)

// Nobody waits for an answer here: what each call sees is decided by the order in which
// the calls were sent.
func TestCallsSeeWhatWasSentBeforeThem(t *testing.T) {
	dir := workspace(t, nil)
	c := dial(t, fileServer(t, dir, Options{}))
	c.hello("2025-06-18")
	const rounds = 30
	go func() {
		for i := range rounds {
			c.send(callLine(3*i, "write", args{"file_path": "a.txt", "content": fmt.Sprintf("text %d\n", i)}),
				callLine(3*i+1, "read", args{"file_path": "a.txt"}),
				callLine(3*i+2, "edit", args{"file_path": "a.txt", "old_string": fmt.Sprint("text ", i), "new_string": "changed"}))
		}
	}()
	for range 3 * rounds {
		a := parseAnswer(t, c.line())
		id := int(a.ID.(float64))
		text := a.text(t)
		if a.Result.IsError {
			t.Errorf("call %d: %s", id, text)
		}
		if want := fmt.Sprintf("1: text %d\n", id/3); id%3 == 1 && !strings.Contains(text, want) {
			t.Errorf("read %d saw %s", id, text)
		}
	}
}

func TestLooksOverlap(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	s, _ := fakeServer(t, func(ctx context.Context, e *tool.Exec) (string, error) {
		both.Done()
		both.Wait() // for ever, should they not overlap
		return "met", nil
	}, "look")
	c := dial(t, s)
	c.hello("2025-06-18")
	c.send(callLine(1, "look", args{}), callLine(2, "look", args{}))
	for range 2 {
		if a := parseAnswer(t, c.line()); a.text(t) != "met" {
			t.Errorf("%+v", a)
		}
	}
}

func TestACallThatNeverReachesItsToolHoldsNobodyBack(t *testing.T) {
	s, _ := fakeServer(t, func(context.Context, *tool.Exec) (string, error) { return "ran", nil }, "do")
	c := dial(t, s)
	c.hello("2025-06-18")
	c.send(callLine(1, "no such tool", args{}),
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":5}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`,
		callLine(4, "do", args{}))
	var errors, results int
	for range 4 {
		if a := parseAnswer(t, c.line()); a.Error != nil {
			errors++
		} else if a.text(t) == "ran" {
			results++
		}
	}
	if errors != 3 || results != 1 {
		t.Errorf("%d errors and %d results", errors, results)
	}
}

// stuck gives a server with a tool that says when it starts and returns when it is
// cancelled.
func stuck(t *testing.T) (s *Server, f *fakeTools, begun, cancelled chan string) {
	begun, cancelled = make(chan string, 10), make(chan string, 10)
	s, f = fakeServer(t, func(ctx context.Context, e *tool.Exec) (string, error) {
		begun <- e.SessionID()
		<-ctx.Done()
		cancelled <- e.SessionID()
		return "", ctx.Err()
	}, "look", "do")
	return s, f, begun, cancelled
}

func await[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal("waited in vain: ", what)
	}
	return v
}

func TestCancellationReachesTheCall(t *testing.T) {
	s, _, begun, cancelled := stuck(t)
	c := dial(t, s)
	c.hello("2025-06-18")
	c.send(callLine(7, "do", args{}))
	await(t, "start", begun)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"test"}}`)
	await(t, "cancellation", cancelled)
	if a := parseAnswer(t, c.line()); a.ID != 7.0 || !a.Result.IsError {
		t.Errorf("%+v", a)
	}
}

func TestACallThatWaitsForItsTurnCanBeCancelled(t *testing.T) {
	s, _, begun, cancelled := stuck(t)
	c := dial(t, s)
	c.hello("2025-06-18")
	c.send(callLine(1, "do", args{}), callLine(2, "do", args{}))
	await(t, "start", begun)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	// It depends on how far the call has come whether the SDK or the tool answers.
	if a := parseAnswer(t, c.line()); a.ID != 2.0 || !a.Result.IsError && a.Error == nil {
		t.Errorf("%+v", a)
	}
	select {
	case <-begun:
		t.Error("the second call ran")
	default:
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	await(t, "cancellation", cancelled)
}

func TestTheEndOfTheInputEndsEverything(t *testing.T) {
	s, f, begun, cancelled := stuck(t)
	s.drain = 10 * time.Millisecond
	c := dial(t, s)
	c.hello("2025-06-18")
	c.send(callLine(1, "do", args{}))
	id := await(t, "start", begun)
	c.in.Close()
	await(t, "cancellation", cancelled)
	if err := c.end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if got := await(t, "forgetting", f.forgotten); got != id {
		t.Errorf("forgot %q, not %q", got, id)
	}
}

func TestCallsBeforeTheEndOfTheInputAreAnswered(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "hello\n"})
	c := dial(t, fileServer(t, dir, Options{}))
	c.hello("2025-06-18")
	c.send(callLine(1, "read", args{"file_path": "a.txt"}), callLine(2, "write", args{"file_path": "b.txt", "content": "b"}))
	c.in.Close()
	for range 2 {
		if a := parseAnswer(t, c.line()); a.Result.IsError {
			t.Errorf("%+v", a)
		}
	}
	if err := c.end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err != nil {
		t.Error(err)
	}
}

func TestTheEndOfTheContextEndsEverything(t *testing.T) {
	s, _, begun, cancelled := stuck(t)
	c := dial(t, s)
	c.hello("2025-06-18")
	c.send(callLine(1, "do", args{}))
	await(t, "start", begun)
	c.stop()
	await(t, "cancellation", cancelled)
	if a := parseAnswer(t, c.line()); !a.Result.IsError {
		t.Errorf("the call that was cancelled got %+v", a)
	}
	if err := c.end(); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
}

func TestCloseEndsSessionsAndRefusesNewOnes(t *testing.T) {
	s, _, begun, cancelled := stuck(t)
	c := dial(t, s)
	c.hello("2025-06-18")
	c.send(callLine(1, "look", args{}))
	await(t, "start", begun)
	s.Close()
	await(t, "cancellation", cancelled)
	if err := c.end(); !errors.Is(err, ErrClosed) {
		t.Errorf("Run: %v", err)
	}
	if err := s.Run(context.Background(), Stdio(strings.NewReader(""), nil)); !errors.Is(err, ErrClosed) {
		t.Errorf("Run after Close: %v", err)
	}
}

func TestSessionsDoNotShareWhatTheyRead(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "one\n"})
	s := fileServer(t, dir, Options{})
	first, second := dial(t, s), dial(t, s)
	first.hello("2025-06-18")
	second.hello("2025-06-18")
	first.call(1, "read", args{"file_path": "a.txt"})
	edit := args{"file_path": "a.txt", "old_string": "one", "new_string": "two"}
	if a := second.call(1, "edit", edit); !a.Result.IsError || !strings.Contains(string(a.Result.Meta[ErrorKey]), "FS_NOT_OBSERVED") {
		t.Errorf("a session that read nothing: %+v", a)
	}
	if a := first.call(2, "edit", edit); a.Result.IsError {
		t.Errorf("the session that read it: %+v", a)
	}
}
