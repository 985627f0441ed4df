package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/approval"
)

const (
	rejected    = `Error: the user rejected escalating this operation to "workspace-write"`
	cancelled   = `Error: approval for escalating to "workspace-write" was cancelled`
	unavailable = `Error: sandbox escalation to "workspace-write" requires approval, but no approval channel is available`
)

func (c *confined) holds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(c.dir, name)); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v", name, got, err)
	}
}

func TestAGrantLetsTheCallThrough(t *testing.T) {
	s := confine(t, map[string]string{"a.txt": "one\n"}, Options{}, AskerOptions{})
	c := dial(t, s.Server)
	same := unchanged(t, s.dir)
	large := strings.Repeat("a line\n", 2000) // travels beside the SDK, but not with an answer
	write := modern{id: 1, tool: "write", arguments: wider("b.txt", args{"content": large})}
	write.state = c.asks(write)
	same()
	write.id, write.responses = 2, decided("allow_once")
	if a := c.modern(write); a.Result.IsError || a.Result.ResultType != "complete" {
		t.Errorf("after the grant: %+v", a)
	}
	s.holds(t, "b.txt", large)
	s.recorded(t, "asked", "allowed-once")

	c.modern(modern{id: 3, tool: "read", arguments: args{"file_path": "a.txt"}})
	edit := modern{id: 4, tool: "edit", arguments: wider("a.txt", args{"old_string": "one", "new_string": "two"})}
	edit.state = c.asks(edit)
	edit.responses = decided("allow_once")
	if a := c.modern(edit); a.Result.IsError {
		t.Errorf("after the grant: %+v", a)
	}
	s.holds(t, "a.txt", "two\n")
	// It was for that call alone.
	edit.state, edit.responses, edit.arguments = "", "", wider("a.txt", args{"old_string": "two", "new_string": "three"})
	c.asks(edit)
}

func TestNothingElseLetsTheCallThrough(t *testing.T) {
	for responses, want := range map[string]string{
		decided("reject"):                                                     rejected,
		`{"approval":{"action":"decline"}}`:                                   rejected,
		`{"approval":{"action":"cancel"}}`:                                    cancelled,
		`{"approval":{"action":"accept"}}`:                                    unavailable,
		`{"approval":{"action":"allow","content":{"decision":"allow_once"}}}`: unavailable,
		`{"approval":{"action":"allow"}}`:                                     unavailable,
		decided("yes"):                                                        unavailable,
		decided("allow-once"):                                                 unavailable,
		decided(""):                                                           unavailable,
		`{"approval":{"action":"decline","content":{"decision":"allow_once"}}}`:       rejected,
		`{"approval":{"action":"accept","content":{"decision":["allow_once"]}}}`:      unavailable,
		`{"approval":{"action":"accept","content":{"decision":{"allow_once":true}}}}`: unavailable,
		`{"approval":{"action":"accept","content":{"Decision":"allow_once"}}}`:        unavailable,
		`{"other":{"action":"accept","content":{"decision":"allow_once"}}}`:           unavailable,
		`{"approval":{"roots":[]}}`: unavailable,
		`{"approval":{"role":"user","model":"m","content":{"type":"text","text":"allow_once"}}}`: unavailable,
		`{}`: unavailable,
		``:   unavailable,
	} {
		s := confine(t, nil, Options{}, AskerOptions{})
		c := dial(t, s.Server)
		same := unchanged(t, s.dir)
		write := modern{id: 1, tool: "write", arguments: wider("a.txt", args{"content": "x"})}
		write.state = c.asks(write)
		write.responses = responses
		failed(t, c.modern(write), want, "")
		same()
		outcome := map[string]string{rejected: "rejected", cancelled: "cancelled", unavailable: "unavailable"}[want]
		s.recorded(t, "asked", outcome)
		c.in.Close()
	}
}

