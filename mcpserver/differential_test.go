package mcpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/tool"
)

// echoTools answer a call with its arguments as they came, as text and on the card.
type echoTools struct{ *fakeTools }

func (e echoTools) Execute(_ context.Context, c tool.Call) tool.Result {
	text := string(c.Arguments)
	return tool.Result{
		Content: []tool.Block{tool.TextBlock(text)},
		Meta:    &card.DiffMeta{Diffs: []card.FileDiff{{Path: "echo", NewText: text}}},
	}
}

// transcript runs a session in which the client sends the handshake and then input, and
// gives what the server says, sorted: answers may overtake each other.
func transcript(t tester, version, input string, over func(in io.Reader, out io.Writer) mcp.Transport) []string {
	t.Helper()
	def := &tool.Definition{
		Name: "write", Description: "Echo.",
		Parameters: tool.MustParseSchema([]byte(`{"type":"object"}`)),
		Output:     tool.Output{Schema: tool.MustParseSchema([]byte(`{}`)), Render: func(tool.Args, tool.Value) []tool.Block { return nil }},
		Execute:    func(context.Context, *tool.Exec) (tool.Value, error) { return nil, nil },
	}
	f := &fakeTools{registry: tool.NewRegistry(), forgotten: make(chan string, 1)}
	if _, err := f.registry.Register(def); err != nil {
		t.Fatal(err)
	}
	s, err := newServer(Options{MaxWriteBytes: 1 << 20}, echoTools{f})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	hello := ""
	if version < "2026" {
		hello = `{"jsonrpc":"2.0","id":424242,"method":"initialize","params":{"protocolVersion":"` + version +
			`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"
	}
	out := &output{begun: make(chan struct{})}
	if hello == "" {
		out.once.Do(func() { close(out.begun) })
	}
	in := io.MultiReader(strings.NewReader(hello), gate(out.begun), strings.NewReader(input+"\n"))
	if err := s.Run(context.Background(), over(in, out)); err != nil {
		t.Fatalf("Run: %v", err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, canonical(t, line))
	}
	slices.Sort(lines)
	return lines
}

// output is what a server writes, and says when it has begun to.
type output struct {
	bytes.Buffer
	once  sync.Once
	begun chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	defer o.once.Do(func() { close(o.begun) })
	return o.Buffer.Write(p)
}

// gate is empty, but not before the channel is closed.
type gate chan struct{}

func (g gate) Read([]byte) (int, error) { <-g; return 0, io.EOF }

// canonical writes every token of a line in one way. What it leaves alone counts: the
// order of members, the text of numbers.
func canonical(t tester, line string) string {
	t.Helper()
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))
	dec := jsontext.NewDecoder(strings.NewReader(line), jsontext.AllowDuplicateNames(true))
	for {
		token, err := dec.ReadToken()
		if err == io.EOF {
			return out.String()
		}
		if err == nil {
			err = enc.WriteToken(token)
		}
		if err != nil {
			t.Fatalf("the server wrote %q: %v", line, err)
		}
	}
}

// tester is a test of package testing or rapid.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func cutting(in io.Reader, out io.Writer) mcp.Transport {
	return &stdio{in: in, out: out, cutMin: 1, spliceMin: 1}
}

func plain(in io.Reader, out io.Writer) mcp.Transport {
	return &stdio{in: in, out: out, cutMin: math.MaxInt, spliceMin: math.MaxInt}
}

func sdk(in io.Reader, out io.Writer) mcp.Transport {
	return &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// compare runs one line through the transport that cuts and splices, through the one
// that does not, and, if it is one message, through the SDK's own.
func compare(t tester, version, line string) {
	t.Helper()
	fast, slow := transcript(t, version, line, cutting), transcript(t, version, line, plain)
	if !slices.Equal(fast, slow) {
		t.Errorf("%s: %q:\ncut   %s\nplain %s", version, line, fast, slow)
	}
	e, refused := parse([]byte(line))
	if refused != nil || e.blank || e.batch != nil || len(slow) == 0 || strings.Contains(strings.Join(slow, ""), `"invalid request`) {
		return
	}
	if theirs := transcript(t, version, line, sdk); !slices.Equal(slow, theirs) {
		t.Errorf("%s: %q:\nours %s\nSDK  %s", version, line, slow, theirs)
	}
}

