package mcpserver

import (
	"bufio"
	"context"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/tool"
)

// What a call costs beside its tool, over pipes of the system: with large texts kept out
// of the SDK, with all passing through it, and over the SDK's own transport.
func BenchmarkCall(b *testing.B) {
	source := strings.Repeat("\tfmt.Fprintf(w, \"a line of %d bytes\\n\", n) // and a comment\n", 1<<20/62)
	transports := []struct {
		name string
		over func(in, out *os.File) mcp.Transport
	}{
		{"fast", func(in, out *os.File) mcp.Transport { return Stdio(in, out) }},
		{"plain", func(in, out *os.File) mcp.Transport {
			return &stdio{in: in, out: out, cutMin: math.MaxInt, spliceMin: math.MaxInt}
		}},
		{"sdk", func(in, out *os.File) mcp.Transport { return &mcp.IOTransport{Reader: in, Writer: out} }},
	}
	for _, call := range []struct{ name, argument, result string }{
		{"small", "x", "ok"},
		{"write1MiB", source, "ok"},
		{"read160KB", "x", source[:160_000]},
	} {
		for _, t := range transports {
			b.Run(call.name+"/"+t.name, func(b *testing.B) {
				f := &fakeTools{registry: tool.NewRegistry(), forgotten: make(chan string, 1)}
				_, err := f.registry.Register(&tool.Definition{
					Name: "write", Description: "Nothing.",
					Parameters: tool.MustParseSchema([]byte(`{"type":"object"}`)),
					Output: tool.Output{
						Schema: tool.MustParseSchema([]byte(`{}`)),
						Render: func(tool.Args, tool.Value) []tool.Block { return []tool.Block{tool.TextBlock(call.result)} },
					},
					Execute: func(context.Context, *tool.Exec) (tool.Value, error) { return done(""), nil },
				})
				if err != nil {
					b.Fatal(err)
				}
				s, err := newServer(Options{}, f)
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				in, write, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				read, out, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- s.Run(context.Background(), t.over(in, out)) }()
				answers := bufio.NewReaderSize(read, 1<<20)
				exchange := func(line string) {
					go io.WriteString(write, line+"\n")
					if _, err := answers.ReadSlice('\n'); err != nil {
						b.Fatal(err)
					}
				}
				exchange(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
				line := callLine(1, "write", args{"file_path": "a.txt", "content": call.argument})
				b.ReportAllocs()
				for b.Loop() {
					exchange(line)
				}
				write.Close()
				<-ended
				read.Close()
			})
		}
	}
}