// Somebody allows a directory while a call in it is still asked about, and then says no
// to that call.
func TestARefusalHoldsAgainstAGrantOfMeanwhile(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{})
	c := dial(t, s.Server)
	first := modern{id: 1, tool: "write", arguments: wider("a.txt", args{"content": "x"})}
	second := modern{id: 2, tool: "write", arguments: wider("b.txt", args{"content": "x"})}
	first.state, second.state = c.asks(first), c.asks(second)
	first.responses, second.responses = decided("allow_directory"), decided("reject")
	if a := c.modern(first); a.Result.IsError {
		t.Errorf("after the grant: %+v", a)
	}
	same := unchanged(t, s.dir)
	failed(t, c.modern(second), rejected, "")
	same()
}

func TestAClientThatElicitsNothingIsNotAsked(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{})
	c := dial(t, s.Server)
	same := unchanged(t, s.dir)
	a := c.modern(modern{id: 1, tool: "write", arguments: wider("a.txt", args{"content": "x"}), mute: true})
	failed(t, a, unavailable, "")
	old := dial(t, s.Server)
	old.hello("2025-06-18")
	failed(t, old.call(2, "write", wider("a.txt", args{"content": "x"})), unavailable, "")
	same()
	s.recorded(t, "asked", "unavailable", "asked", "unavailable")
	for capabilities, want := range map[string]bool{"{}": false, `{"elicitation":{}}`: true, `{"elicitation":{"form":{}}}`: true,
		`{"elicitation":{"url":{}}}`: false, `{"elicitation":{"form":{},"url":{}}}`: true} {
		var c mcp.ClientCapabilities
		if err := json.Unmarshal([]byte(capabilities), &c); err != nil {
			t.Fatal(err)
		}
		if elicits(&c) != want {
			t.Errorf("%s: %v", capabilities, !want)
		}
	}
}

