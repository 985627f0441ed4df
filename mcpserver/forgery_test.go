package mcpserver

import (
	"context"
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/tool"
)

const askAnew = ". Nothing was changed; make the call again without it to ask anew"

// A state that does not belong to the call that brings it, or was never made here, is
// worth nothing; the true call can still be answered afterwards.
func TestStatesThatAreNotOfThisCall(t *testing.T) {
	s := confine(t, map[string]string{"a.txt": "one\n"}, Options{}, AskerOptions{})
	c, other := dial(t, s.Server), dial(t, s.Server)
	for _, c := range []*client{c, other} {
		c.modern(modern{id: 1, tool: "read", arguments: args{"file_path": "a.txt"}})
	}
	call := modern{id: 2, tool: "write", arguments: wider("a.txt", args{"content": "x"})}
	call.state = c.asks(call)
	call.responses = decided("allow_file")
	foreign, err := newSealer().close(sealed{Session: "x"})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := confine(t, map[string]string{"a.txt": "one\n"}, Options{}, AskerOptions{})
	theirs := dial(t, elsewhere.Server)
	theirs.modern(modern{id: 1, tool: "read", arguments: args{"file_path": "a.txt"}})
	of := func(c *client, m modern) string {
		m.state, m.responses = "", ""
		return c.asks(m)
	}
	for what, tt := range map[string]struct {
		by     *client
		change func(*modern)
		want   string
	}{
		"no state":                {c, func(m *modern) { m.state = "" }, "its request state is missing, or is not as it was made here"},
		"nonsense":                {c, func(m *modern) { m.state = "state" }, "its request state is missing, or is not as it was made here"},
		"an endless state":        {c, func(m *modern) { m.state = strings.Repeat("A", 1<<20) }, "its request state is missing, or is not as it was made here"},
		"a state with a tail":     {c, func(m *modern) { m.state += "AAAA" }, "its request state is missing, or is not as it was made here"},
		"a state cut short":       {c, func(m *modern) { m.state = m.state[:len(m.state)-4] }, "its request state is missing, or is not as it was made here"},
		"another key":             {c, func(m *modern) { m.state = foreign }, "its request state is missing, or is not as it was made here"},
		"another server's state":  {c, func(m *modern) { m.state = of(theirs, *m) }, "its request state is missing, or is not as it was made here"},
		"another session":         {other, func(*modern) {}, "its request state belongs to another session"},
		"another session's state": {c, func(m *modern) { m.state = of(other, *m) }, "its request state belongs to another session"},
		"another content":         {c, func(m *modern) { m.arguments = wider("a.txt", args{"content": "y"}) }, "its request state belongs to another call"},
		"another file":            {c, func(m *modern) { m.arguments = wider("b.txt", args{"content": "x"}) }, "its request state belongs to another call"},
		"another mode": {c, func(m *modern) {
			m.arguments = wider("a.txt", args{"content": "x", "sandbox_permissions": "danger-full-access"})
		}, "its request state belongs to another call"},
		"another reason":       {c, func(m *modern) { m.arguments = wider("a.txt", args{"content": "x", "justification": "y"}) }, "its request state belongs to another call"},
		"no wider mode at all": {c, func(m *modern) { m.arguments = args{"file_path": "a.txt", "content": "x"} }, "its request state belongs to another call"},
		"another tool":         {c, func(m *modern) { m.tool = "edit" }, "its request state belongs to another call"},
		"a tool that looks":    {c, func(m *modern) { m.tool, m.arguments = "read", args{"file_path": "a.txt"} }, "its request state belongs to another call"},
	} {
		same, sameElsewhere := unchanged(t, s.dir), unchanged(t, elsewhere.dir)
		m := call
		tt.change(&m)
		t.Run(what, func(t *testing.T) {
			failed(t, tt.by.modern(m), "Error: the answer to a request for approval is not accepted: "+tt.want+askAnew, CodeApprovalInvalid)
			same()
			sameElsewhere()
		})
	}
	if left := s.approvals.Grants().List(""); left != nil {
		t.Errorf("granted %v", left)
	}
	if a := c.modern(call); a.Result.IsError {
		t.Errorf("the true call: %+v", a)
	}
}

