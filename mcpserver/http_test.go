package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/tool"
)

// listen serves HTTP until the test ends.
func listen(t *testing.T, s *Server) (url string) {
	t.Helper()
	web := httptest.NewServer(s.HTTPHandler())
	t.Cleanup(func() {
		s.Close()
		web.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return web.URL
}

func TestHTTP(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		if version < "2025-03-26" {
			continue // there was no streamable HTTP
		}
		t.Run(version, func(t *testing.T) {
			dir := workspace(t, nil)
			url := listen(t, fileServer(t, dir, Options{}))
			client := connect(t, &mcp.StreamableClientTransport{Endpoint: url}, version)
			useAllTools(t, dir, client, version)
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHTTPSessions(t *testing.T) {
	s, f := fakeServer(t, func(_ context.Context, e *tool.Exec) (string, error) { return e.SessionID(), nil }, "look")
	url := listen(t, s)
	who := func(client *mcp.ClientSession) string {
		res, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "look"})
		if err != nil {
			t.Fatal(err)
		}
		return res.Content[0].(*mcp.TextContent).Text
	}
	for _, tt := range []struct {
		version string
		shared  bool
	}{{"2025-11-25", false}, {"2026-07-28", true}} {
		a := connect(t, &mcp.StreamableClientTransport{Endpoint: url}, tt.version)
		b := connect(t, &mcp.StreamableClientTransport{Endpoint: url}, tt.version)
		first, again, second := who(a), who(a), who(b)
		if first != again || (first == second) != tt.shared {
			t.Errorf("%s: %s, %s, %s", tt.version, first, again, second)
		}
		a.Close()
		if !tt.shared {
			if got := await(t, "forgetting", f.forgotten); got != first {
				t.Errorf("forgot %s, not %s", got, first)
			}
		}
		b.Close()
	}
}

func TestHTTPRefusals(t *testing.T) {
	s, _ := fakeServer(t, nil)
	s.options.MaxWriteBytes = 1000
	url := listen(t, s)
	for _, tt := range []struct {
		what   string
		change func(*http.Request)
		body   string
		status int
	}{
		{"a page of another origin", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, "{}", 403},
		{"a cross-site request", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, "{}", 403},
		{"another host's name", func(r *http.Request) { r.Host = "evil.example" }, "{}", 403},
		{"a body that is too large", func(*http.Request) {}, fmt.Sprintf(`{"a":"%s"}`, strings.Repeat("x", int(s.maxMessageBytes()))), 413},
		{"too large without a session", func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2026-07-28") }, fmt.Sprintf(`{"a":"%s"}`, strings.Repeat("x", int(s.maxMessageBytes()))), 413},
		{"no message", func(*http.Request) {}, "nonsense", 400},
		{"an unknown session", func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "none") }, "{}", 404},
	} {
		r, err := http.NewRequest("POST", url, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		tt.change(r)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		res.Body.Close()
		if res.StatusCode != tt.status {
			t.Errorf("%s: %s, want %d", tt.what, res.Status, tt.status)
		}
	}
}
