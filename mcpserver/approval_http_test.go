package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestApprovalOverHTTP(t *testing.T) {
	for version, lasting := range map[string]bool{"2026-07-28": false, "2025-11-25": true, "2025-06-18": true} {
		t.Run(version, func(t *testing.T) {
			s := confine(t, nil, Options{}, AskerOptions{})
			url := listen(t, s.Server)
			var p person
			client := p.connect(t, &mcp.StreamableClientTransport{Endpoint: url}, version)
			if got := client.InitializeResult().Instructions; !strings.HasSuffix(got, s.approvals.Context("")) {
				t.Errorf("the instructions are %s", got)
			}
			p.converse(t, s.dir, client, lasting)
			schema, err := json.Marshal((<-p.asked).RequestedSchema)
			if offered := strings.Contains(string(schema), "allow_directory"); err != nil || offered != lasting {
				t.Errorf("the question is %s, %v", schema, err)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if lasting {
				return // it ends with its own session
			}
			s.Close()
			if left := s.approvals.Grants().List(""); left != nil {
				t.Errorf("granted %v", left)
			}
		})
	}
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// manual is a client that leaves it to the test to answer questions.
func manual(t *testing.T, url string, over http.RoundTripper) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: over}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// write calls the tool and gives the text of the result, "" for a question.
func write(t *testing.T, by *mcp.ClientSession, state, decision string, a args) (*mcp.CallToolResult, string) {
	t.Helper()
	params := &mcp.CallToolParams{Name: "write", Arguments: a, RequestState: state}
	if decision != "" {
		params.InputResponses = mcp.InputResponseMap{answerKey: &mcp.ElicitResult{Action: "accept", Content: args{"decision": decision}}}
	}
	res, err := by.CallTool(context.Background(), params)
	if err != nil {
		t.Fatal(err)
	}
	if res.NeedsInput() {
		return res, ""
	}
	return res, res.Content[0].(*mcp.TextContent).Text
}

func TestAnAnswerIsOfTheUserWhoWasAsked(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{})
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
	}
	web := httptest.NewServer(auth.RequireBearerToken(verify, nil)(s.HTTPHandler()))
	t.Cleanup(func() {
		s.Close()
		web.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	alice, bob, again := manual(t, web.URL, bearer("alice")), manual(t, web.URL, bearer("bob")), manual(t, web.URL, bearer("alice"))
	ask := wider("a.txt", args{"content": "x"})
	asked, text := write(t, alice, "", "", ask)
	if !asked.NeedsInput() {
		t.Fatalf("no question: %s", text)
	}
	same := unchanged(t, s.dir)
	if _, text := write(t, bob, asked.RequestState, "allow_directory", ask); !strings.Contains(text, "belongs to another session") {
		t.Errorf("another user's answer: %s", text)
	}
	same()
	// The same user is the same session, on whatever connection.
	if res, text := write(t, again, asked.RequestState, "allow_directory", ask); res.IsError {
		t.Errorf("the answer: %s", text)
	}
	if res, text := write(t, alice, "", "", args{"file_path": "b.txt", "content": "x"}); res.IsError || res.NeedsInput() {
		t.Errorf("what was allowed: %s", text)
	}
	if res, text := write(t, bob, "", "", wider("c.txt", args{"content": "x"})); !res.NeedsInput() {
		t.Errorf("another user is let through: %s", text)
	}
	s.Close()
	if left := s.approvals.Grants().List(""); left != nil {
		t.Errorf("granted %v", left)
	}
}

// Nobody can allow for longer than a call where nobody is known, though a client may say
// so.
func TestWithoutAUserNothingIsAllowedForLonger(t *testing.T) {
	s := confine(t, nil, Options{}, AskerOptions{})
	url := listen(t, s.Server)
	client := manual(t, url, nil)
	for _, decision := range []string{"allow_file", "allow_directory"} {
		same := unchanged(t, s.dir)
		ask := wider("a.txt", args{"content": "x"})
		asked, _ := write(t, client, "", "", ask)
		if _, text := write(t, client, asked.RequestState, decision, ask); text != unavailable {
			t.Errorf("%s: %s", decision, text)
		}
		same()
		if left := s.approvals.Grants().List(""); left != nil {
			t.Errorf("%s: granted %v", decision, left)
		}
	}
}
