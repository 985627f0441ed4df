package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/tool"
)

const (
	// newest is the first revision in which a question is the result of a call.
	newest = "2026-07-28"

	// answerKey names the one input that a call may ask for.
	answerKey = "approval"
)

// run runs a call, and asks the client where the approval service wants a person's word.
// A question that the client answers by making the call again is returned instead of a
// result.
func (s *session) run(ctx context.Context, t *turn, def *tool.Definition, c tool.Call, req *mcp.CallToolRequest) (tool.Result, *mcp.CallToolResult) {
	if req.Params.RequestState != "" || len(req.Params.InputResponses) > 0 {
		q, err := s.answers(req.Params.RequestState, c)
		if err != nil {
			return failure(err), nil
		}
		c.ID = q.call
		answer := reply(req.Params.InputResponses[answerKey], s.choices(q.pending.Request))
		return s.again(ctx, t, def, c, q.pending, answer), nil
	}
	asker := s.server.options.Asker
	r := s.attempt(ctx, t, def, c, attempt{asks: asker != nil && elicits(req.ClientCapabilities())})
	pending := pendingOf(r)
	if asker == nil || pending == nil {
		return r, nil
	}
	if p := req.Session.InitializeParams(); p != nil && p.ProtocolVersion < newest {
		return s.elicit(ctx, def, c, pending, req.Session), nil
	}
	return s.question(c, pending)
}

// attempt runs a call once, in its turn.
func (s *session) attempt(ctx context.Context, t *turn, def *tool.Definition, c tool.Call, at attempt) tool.Result {
	defer t.end()
	if asker := s.server.options.Asker; asker != nil {
		defer asker.begin(s.caller.ID, c.ID, at)()
	}
	shared := def.ConcurrencySafe != nil && s.server.toolset.Registry().Mode(c) == tool.Parallel
	_ = t.wait(ctx, shared) // Execute says it if ctx has ended, and does nothing
	return s.server.toolset.Execute(ctx, c)
}

// question makes the result that asks, and keeps the question open.
func (s *session) question(c tool.Call, p *approval.Pending) (tool.Result, *mcp.CallToolResult) {
	asker := s.server.options.Asker
	now := asker.now()
	state := sealedFor(s.caller.ID, c)
	state.Request, state.Shown, state.Expires = p.Request.ID, p.Request.Shown, now.Add(asker.time)
	text, err := asker.seal.close(state)
	if err != nil {
		return failure(err), nil
	}
	form := s.form(p.Request, newest)
	p.Request.Diffs = nil // a question that is open holds no file
	s.questions.put(question{call: c.ID, pending: p, expires: state.Expires}, now)
	return tool.Result{}, &mcp.CallToolResult{
		Content:       []mcp.Content{}, // clients that know no questions expect a list
		InputRequests: mcp.InputRequestMap{answerKey: form},
		RequestState:  text,
	}
}

// elicit asks a client of an older revision while its call waits, and runs the call again
// with the answer. Calls that come meanwhile need not wait.
func (s *session) elicit(ctx context.Context, def *tool.Definition, c tool.Call, p *approval.Pending, client *mcp.ServerSession) tool.Result {
	asking, cancel := context.WithTimeout(ctx, s.server.options.Asker.time)
	defer cancel()
	defer context.AfterFunc(s.hears, cancel)()
	res, err := client.Elicit(asking, s.form(p.Request, client.InitializeParams().ProtocolVersion))
	switch {
	case ctx.Err() != nil || s.hears.Err() != nil:
		return s.refused(p, approval.Cancelled)
	case asking.Err() != nil:
		p.End(approval.Unavailable)
		return failure(&answerError{CodeApprovalExpired, "it came too late"})
	case err != nil:
		s.server.options.Logger.Warn("a client could not be asked for approval", "session", s.caller.ID, "error", err)
		return s.refused(p, approval.Unavailable)
	}
	return s.again(ctx, s.order.arrive(), def, c, p, reply(res, s.choices(p.Request)))
}

// again makes the call with the answer to what was asked about it. It is not run for
// anything but a grant: whoever refused it refused it, even if by now another grant would
// let it pass.
func (s *session) again(ctx context.Context, t *turn, def *tool.Definition, c tool.Call, p *approval.Pending, a approval.Answer) tool.Result {
	if a.Outcome != approval.AllowedOnce {
		t.end()
		return s.refused(p, a.Outcome)
	}
	defer p.End(approval.Cancelled) // if it came to an end before the answer mattered
	return s.attempt(ctx, t, def, c, attempt{shown: p.Request.Shown, answer: a})
}

// refused is the failure of a call that is not made again.
func (s *session) refused(p *approval.Pending, o tool.Outcome) tool.Result {
	if err := p.End(o); err != nil {
		return failure(err)
	}
	return failure(p.Request.Refusal(o))
}

// pendingOf finds the request that ended a call, whose error may be of anybody's making.
func pendingOf(r tool.Result) (p *approval.Pending) {
	if r.Error == nil || r.Error.Err == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			p = nil
		}
	}()
	p, _ = errors.AsType[*approval.Pending](r.Error.Err)
	return p
}

// elicits reports whether a client shows forms. Before there were other kinds it said no
// more than that it elicits.
func elicits(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// failure is the result of a call that failed outside its tool.
func failure(err error) tool.Result {
	f := &tool.Failure{Message: err.Error(), Err: err}
	if coded, ok := errors.AsType[tool.Coded](err); ok {
		name, code := coded.ErrorInfo()
		f.Info = &tool.ErrorInfo{Name: name, Code: code}
	}
	return tool.Result{IsError: true, Content: []tool.Block{tool.TextBlock("Error: " + f.Message)}, Error: f}
}
