package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// useAllTools calls every tool with the SDK's client, small and large.
func useAllTools(t *testing.T, dir string, client *mcp.ClientSession, version string) {
	t.Helper()
	ctx := context.Background()
	if got := client.InitializeResult(); got.ProtocolVersion != version || !strings.Contains(got.Instructions, "Use the list tool") {
		t.Errorf("initialize: %+v", got)
	}
	list, err := client.ListTools(ctx, nil)
	if err != nil || len(list.Tools) != 6 {
		t.Fatalf("tools/list: %v, %v", list, err)
	}
	large := strings.Repeat("\"a\tline\\of – text\" \u2028 😀\r\n", 10_000)
	for _, step := range []struct {
		tool string
		args args
		want string
	}{
		{"list", args{}, "(Empty directory)"},
		{"write", args{"file_path": "a.txt", "content": "one\ntwo\n"}, "Created file"},
		{"read", args{"file_path": "a.txt"}, "1: one\n2: two\n"},
		{"edit", args{"file_path": "a.txt", "old_string": "two", "new_string": "three"}, "has been updated successfully."},
		{"write", args{"file_path": "large.txt", "content": large}, "Created file"},
		{"read", args{"file_path": "large.txt"}, "1: \"a\tline\\of – text\" \u2028 😀\n2: "},
		{"list", args{"path": dir}, "a.txt\nlarge.txt\n"},
		{"glob", args{"pattern": "a*"}, "a.txt"},
		{"grep", args{"pattern": "thr.e"}, "a.txt\nLine 2: three"},
	} {
		res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: step.tool, Arguments: step.args})
		if err != nil {
			t.Fatalf("%s: %v", step.tool, err)
		}
		text := res.Content[0].(*mcp.TextContent).Text
		if res.IsError || !strings.Contains(text, step.want) || res.StructuredContent == nil || res.Meta[CardKey] == nil {
			t.Errorf("%s: %.500s, %v", step.tool, text, res)
		}
	}
	res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "read", Arguments: args{"file_path": "../x"}})
	if err != nil || !res.IsError {
		t.Errorf("a path outside: %+v, %v", res, err)
	}
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "none"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("an unknown tool: %v", err)
	}
	for name, want := range map[string]string{"a.txt": "one\nthree\n", "large.txt": large} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s holds %.100q, %v", name, got, err)
		}
	}
}

func connect(t *testing.T, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func TestAServerProcess(t *testing.T) {
	for _, version := range []string{"2026-07-28", "2024-11-05"} {
		t.Run(version, func(t *testing.T) {
			dir := workspace(t, nil)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), serveVariable+"="+dir)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			client := connect(t, &mcp.CommandTransport{Command: cmd}, version)
			useAllTools(t, dir, client, version)
			if err := client.Close(); err != nil || stderr.Len() > 0 {
				t.Errorf("Close: %v, and on standard error %q", err, &stderr)
			}
			if !cmd.ProcessState.Success() {
				t.Errorf("the process ended with %v", cmd.ProcessState)
			}
		})
	}
}

// A transport of the SDK's own serves as well.
func TestAnInMemoryTransport(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			dir := workspace(t, nil)
			s := fileServer(t, dir, Options{})
			ours, theirs := mcp.NewInMemoryTransports()
			ended := make(chan error, 1)
			go func() { ended <- s.Run(context.Background(), ours) }()
			client := connect(t, theirs, version)
			useAllTools(t, dir, client, version)
			client.Close()
			if err := await(t, "end", ended); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

// Another server may use the stdio transport: nothing is kept from it.
func TestStdioForAnotherServer(t *testing.T) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	other := mcp.NewServer(&mcp.Implementation{Name: "other", Version: "1"}, nil)
	other.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
		})
	ended := make(chan error, 1)
	go func() { ended <- other.Run(context.Background(), Stdio(in, out)) }()
	client := connect(t, &mcp.IOTransport{Reader: read, Writer: write}, "2025-11-25")
	large := strings.Repeat("large ", 10_000)
	res, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "echo", Arguments: args{"text": large}})
	if err != nil || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, large) {
		t.Errorf("%v, %v", res, err)
	}
	client.Close()
	if err := await(t, "end", ended); err != nil {
		t.Errorf("Run: %v", err)
	}
}
