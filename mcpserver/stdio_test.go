package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/toolfs/toolfs/tool"
)

// What is no message is answered with an error, and the session goes on.
func TestWhatIsNoMessageIsAnswered(t *testing.T) {
	s, _ := fakeServer(t, func(context.Context, *tool.Exec) (string, error) { return "ran", nil }, "do")
	c := dial(t, s)
	c.hello("2025-06-18")
	for _, tt := range []struct{ line, want string }{
		{`{`, `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{`nonsense`, `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\x01\"}", `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{`5`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`[]`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`{}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`{"id":3,"method":"ping"}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`},
		{`{"jsonrpc":"1.0","id":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":"x","error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":4,"method":5}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":6,"method":"no/such"}`, `{"jsonrpc":"2.0","id":6,"error":{"code":-32601,`},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/list"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,`},
		{`{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"info"}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,`},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","id":8,"error":{"code":-32602,`},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"none","arguments":{}}}`, `{"jsonrpc":"2.0","id":9,"error":{"code":-32602,`},
		{"\r", ""},
		{"", ""},
		{`{"jsonrpc":"2.0","id":99,"result":{}}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/none"}`, ""},
	} {
		c.send(tt.line)
		if tt.want == "" {
			continue
		}
		if got := c.line(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s", tt.line, got)
		}
	}
	if a := c.call(10, "do", args{}); a.text(t) != "ran" {
		t.Errorf("afterwards: %+v", a)
	}
	c.silence()
}

func TestALargeWriteIsRefusedInTheToolsTerms(t *testing.T) {
	dir := workspace(t, nil)
	c := dial(t, fileServer(t, dir, Options{MaxWriteBytes: 50_000}))
	c.hello("2025-06-18")
	fits := strings.Repeat("\x01", 50_000) // takes six times as many bytes in JSON
	if a := c.call(1, "write", args{"file_path": "a.txt", "content": fits}); a.Result.IsError {
		t.Errorf("what just fits: %+v", a)
	}
	a := c.call(2, "write", args{"file_path": "b.txt", "content": fits + "x"})
	if want := `Error: cannot write "b.txt": 50001 bytes exceeds the 50000-byte limit`; !a.Result.IsError || a.text(t) != want {
		t.Errorf("got %+v", a)
	}
	if got := string(a.Result.Meta[ErrorKey]); got != `{"name":"FsError","code":"FS_TOO_LARGE"}` {
		t.Errorf("error %s", got)
	}
	a = c.call(3, "edit", args{"file_path": "a.txt", "old_string": "x", "new_string": fits + "x"})
	if want := `Error: cannot edit "a.txt": 50001 bytes exceeds the 50000-byte limit`; !a.Result.IsError || a.text(t) != want {
		t.Errorf("got %+v", a)
	}
}

