package mcpserver

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/tool"
)

// idleTime is how long a session over HTTP lives without a request.
const idleTime = 30 * time.Minute

// HTTPHandler serves the protocol over streamable HTTP, the revisions with sessions and
// the newer ones without on one URL. Requests of browsers from other origins, and ones
// that reach a loopback address under another host's name, are refused.
//
// It authenticates nobody: put it behind what does. A client of a revision without
// sessions is known by the user of its bearer token, if the SDK's authentication stands
// before the handler; all clients without one share what has been read,
// and cannot allow anything for longer than a call.
//
// Sessions end when their client ends them, after half an hour without a request, and
// with Close.
func (s *Server) HTTPHandler() http.Handler {
	h := &httpSessions{server: s, bySession: map[*mcp.ServerSession]*session{}, byUser: map[string]*session{}}
	server := s.protocol(tool.Session{Cwd: s.options.Cwd}, h.find)
	context.AfterFunc(s.ctx, func() { h.end(server) })
	give := func(*http.Request) *mcp.Server { return server }
	options := mcp.StreamableHTTPOptions{
		Logger:                       s.options.Logger,
		SessionTimeout:               idleTime,
		MaxRequestBodyBytes:          s.maxMessageBytes(),
		PropagateRequestCancellation: true,
	}
	withSessions := mcp.NewStreamableHTTPHandler(give, &options)
	options.Stateless = true
	without := mcp.NewStreamableHTTPHandler(give, &options)

	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Session-Id") == "" && r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			without.ServeHTTP(w, r)
		} else {
			withSessions.ServeHTTP(w, r)
		}
	}))
}

// httpSessions finds the session of a call that came over HTTP.
type httpSessions struct {
	server    *Server
	mu        sync.Mutex
	bySession map[*mcp.ServerSession]*session
	byUser    map[string]*session
}

func (h *httpSessions) find(req *mcp.CallToolRequest) (*session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if req.Session.ID() == "" {
		user := ""
		if req.Extra != nil && req.Extra.TokenInfo != nil {
			user = req.Extra.TokenInfo.UserID
		}
		if h.byUser[user] == nil {
			ses, err := h.server.open()
			if err != nil {
				return nil, err
			}
			ses.shared = user == ""
			h.byUser[user] = ses
		}
		return h.byUser[user], nil
	}
	if ses := h.bySession[req.Session]; ses != nil {
		return ses, nil
	}
	ses, err := h.server.open()
	if err != nil {
		return nil, err
	}
	h.bySession[req.Session] = ses
	go func() {
		req.Session.Wait()
		h.mu.Lock()
		delete(h.bySession, req.Session)
		h.mu.Unlock()
		ses.close()
	}()
	return ses, nil
}

// end closes all sessions when the server is closed. Their calls are cancelled already.
func (h *httpSessions) end(server *mcp.Server) {
	for connected := range server.Sessions() {
		connected.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for user, ses := range h.byUser {
		delete(h.byUser, user)
		ses.close()
	}
}
