package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// person answers the questions of a client.
type person struct {
	asked  chan *mcp.ElicitParams
	answer func(ctx context.Context) (*mcp.ElicitResult, error)
}

func chooses(decision string) func(context.Context) (*mcp.ElicitResult, error) {
	return func(context.Context) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: args{"decision": decision}}, nil
	}
}

func does(action string) func(context.Context) (*mcp.ElicitResult, error) {
	return func(context.Context) (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: action}, nil }
}

func (p *person) connect(t *testing.T, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	p.asked = make(chan *mcp.ElicitParams, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			p.asked <- req.Params
			return p.answer(ctx)
		},
	})
	session, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// converse grants and refuses, over whatever transport.
func (p *person) converse(t *testing.T, dir string, client *mcp.ClientSession, lasting bool) {
	t.Helper()
	questions := 0
	for i, tt := range []struct {
		answer func(context.Context) (*mcp.ElicitResult, error)
		want   string
	}{
		{does("decline"), rejected},
		{chooses("reject"), rejected},
		{does("cancel"), cancelled},
		{chooses("allow_once"), "Created file"},
	} {
		p.answer = tt.answer
		name := fmt.Sprintf("%d.txt", i)
		same := unchanged(t, dir)
		res, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "write", Arguments: wider(name, args{"content": "x\n"})})
		if err != nil {
			t.Fatal(err)
		}
		if text := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, tt.want) {
			t.Errorf("%s, want %s", text, tt.want)
		}
		if tt.want != "Created file" {
			same()
		} else if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != "x\n" {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
		if questions++; len(p.asked) != questions {
			t.Errorf("%d questions", len(p.asked))
		}
	}
	if !lasting {
		return
	}
	p.answer = chooses("allow_directory")
	for i, a := range []args{wider("d1", args{"content": "x"}), {"file_path": "d2", "content": "x"}, wider("d3", args{"content": "x"})} {
		res, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "write", Arguments: a})
		if err != nil || res.IsError {
			t.Errorf("call %d: %+v, %v", i, res, err)
		}
	}
	if questions++; len(p.asked) != questions {
		t.Errorf("%d questions", len(p.asked))
	}
}

func TestApprovalOfAServerProcess(t *testing.T) {
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18"} {
		t.Run(version, func(t *testing.T) {
			dir := workspace(t, nil)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), serveVariable+"="+dir, confineVariable+"=1")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			var p person
			client := p.connect(t, &mcp.CommandTransport{Command: cmd}, version)
			const instructions = "Approval policy: ask."
			if got := client.InitializeResult(); got.ProtocolVersion != version || !strings.Contains(got.Instructions, instructions) ||
				!strings.Contains(got.Instructions, "file policy: read-only") {
				t.Errorf("initialize: %+v", got)
			}
			p.converse(t, dir, client, true)

			if err := client.Close(); err != nil || stderr.Len() > 0 {
				t.Errorf("Close: %v, and on standard error %q", err, &stderr)
			}
			if !cmd.ProcessState.Success() {
				t.Errorf("the process ended with %v", cmd.ProcessState)
			}
		})
	}
}

// The model's side gives up while the person thinks.
func TestAClientThatCancelsWhileAPersonThinks(t *testing.T) {
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18"} {
		t.Run(version, func(t *testing.T) {
			dir := workspace(t, nil)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), serveVariable+"="+dir, confineVariable+"=1")
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			p := person{answer: func(ctx context.Context) (*mcp.ElicitResult, error) {
				stop()
				<-ctx.Done()
				ended <- ctx.Err()
				return chooses("allow_once")(ctx)
			}}
			client := p.connect(t, &mcp.CommandTransport{Command: cmd}, version)
			same := unchanged(t, dir)
			_, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "write", Arguments: wider("a.txt", args{"content": "x"})})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
			await(t, "the end of the question", ended)
			if res, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "list"}); err != nil || res.IsError {
				t.Errorf("a call afterwards: %+v, %v", res, err)
			}
			client.Close()
			same()
		})
	}
}

// elicited is a call of an older revision that waits for a person.
func elicited(t *testing.T, o AskerOptions) (*confined, *client) {
	t.Helper()
	s := confine(t, map[string]string{"a.txt": "one\n"}, Options{}, o)
	s.drain = 10 * time.Millisecond
	c := dial(t, s.Server)
	c.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.line()
	c.send(callLine(7, "write", wider("b.txt", args{"content": "x"})))
	if line := c.line(); !strings.Contains(line, `"id":1,"method":"elicitation/create"`) {
		t.Fatalf("no question: %s", line)
	}
	return s, c
}

