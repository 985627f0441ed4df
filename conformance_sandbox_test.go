//go:build linux

package toolfs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
)

// confinement is what a vector says of modes and approvals: plain data, as setting is.
type confinement struct {
	Mode     sandbox.Mode
	Root     string
	Approval *approvals
	Sessions map[string]session
}

// approvals is the approval service of a vector. Without an answer nobody answers.
type approvals struct {
	Answer *string
	Policy approval.Policy
}

func (v *vector) confinement(p *places) (*confinement, error) {
	if v.Provider != "sandboxed" {
		return nil, nil
	}
	var config struct {
		Mode          sandbox.Mode
		WorkspaceRoot string
	}
	if v.Config.Sandbox != nil {
		if err := json.Unmarshal(v.Config.Sandbox, &config); err != nil {
			return nil, err
		}
	}
	c := &confinement{Mode: config.Mode, Root: p.ws, Sessions: v.Sessions}
	if config.WorkspaceRoot != "" {
		c.Root = p.fill(config.WorkspaceRoot)
	}
	if v.Approval == nil {
		return c, nil
	}
	c.Approval = &approvals{}
	return c, json.Unmarshal(v.Approval, c.Approval)
}

// audit is what one call did beyond its result: what the answerer was asked, and what was
// recorded of it. The vectors leave ids out.
type audit struct{ requests, events []any }

// take gives what was logged since, and forgets it.
func (l *audit) take() object {
	var o object
	if l.requests != nil {
		o = append(o, member{"approval_requests", l.requests})
	}
	if l.events != nil {
		o = append(o, member{"session_events", l.events})
	}
	*l = audit{}
	return o
}

func (l *audit) record(e approval.Event) error {
	if e.Asked() {
		l.events = append(l.events, object{{"type", "approval/asked"}, {"data", object{{"toolName", e.Tool}, {"reason", e.Reason}}}})
		return nil
	}
	l.events = append(l.events, object{{"type", "approval/decided"}, {"data", object{{"outcome", string(e.Outcome)}}}})
	return nil
}

// answerer gives one answer for ever.
func (l *audit) answerer(answer string) approval.Answerer {
	return func(_ context.Context, r approval.Request) (approval.Answer, error) {
		l.requests = append(l.requests, object{{"toolName", r.Tool}, {"reason", r.Reason()}, {"answer", answer}})
		if answer == "throw" {
			return approval.Answer{}, errors.New("the answerer failed")
		}
		return approval.Answer{Outcome: tool.Outcome(answer)}, nil
	}
}

// open puts what confines into the options of the provider and of the tools.
func (c *confinement) open(l *audit, disk *localfs.Options, tools *toolfs.Options) (err error) {
	if tools.Sandbox, err = sandbox.NewService(sandbox.Options{Mode: c.Mode, WorkspaceRoot: c.Root}); err != nil {
		return err
	}
	disk.Sandbox = &localfs.Sandbox{Mode: c.Mode, WorkspaceRoot: c.Root}
	if c.Approval != nil {
		o := approval.Options{Policy: c.Approval.Policy, Record: l.record, InTurn: func(name string) bool {
			open := c.Sessions[name].OpenTurn
			return open == nil || *open
		}}
		if c.Approval.Answer != nil {
			o.Answerer = l.answerer(*c.Approval.Answer)
		}
		if tools.Approval, err = approval.NewService(o); err != nil {
			return err
		}
	}
	for name, s := range c.Sessions {
		if s.SandboxMode != "" {
			err = errors.Join(err, tools.Sandbox.SetMode(name, s.SandboxMode, ""))
		}
		if s.ApprovalPolicy != "" {
			_, e := tools.Approval.SetPolicy(name, s.ApprovalPolicy)
			err = errors.Join(err, e)
		}
	}
	return err
}

// contexts is what the model of session A is told of its policies.
func (t *toolset) contexts(cwd string) []any {
	list := []any{}
	for _, s := range t.Contexts(tool.Session{ID: "A", Cwd: cwd}) {
		list = append(list, object{{"name", s.Name}, {"text", strings.ReplaceAll(s.Text, cwd, "{{ws}}")}})
	}
	return list
}