// messages are lines with something odd about each.
func messages() []string {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	return []string{
		call(`{"name":"write","arguments":{"file_path":"a","content":"b"}}`),
		call(` { "arguments" : { "content" : "\u00e9\n\"" , "n" : 1e400 } , "name" : "write" } `),
		call(`{"name":"write","arguments":{"a":"b"},"_meta":{"progressToken":7,"x":{"arguments":{}}}}`),
		call(`{"name":"write","arguments":{"a":"b"},` + meta + `}`),
		call(`{` + meta + `,"name":"write","arguments":{"a":"b"},"requestState":"s","inputResponses":{}}`),
		call(`{"name":"write","arguments":{"a":"b"},"_meta":{"x":1e400}}`),
		call(`{"name":"write","arguments":{"a":"b"},"_meta":{"x":` + strings.Repeat("[", 1200) + strings.Repeat("]", 1200) + `}}`),
		call(`{"name":"write","arguments":{"a":"b"},"_meta":null}`),
		call(`{"name":"write","arguments":{"a":"b"},"_meta":[]}`),
		call(`{"name":"write","arguments":{"a":"b"},"requestState":5}`),
		call(`{"name":"write","arguments":{"a":"b"},"arguments":{"c":"d"}}`),
		call(`{"name":"write","arguments":{"a":1,"a":2}}`),
		call(`{"name":"write","name":"other","arguments":{"a":1}}`),
		call(`{"name":"write","Arguments":{"a":1}}`),
		call(`{"name":"write","argum\u0065nts":{"a":1}}`),
		call(`{"name":"write","arguments":{"a":[1,{"b":2}]}}`),
		call(`{"name":"write","arguments":[1]}`),
		call(`{"name":"write","arguments":null}`),
		call(`{"name":"write","arguments":"null"}`),
		call(`{"name":"write"}`),
		call(`{"name":7,"arguments":{"a":1}}`),
		call(`{"name":"none","arguments":{"a":1}}`),
		call(`{"arguments":{"a":1}}`),
		call(`[]`),
		call(`{"name":"write","arguments":{"a":` + strings.Repeat("[", 1200) + strings.Repeat("]", 1200) + `}}`),
		call("{\"name\":\"write\",\"arguments\":{\"a\":\"\xff\xfe\"}}"),
		call(`{"name":"write","arguments":{"a":"\ud800","b":"\ud83d\ude00"}}`),
		call(`{"name":"write","arguments":{"a":"\x"}}`),
		call("{\"name\":\"write\",\"arguments\":{\"a\":\"\x02\"}}"),
		call(`{"name":"write","arguments":{"a":01}}`),
		call(`{"name":"write","arguments":{"a":"b"}`),
		call(`{"name":"write","arguments":{"a":"b"}}`) + " x",
		`{"params":{"arguments":{"a":"b"},"name":"write"},"method":"tools/call","id":"x","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":"\u0061\"","method":"tools/call","params":{"name":"write","arguments":{"a":"b"}}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"tools/call\",\"params\":{\"name\":\"write\",\"arguments\":{\"a\":\"b\"}}}",
		`{"jsonrpc":"2.0","id":-0,"method":"tools/call","params":{"name":"write","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":-5,"method":"tools/call","params":{"name":"write","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":1e2,"method":"tools/call","params":{"name":"write","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":999999999999999,"method":"tools/call","params":{"name":"write","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"write","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"a":"b"}},"result":{},"error":5}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`[` + call(`{"name":"write","arguments":{"a":"b"}}`) + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
		`[` + call(`{"name":"write","arguments":{"a":"b"}}`) + `,5]`,
	}
}

// What clients send every day takes the fast way.
func TestUsualCallsAreCut(t *testing.T) {
	for _, line := range []string{messages()[0], messages()[1], messages()[2], messages()[3]} {
		e, refused := parse([]byte(line))
		if refused != nil {
			t.Fatal(refused)
		}
		if req := e.cut(1); req == nil || strings.Contains(string(req.Params), `"b"`) {
			t.Errorf("%s: cut to %v", line, req)
		}
		if req := e.cut(cutMin); req != nil {
			t.Errorf("%s is worth no cut", line)
		}
	}
}

var revisions = []string{"2026-07-28", "2025-11-25", "2025-03-26", "2024-11-05"}

func TestTheFastWayIsThePlainWay(t *testing.T) {
	for _, version := range revisions {
		for i, line := range messages() {
			t.Run(fmt.Sprint(version, " ", i), func(t *testing.T) { compare(t, version, line) })
		}
	}
}

func FuzzTheFastWayIsThePlainWay(f *testing.F) {
	for i, line := range messages() {
		f.Add(i, line)
	}
	f.Fuzz(func(t *testing.T, revision int, line string) {
		if strings.Contains(line, "subscriptions/listen") || strings.Contains(line, "424242") {
			return // what is asked for to stay open, and the handshake's id
		}
		version := revisions[uint(revision)%uint(len(revisions))]
		compare(t, version, strings.NewReplacer("\n", " ", "\r", " ").Replace(line))
	})
}

// Most bytes make no message; these mostly do.
func TestTheFastWayIsThePlainWayForDrawnMessages(t *testing.T) {
	names := func(usual ...string) *rapid.Generator[string] {
		odd := []string{`"Name"`, `"x"`, `""`, `"n\u0061me"`, `"arg\u0075ments"`, `"params"`, `"id"`, `"result"`}
		return rapid.SampledFrom(slices.Concat(usual, usual, usual, odd))
	}
	texts := rapid.SampledFrom([]string{`"a"`, `""`, `"\n\"\\\/\u00e9"`, `"\ud800"`, "\"\xff\"", `"é😀"`, `"` + strings.Repeat(`x\n`, 3000) + `"`})
	scalars := rapid.OneOf(texts, rapid.SampledFrom([]string{"0", "-1.5e3", "1e999", "true", "null", "12345678901234567890"}))
	space := rapid.SampledFrom([]string{"", "", "", " ", "\t ", "\r"})
	object := func(t *rapid.T, what string, name, value *rapid.Generator[string]) string {
		var b strings.Builder
		b.WriteString("{")
		for i := range rapid.IntRange(0, 5).Draw(t, what) {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(space.Draw(t, "space") + name.Draw(t, "name") + space.Draw(t, "space") + ":" + value.Draw(t, "value"))
		}
		return b.String() + space.Draw(t, "space") + "}"
	}
	nested := rapid.Custom(func(t *rapid.T) string { return object(t, "nested", names(`"a"`, `"arguments"`), scalars) })
	values := rapid.OneOf(scalars, scalars, scalars, nested, rapid.Just("[1,[]]"))
	arguments := rapid.Custom(func(t *rapid.T) string { return object(t, "arguments", names(`"file_path"`, `"content"`), values) })
	params := rapid.Custom(func(t *rapid.T) string {
		members := []string{`"name":"write"`, `"arguments":` + arguments.Draw(t, "arguments")}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			members = append(members, names(`"_meta"`, `"name"`, `"requestState"`).Draw(t, "name")+":"+values.Draw(t, "value"))
		}
		return "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}"
	})
	ids := rapid.SampledFrom([]string{"1", "1", "1", `"x"`, `"\u0061"`, "1.0", "-7", "1e3", "null", "[]", "999999999999999"})
	call := rapid.Custom(func(t *rapid.T) string {
		members := []string{`"jsonrpc":"2.0"`, `"method":"tools/call"`, `"id":` + ids.Draw(t, "id"), `"params":` + params.Draw(t, "params")}
		if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
			members = append(members, names(`"method"`, `"id"`, `"jsonrpc"`).Draw(t, "name")+":"+values.Draw(t, "value"))
		}
		return "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}"
	})
	rapid.Check(t, func(r *rapid.T) {
		line := call.Draw(r, "call")
		if rapid.IntRange(0, 9).Draw(r, "batch") == 0 {
			line = "[" + line + `,{"jsonrpc":"2.0","id":"other","method":"ping"}]`
		}
		compare(r, rapid.SampledFrom(revisions).Draw(r, "revision"), line)
	})
}