func TestALineThatIsTooLongIsSkippedAndAnswered(t *testing.T) {
	s, _ := fakeServer(t, func(context.Context, *tool.Exec) (string, error) { return "ran", nil }, "do")
	s.options.MaxWriteBytes = 1000
	limit := s.maxMessageBytes()
	c := dial(t, s)
	c.hello("2025-06-18")
	long := strings.Repeat("x", int(limit)+1)
	for _, tt := range []struct{ line, id string }{
		{`{"jsonrpc":"2.0","id":5,"method":"m","params":{"id":6,"a":"` + long + `"}}`, `"id":5,`},
		{`{"jsonrpc":"2.0","method":"m","params":{"id":6,"a":"` + long + `"},"id":"a\"b"}`, `"id":"a\"b",`},
		{`{"jsonrpc":"2.0","method":"m","params":{"id":6,"a":"` + long + `"}}`, ``},
		{`[{"id":7,"a":"` + long + `"}]`, ``},
		{long, ``},
	} {
		c.send(tt.line)
		want := fmt.Sprintf(`{"jsonrpc":"2.0",%s"error":{"code":-32600,"message":"invalid request: %d bytes exceeds the %d-byte limit of a message"}}`,
			tt.id, len(tt.line), limit)
		if got := c.line(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if a := c.call(10, "do", args{}); a.text(t) != "ran" {
		t.Errorf("afterwards: %+v", a)
	}
}

func TestBatches(t *testing.T) {
	s, _ := fakeServer(t, func(context.Context, *tool.Exec) (string, error) { return "ran", nil }, "do", "look")
	c := dial(t, s)
	c.hello("2025-03-26")
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	pong := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	c.send("[" + ping("1") + "," + ping(`"b"`) + `,{"jsonrpc":"2.0","method":"notifications/none"}]`)
	if got, want := c.line(), "["+pong("1")+","+pong(`"b"`)+"]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c.send("[" + ping("1") + "," + ping("1") + `,7,[],{"jsonrpc":"2.0","id":3}]`)
	if got := c.line(); !strings.HasPrefix(got, "["+pong("1")+`,{"jsonrpc":"2.0","id":1,"error":`) || strings.Count(got, "-32600") != 3 {
		t.Errorf("what is no message in a batch: %s", got)
	}
	c.send(`[{"jsonrpc":"2.0","method":"notifications/none"}]`)
	c.silence()
	large := args{"text": strings.Repeat("large ", 10_000)}
	c.send("[" + callLine(1, "do", large) + "," + callLine(2, "look", large) + "]")
	if got := c.line(); strings.Count(got, `"text":"ran"`) != 2 {
		t.Errorf("calls in a batch: %s", got)
	}
	c.send(`[]`, `[`)
	for _, code := range []string{"-32600", "-32700"} {
		if got := c.line(); !strings.Contains(got, code) {
			t.Errorf("got %s", got)
		}
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("long ", 60_000)
	input := "one\n\ntwo\r\n" + long + "\nthree\n" + long + long + "\nlast"
	want := []string{"one", "", "two\r", long, "three", fmt.Sprint("skipped ", 2*len(long)), "last", "EOF"}
	for name, r := range map[string]io.Reader{
		"at once":     strings.NewReader(input),
		"half":        iotest.HalfReader(strings.NewReader(input)),
		"with error":  iotest.DataErrReader(strings.NewReader(input)),
		"byte by one": iotest.OneByteReader(strings.NewReader(input)),
	} {
		lines := lineReader{r: r, limit: int64(len(long)) + 1}
		for i, want := range want {
			l := lines.next()
			got := string(l.text)
			switch {
			case l.err != nil:
				got = l.err.Error()
			case l.size > 0:
				got = fmt.Sprint("skipped ", l.size)
			}
			if got != want {
				t.Errorf("%s: line %d is %.20q, want %.20q", name, i, got, want)
			}
		}
	}
}

func TestLineReaderKeepsLinesApart(t *testing.T) {
	input := strings.Repeat(strings.Repeat("a", 30_000)+"\n"+strings.Repeat("b", 100)+"\n", 20)
	lines := lineReader{r: iotest.HalfReader(strings.NewReader(input)), limit: 1 << 20}
	var got [][]byte
	for l := lines.next(); l.err == nil; l = lines.next() {
		got = append(got, l.text)
	}
	for i, text := range got {
		letter, n := "a", 30_000
		if i%2 == 1 {
			letter, n = "b", 100
		}
		if string(text) != strings.Repeat(letter, n) {
			t.Errorf("line %d was written over", i)
		}
	}
}

func TestABrokenInputEndsTheSession(t *testing.T) {
	s, _ := fakeServer(t, nil)
	broken := errors.New("broken")
	err := s.Run(context.Background(), Stdio(iotest.ErrReader(broken), &bytes.Buffer{}))
	if !errors.Is(err, broken) {
		t.Errorf("Run: %v", err)
	}
}

// A client that is gone cannot be answered; that ends the session and nothing else.
func TestABrokenOutputEndsTheSession(t *testing.T) {
	s, _ := fakeServer(t, nil)
	in, write := io.Pipe()
	read, out := io.Pipe()
	read.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background(), Stdio(in, out)) }()
	go write.Write([]byte("nonsense\n"))
	if err := await(t, "end", ended); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Run: %v", err)
	}
}
