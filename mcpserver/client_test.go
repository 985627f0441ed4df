package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// client speaks to a running server line by line.
type client struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan string
	ended chan error // what Run returned
	stop  context.CancelFunc
}

// dial runs a session of the server over pipes.
func dial(t *testing.T, s *Server) *client {
	return dialOver(t, s, func(in io.Reader, out io.Writer) mcp.Transport { return Stdio(in, out) })
}

func dialOver(t *testing.T, s *Server, over func(in io.Reader, out io.Writer) mcp.Transport) *client {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	c := &client{t: t, in: write, lines: make(chan string, 100), ended: make(chan error, 1), stop: stop}
	go func() { c.ended <- s.Run(ctx, over(in, out)) }()
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(read)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		c.in.Close()
		for range c.lines {
		}
		stop()
	})
	return c
}

// send sends lines, which a test writes without line feeds.
func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatalf("sending %.100s: %v", line, err)
		}
	}
}

// line is the next line from the server.
func (c *client) line() string {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatal("the server said nothing more")
		}
		return line
	case <-time.After(patience):
		c.t.Fatal("the server says nothing")
	}
	return ""
}

// silence fails the test if the server says something soon.
func (c *client) silence() {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if ok {
			c.t.Fatalf("the server said %s", line)
		}
	case <-time.After(50 * time.Millisecond):
	}
}

// end waits for the end of the session.
func (c *client) end() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		c.ended <- err
		return err
	case <-time.After(patience):
		c.t.Fatal("the session does not end")
	}
	return nil
}

// hello goes through the handshake of an older revision.
func (c *client) hello(version string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"`+version+
		`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if line := c.line(); !strings.Contains(line, `"protocolVersion":"`+version+`"`) {
		c.t.Fatalf("initialize: %s", line)
	}
}

// answer is an answer to a tool call.
type answer struct {
	ID     any
	Error  *struct{ Code int }
	Result struct {
		Content           []struct{ Type, Text string }
		IsError           bool
		ResultType        string
		RequestState      string
		InputRequests     map[string]json.RawMessage
		StructuredContent json.RawMessage
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
}

func parseAnswer(t *testing.T, line string) (a answer) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return a
}

// text is the one text of the answer.
func (a answer) text(t *testing.T) string {
	t.Helper()
	if a.Error != nil || len(a.Result.Content) != 1 || a.Result.Content[0].Type != "text" {
		t.Fatalf("not one text: %+v", a)
	}
	return a.Result.Content[0].Text
}

// callLine is the request of a tool call.
func callLine(id int, name string, arguments any) string {
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, data)
}

// call makes a call and waits for its answer.
func (c *client) call(id int, name string, arguments any) answer {
	c.t.Helper()
	c.send(callLine(id, name, arguments))
	return parseAnswer(c.t, c.line())
}

type args = map[string]any

// workspace is a directory with files, by its path without links.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fileServer serves a directory; o needs no Toolset.
func fileServer(t *testing.T, dir string, o Options) *Server {
	t.Helper()
	set, err := tools(dir)
	if err != nil {
		t.Fatal(err)
	}
	o.Toolset, o.Cwd = set, dir
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fakeTools is a toolset of a test's own tools.
type fakeTools struct {
	registry  *tool.Registry
	forgotten chan string
}

func (f *fakeTools) Registry() *tool.Registry               { return f.registry }
func (f *fakeTools) Guidance() string                       { return "" }
func (f *fakeTools) Contexts(tool.Session) []toolfs.Section { return nil }
func (f *fakeTools) Forget(session string)                  { f.forgotten <- session }
func (f *fakeTools) Execute(ctx context.Context, c tool.Call) tool.Result {
	return f.registry.Execute(ctx, c)
}

// done is the value of a fake tool.
type done string

func (d done) JSONValue() any { return string(d) }

// fakeServer serves tools that run body. One whose name begins with "look" may overlap
// its like.
func fakeServer(t *testing.T, body func(ctx context.Context, e *tool.Exec) (string, error), names ...string) (*Server, *fakeTools) {
	t.Helper()
	f := &fakeTools{registry: tool.NewRegistry(), forgotten: make(chan string, 100)}
	for _, name := range names {
		def := &tool.Definition{
			Name:        name,
			Description: "A tool of a test.",
			Parameters:  tool.MustParseSchema([]byte(`{"type":"object"}`)),
			Output: tool.Output{
				Schema: tool.MustParseSchema([]byte(`{"type":"string"}`)),
				Render: func(_ tool.Args, v tool.Value) []tool.Block {
					return []tool.Block{tool.TextBlock(string(v.(done)))}
				},
			},
			Execute: func(ctx context.Context, e *tool.Exec) (tool.Value, error) {
				text, err := body(ctx, e)
				return done(text), err
			},
		}
		if strings.HasPrefix(name, "look") {
			def.ConcurrencySafe = func(tool.Args) bool { return true }
		}
		if _, err := f.registry.Register(def); err != nil {
			t.Fatal(err)
		}
	}
	s, err := newServer(Options{}, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, f
}