const allowsFirst = `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"decision":"allow_once"}}}`

func TestOtherCallsRunWhileAPersonThinks(t *testing.T) {
	s, c := elicited(t, AskerOptions{})
	if a := c.call(8, "read", args{"file_path": "a.txt"}); a.Result.IsError {
		t.Errorf("a read: %+v", a)
	}
	if a := c.call(9, "write", args{"file_path": "a.txt", "content": "two\n"}); !a.Result.IsError {
		t.Errorf("a write: %+v", a)
	}
	c.send(callLine(10, "write", wider("c.txt", args{"content": "x"})))
	if line := c.line(); !strings.Contains(line, `"id":2,"method":"elicitation/create"`) {
		t.Fatalf("no question: %s", line)
	}
	c.send(strings.Replace(allowsFirst, `"id":1`, `"id":2`, 1))
	if a := parseAnswer(t, c.line()); a.ID != 10.0 || a.Result.IsError {
		t.Errorf("a second call that asks: %+v", a)
	}
	c.send(allowsFirst)
	if a := parseAnswer(t, c.line()); a.ID != 7.0 || a.Result.IsError {
		t.Errorf("the first: %+v", a)
	}
	s.holds(t, "b.txt", "x")
	s.recorded(t, "asked", "asked", "allowed-once", "allowed-once")
}

func TestWhatWasShownToAnOlderClientIsWhatHappens(t *testing.T) {
	s, c := elicited(t, AskerOptions{})
	if err := os.WriteFile(filepath.Join(s.dir, "b.txt"), []byte("somebody else's"), 0o666); err != nil {
		t.Fatal(err)
	}
	if a := c.call(8, "read", args{"file_path": "b.txt"}); a.Result.IsError {
		t.Errorf("a read: %+v", a)
	}
	same := unchanged(t, s.dir)
	c.send(allowsFirst)
	failed(t, parseAnswer(t, c.line()), "because the file changed meanwhile; read the file, then ask again", "FS_STALE_VERSION")
	same()
	s.recorded(t, "asked", "cancelled")
}

func TestACallThatIsCancelledWhileAPersonThinks(t *testing.T) {
	s, c := elicited(t, AskerOptions{})
	same := unchanged(t, s.dir)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	for _, line := range []string{c.line(), c.line()} {
		if strings.Contains(line, `"method":"notifications/cancelled"`) {
			continue // the question
		}
		failed(t, parseAnswer(t, line), cancelled, "")
	}
	c.send(allowsFirst)
	if a := c.call(8, "read", args{"file_path": "a.txt"}); a.Result.IsError {
		t.Errorf("a read afterwards: %+v", a)
	}
	same()
	s.recorded(t, "asked", "cancelled")
}

func TestAPersonWhoThinksTooLong(t *testing.T) {
	s, c := elicited(t, AskerOptions{AnswerTime: time.Millisecond})
	same := unchanged(t, s.dir)
	for _, line := range []string{c.line(), c.line()} {
		if strings.Contains(line, `"method":"notifications/cancelled"`) {
			continue
		}
		failed(t, parseAnswer(t, line), "it came too late"+askAnew, CodeApprovalExpired)
	}
	same()
	s.recorded(t, "asked", "unavailable")
}

func TestTheEndWhileAPersonThinks(t *testing.T) {
	for what, end := range map[string]struct {
		how  func(*confined, *client)
		with error
	}{
		"of the input":   {func(_ *confined, c *client) { c.in.Close() }, nil},
		"of the context": {func(_ *confined, c *client) { c.stop() }, context.Canceled},
		"of the server":  {func(s *confined, _ *client) { s.Close() }, ErrClosed},
	} {
		t.Run(what, func(t *testing.T) {
			s, c := elicited(t, AskerOptions{})
			s.drain = patience // nothing waits for it
			same := unchanged(t, s.dir)
			end.how(s, c)
			if err := c.end(); !errors.Is(err, end.with) && !(end.with == nil && errors.Is(err, io.EOF)) {
				t.Errorf("Run: %v", err)
			}
			same()
			s.recorded(t, "asked", "cancelled")
		})
	}
}