func TestWhatWasShownIsWhatHappens(t *testing.T) {
	s := confine(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, Options{}, AskerOptions{})
	c := dial(t, s.Server)
	read := func(file string) {
		if a := c.modern(modern{id: 1, tool: "read", arguments: args{"file_path": file}}); a.Result.IsError {
			t.Fatalf("%+v", a)
		}
	}
	read("a.txt")
	read("b.txt")
	for file, call := range map[string]modern{
		"a.txt": {id: 2, tool: "edit", arguments: wider("a.txt", args{"old_string": "one", "new_string": "two"})},
		"b.txt": {id: 3, tool: "write", arguments: wider("b.txt", args{"content": "x"})},
		"c.txt": {id: 4, tool: "write", arguments: wider("c.txt", args{"content": "x"})},
	} {
		for _, seen := range []bool{false, true} {
			call.state, call.responses = "", ""
			call.state = c.asks(call)
			call.responses = decided("allow_file")
			if err := os.WriteFile(filepath.Join(s.dir, file), []byte("one, or so\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			want := "FS_STALE_VERSION"
			if seen {
				read(file) // so that nothing but the answer is in the way
			} else if file == "c.txt" {
				want = "FS_NOT_OBSERVED"
			}
			same := unchanged(t, s.dir)
			a := c.modern(call)
			if code := string(a.Result.Meta[ErrorKey]); !a.Result.IsError || !strings.Contains(code, want) {
				t.Errorf("%s, seen %v: %+v", file, seen, a)
			}
			if text := a.text(t); seen && !strings.HasSuffix(text, "because the file changed meanwhile; read the file, then ask again") {
				t.Errorf("%s: %s", file, text)
			}
			same()
			if err := os.WriteFile(filepath.Join(s.dir, file), []byte("one\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if file == "c.txt" && !seen {
				os.Remove(filepath.Join(s.dir, file))
			} else {
				read(file)
			}
		}
	}
	if left := s.approvals.Grants().List(""); left != nil {
		t.Errorf("granted %v", left)
	}
	// Every question has an end, even where the answer came to nothing.
	want := strings.Split(strings.TrimSpace(strings.Repeat("asked cancelled ", 6)), " ")
	s.recorded(t, want...)
}

func TestAGrantForTheSession(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{})
	if err := os.MkdirAll(filepath.Join(s.dir, "d", "e"), 0o777); err != nil {
		t.Fatal(err)
	}
	for decision, free := range map[string]string{"allow_file": "d/e/a.txt", "allow_directory": "d/e/b.txt"} {
		c := dial(t, s.Server)
		first := modern{id: 1, tool: "write", arguments: wider("d/e/a.txt", args{"content": decision})}
		first.state = c.asks(first)
		first.responses = decided(decision)
		if a := c.modern(first); a.Result.IsError {
			t.Errorf("%s: %+v", decision, a)
		}
		if a := c.modern(modern{id: 2, tool: "write", arguments: args{"file_path": free, "content": "again"}}); a.Result.IsError {
			t.Errorf("%s: it is asked about %s: %+v", decision, free, a)
		}
		s.holds(t, free, "again")
		c.asks(modern{id: 3, tool: "write", arguments: wider("d/c.txt", args{"content": "x"})})
		if decision == "allow_file" {
			c.asks(modern{id: 4, tool: "write", arguments: wider("d/e/c.txt", args{"content": "x"})})
		}
		if other := dial(t, s.Server); true {
			os.Remove(filepath.Join(s.dir, free))
			other.asks(modern{id: 5, tool: "write", arguments: wider(free, args{"content": "x"})})
		}
		if n := len(s.approvals.Grants().List("")); n != 1 {
			t.Errorf("%s: %d grants", decision, n)
		}
		c.in.Close()
		c.end()
		if left := s.approvals.Grants().List(""); left != nil {
			t.Errorf("%s: the session left %v", decision, left)
		}
		os.Remove(filepath.Join(s.dir, "d/e/a.txt"))
	}
}

func TestAnswersThatComeTooLate(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{AnswerTime: time.Minute})
	now := time.Now()
	s.asker.now = func() time.Time { return now }
	c := dial(t, s.Server)
	write := modern{id: 1, tool: "write", arguments: wider("a.txt", args{"content": "x"})}
	write.state = c.asks(write)
	write.responses = decided("allow_once")
	same := unchanged(t, s.dir)
	now = now.Add(time.Minute)
	failed(t, c.modern(write), "it came too late. Nothing was changed; make the call again without it to ask anew", CodeApprovalExpired)
	same()
	// Just in time.
	write.state, write.responses = "", ""
	write.state = c.asks(write)
	write.responses = decided("allow_once")
	now = now.Add(time.Minute - 1)
	if a := c.modern(write); a.Result.IsError {
		t.Errorf("in time: %+v", a)
	}
}

// What is never answered is held neither for ever nor without bound.
func TestQuestionsThatNobodyAnswers(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{})
	now := time.Now()
	s.asker.now = func() time.Time { return now }
	c := dial(t, s.Server)
	write := modern{id: 1, tool: "write", arguments: wider("a.txt", args{"content": "x"})}
	first := c.asks(write)
	var last string
	for range maxQuestions {
		last = c.asks(write)
	}
	same := unchanged(t, s.dir)
	write.state, write.responses = first, decided("allow_once")
	failed(t, c.modern(write), "or is no longer open. Nothing was changed; make the call again without it to ask anew", CodeApprovalUsed)
	same()
	write.state = last
	if a := c.modern(write); a.Result.IsError {
		t.Errorf("the last question: %+v", a)
	}
	outcomes := func() (n int) {
		for _, e := range s.log {
			if e == string(approval.Unavailable) {
				n++
			}
		}
		return n
	}
	if n := outcomes(); n != 1 {
		t.Errorf("%d questions were closed", n)
	}
	now = now.Add(DefaultAnswerTime + 1)
	c.asks(modern{id: 2, tool: "write", arguments: wider("b.txt", args{"content": "x"})})
	if n := outcomes(); n != maxQuestions {
		t.Errorf("%d questions were closed", n)
	}
	c.in.Close()
	c.end()
	if last := s.log[len(s.log)-1]; last != string(approval.Cancelled) {
		t.Errorf("with the session the last ended as %s", last)
	}
}