// Whatever bit of a state is changed, it is none any more.
func TestStatesThatWereChanged(t *testing.T) {
	seal := newSealer()
	state, err := seal.close(sealed{Request: "r", Session: "s", Tool: "write", Arguments: []byte("a"), Shown: "x", Expires: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := seal.open(state); !ok || got.Session != "s" {
		t.Fatalf("the state itself: %+v, %v", got, ok)
	}
	data, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(data) {
		changed := append([]byte(nil), data...)
		changed[i/8] ^= 1 << (i % 8)
		if got, ok := seal.open(base64.RawURLEncoding.EncodeToString(changed)); ok {
			t.Errorf("with bit %d changed: %+v", i, got)
		}
	}
	if strings.Contains(string(data), "write") {
		t.Error("the state can be read")
	}
}

func TestAnAnswerCountsOnce(t *testing.T) {
	for _, decision := range []string{"allow_once", "reject"} {
		s := confine(t, nil, Options{}, AskerOptions{})
		c := dial(t, s.Server)
		call := modern{id: 1, tool: "write", arguments: wider("a.txt", args{"content": "x"})}
		call.state = c.asks(call)
		call.responses = decided(decision)
		if a := c.modern(call); a.Result.IsError != (decision == "reject") {
			t.Errorf("%s: %+v", decision, a)
		}
		same := unchanged(t, s.dir)
		for _, again := range []string{decision, "allow_once", "allow_directory"} {
			call.responses = decided(again)
			failed(t, c.modern(call), "the question was answered before, or is no longer open"+askAnew, CodeApprovalUsed)
		}
		same()
		c.in.Close()
	}
}

// Nobody waits for an answer here: of calls with the same state at the same time one is
// let through.
func TestAnAnswerCountsOnceAtTheSameTime(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{})
	c := dial(t, s.Server)
	call := modern{id: 0, tool: "write", arguments: wider("a.txt", args{"content": "x"})}
	call.state = c.asks(call)
	call.responses = decided("allow_once")
	const n = 20
	var sent sync.WaitGroup
	sent.Go(func() {
		for i := range n {
			call.id = i + 1
			c.send(call.line(t))
		}
	})
	passed := 0
	for range n {
		if a := parseAnswer(t, c.line()); !a.Result.IsError {
			passed++
		}
	}
	sent.Wait()
	if passed != 1 {
		t.Errorf("%d calls were let through", passed)
	}
}

func TestAServerThatAsksNobodyTakesNoAnswers(t *testing.T) {
	dir := workspace(t, nil)
	c := dial(t, fileServer(t, dir, Options{}))
	same := unchanged(t, dir)
	write := modern{id: 1, tool: "write", arguments: args{"file_path": "a.txt", "content": "x"}, state: "state"}
	failed(t, c.modern(write), "nobody was asked"+askAnew, CodeApprovalInvalid)
	write.state, write.responses = "", decided("allow_once")
	failed(t, c.modern(write), "nobody was asked"+askAnew, CodeApprovalInvalid)
	same()
}

// hostile is an error whose methods do harm.
type hostile struct{}

func (hostile) Error() string { return "hostile" }
func (hostile) As(any) bool   { panic("no") }

func TestAFailureOfAnyKindIsNoQuestion(t *testing.T) {
	s, _ := fakeServer(t, func(context.Context, *tool.Exec) (string, error) { return "", hostile{} }, "do")
	s.options.Asker = NewAsker(AskerOptions{})
	c := dial(t, s)
	failed(t, c.modern(modern{id: 1, tool: "do", arguments: args{}}), "Error: hostile", "")
	// The question of another answerer is none that an answer here could be for.
	s, _ = fakeServer(t, func(context.Context, *tool.Exec) (string, error) {
		return "", &approval.Pending{Request: approval.Request{Mode: "workspace-write"}}
	}, "do")
	failed(t, dial(t, s).modern(modern{id: 1, tool: "do", arguments: args{}}), unavailable, "")
}
