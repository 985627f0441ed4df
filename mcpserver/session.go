package mcpserver

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/tool"
)

// session is one connection: whose calls they are, in which order they run, and what
// of them is not answered yet.
type session struct {
	server *Server
	caller tool.Session
	order  barrier
	lines  *lineConn // where large parts travel beside the SDK; nil on other transports
	ctx    context.Context
	cancel context.CancelFunc // cancels every call
	shared bool               // nobody knows who its client is

	questions questions
	hears     context.Context // ends when the client has nothing more to say
	deaf      context.CancelFunc

	mu      sync.Mutex
	serial  int
	pending map[jsonrpc.ID]*pending // what was read and is not answered
	calls   map[*mcp.RequestExtra]*pending
	idle    chan struct{} // closed when nothing is pending; nil if nobody waits for that
}

// pending is a request between its arrival and its answer. The last two are set of
// tool calls only.
type pending struct {
	extra     *mcp.RequestExtra
	turn      *turn
	arguments []byte // what lineConn cut out of the message, or nil
}

// open begins a session.
func (s *Server) open() (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	s.sessions.Add(1)
	ses := &session{
		server:  s,
		caller:  tool.Session{ID: rand.Text(), Cwd: s.options.Cwd},
		pending: map[jsonrpc.ID]*pending{},
		calls:   map[*mcp.RequestExtra]*pending{},
	}
	ses.ctx, ses.cancel = context.WithCancel(s.ctx)
	ses.hears, ses.deaf = context.WithCancel(ses.ctx)
	return ses, nil
}

// close ends the session, after its last call.
func (s *session) close() {
	s.cancel()
	s.questions.end()
	s.server.toolset.Forget(s.caller.ID)
	s.server.sessions.Done()
}

// arrived notes a request in the order in which they are read. To the handler of a
// tool call it is known by its Extra, which the SDK hands on as it is and no client
// can make up.
func (s *session) arrived(req *jsonrpc.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[req.ID] != nil {
		return // the SDK drops a request whose id is in use, without an answer
	}
	p := &pending{}
	if c, ok := req.Extra.(*cutArguments); ok {
		p.arguments, req.Extra = c.text, nil
	}
	if req.Method == "tools/call" && req.Extra == nil {
		p.extra, p.turn = &mcp.RequestExtra{}, s.order.arrive()
		s.calls[p.extra] = p
		req.Extra = p.extra
	}
	s.pending[req.ID] = p
}

// answered forgets a request; the caller is about to write its answer. That ends the
// turn of a call too which never came to its handler.
func (s *session) answered(id jsonrpc.ID) {
	s.mu.Lock()
	p := s.pending[id]
	delete(s.pending, id)
	if p != nil {
		delete(s.calls, p.extra)
	}
	if len(s.pending) == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
	s.mu.Unlock()
	if p != nil && p.turn != nil {
		p.turn.end()
	}
}

// received finds what was noted of a call when it arrived. Transports that do not note
// anything put a call in its place here.
func (s *session) received(req *mcp.CallToolRequest) (p *pending, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	id = strconv.Itoa(s.serial)
	p = s.calls[req.Extra]
	if p == nil {
		p = &pending{turn: s.order.arrive()}
	}
	return p, id
}

// quiet waits until everything is answered, but not longer than d.
func (s *session) quiet(d time.Duration) {
	s.mu.Lock()
	if len(s.pending) == 0 {
		s.mu.Unlock()
		return
	}
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	s.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}

// watch is a middleware that tells the line transport which revision was agreed on.
func (s *session) watch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if agreed, ok := res.(*mcp.InitializeResult); ok && s.lines != nil {
			s.lines.negotiated(agreed.ProtocolVersion)
		}
		return res, err
	}
}
