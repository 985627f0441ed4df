package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/tool"
)

// protocol makes the SDK's server, with the tools; find gives the session of a call, and
// caller is whose instructions the server gives.
func (s *Server) protocol(caller tool.Session, find func(*mcp.CallToolRequest) (*session, error)) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{
		Name:        "toolfs",
		Title:       "toolfs",
		Description: "List, find, search, read, write and edit text files.",
		Version:     s.options.Version,
	}, &mcp.ServerOptions{
		Instructions: s.instructions(caller),
		Logger:       s.options.Logger,
		// The tools never change while a server runs, and what there is to log is
		// no business of the client's.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = 5*60*1000, "public"
		},
	})
	server.AddReceivingMiddleware(declared)
	for _, def := range s.toolset.Registry().Definitions(nil) {
		server.AddTool(s.declare(def), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			ses, err := find(req)
			if err != nil {
				return nil, err
			}
			return ses.call(ctx, def, req), nil
		})
	}
	return server
}

// instructions are the guidance to the tools, and what holds for a session when it begins.
func (s *Server) instructions(caller tool.Session) string {
	texts := []string{s.toolset.Guidance()}
	for _, c := range s.toolset.Contexts(caller) {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n\n")
}

// declared is a middleware that knows no methods of features that the server does not
// declare. The SDK would answer some of them as if there were just nothing there.
func declared(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch feature, _, _ := strings.Cut(method, "/"); feature {
		case "prompts", "resources", "completion", "logging":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %q", method)}
		}
		return next(ctx, method, req)
	}
}

// declare says of a tool what its definition says. All hints are set: two of them
// default to the worst.
func (s *Server) declare(def *tool.Definition) *mcp.Tool {
	t := &mcp.Tool{
		Name:        def.Name,
		Title:       def.Title,
		Description: def.Description,
		InputSchema: json.RawMessage(def.Parameters.JSON()),
		Annotations: &mcp.ToolAnnotations{
			Title:           def.Title,
			ReadOnlyHint:    def.Hints.ReadOnly,
			DestructiveHint: &def.Hints.Destructive,
			IdempotentHint:  def.Hints.Idempotent,
			OpenWorldHint:   &def.Hints.OpenWorld,
		},
	}
	if schema := s.outputSchema(def.Name); schema != nil {
		t.OutputSchema = schema
	}
	return t
}

// call runs one call, in its turn, or asks the client about it. It never fails: what goes wrong in a tool is for the
// model to read.
func (s *session) call(ctx context.Context, def *tool.Definition, req *mcp.CallToolRequest) *mcp.CallToolResult {
	p, id := s.received(req)
	defer p.turn.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	c := tool.Call{ID: id, Name: def.Name, Arguments: p.arguments, Session: &s.caller}
	if c.Arguments == nil {
		c.Arguments = req.Params.Arguments
	}
	if token := req.Params.GetProgressToken(); token != nil {
		c.Progress = func(g tool.Progress) {
			// Who cannot be told goes without.
			req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: g.Done, Total: g.Total, Message: g.Message})
		}
	}
	seen := outline(c.Arguments)
	if res := s.server.tooLarge(c, seen); res != nil {
		return s.result(def, seen.args(), *res)
	}
	r, question := s.run(ctx, p.turn, def, c, req)
	if question != nil {
		return question
	}
	return s.result(def, seen.args(), r)
}
