package toolfs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// escalation is what a call asks for beyond its standing policy; an empty mode is
// nothing.
type escalation struct {
	standing      sandbox.Policy
	mode          sandbox.Mode
	justification string
}

// escalationFields is the schema text of the arguments that ask for a wider mode. They
// are there only where a provider confines. Contract section 11.5.
func (f *files) escalationFields() (string, error) {
	if f.sandbox == nil {
		return "", nil
	}
	text, err := texts.ReadFile("tools/escalation.json")
	return strings.TrimSuffix(string(text), "\n"), err
}

// escalation checks the arguments that ask for a wider mode, before anything touches a
// file. Contract section 11.6, checks 1 to 9.
func (f *files) escalation(ctx context.Context, e *tool.Exec) (escalation, error) {
	var x escalation
	wanted, wider := e.Args.Get("sandbox_permissions")
	reason, justified := e.Args.Get("justification")
	text, isText := reason.(string)
	switch {
	case wider && !justified:
		return x, errors.New("invalid escalation: sandbox_permissions requires a justification")
	case justified && !wider:
		return x, errors.New("invalid escalation: justification is only valid together with sandbox_permissions")
	case justified && (!isText || approval.Clean(text) == ""):
		return x, errors.New("invalid justification: expected a non-empty sentence")
	}
	if f.sandbox != nil {
		x.standing = f.standing(ctx, e.Session)
	}
	if !wider {
		return x, nil
	}
	if f.sandbox == nil {
		return x, errors.New("sandbox_permissions is not available in this composition (no sandboxing filesystem to escalate)")
	}
	name, _ := wanted.(string) // the schema knows the modes
	x.mode, x.justification = sandbox.Mode(name), text
	switch {
	case !x.mode.Wider(x.standing.Mode):
		return x, fmt.Errorf("sandbox escalation to %q is not strictly wider than this call's current %q mode", name, string(x.standing.Mode))
	case f.approval == nil:
		return x, fmt.Errorf("sandbox escalation to %q requires approval, but no approval service is composed", name)
	case e.Session == nil:
		return x, fmt.Errorf("sandbox escalation to %q requires approval, but the call has no agent to route it through", name)
	}
	return x, nil
}

// standing is the policy of a session, nil for nobody's, whose directory counts by its
// physical path.
func (f *files) standing(ctx context.Context, s *tool.Session) sandbox.Policy {
	id, root := "", ""
	if s != nil {
		id = s.ID
		if s.Cwd != "" {
			root = f.physical(ctx, s.Cwd)
		}
	}
	return f.sandbox.Resolve(id, root)
}

// refused words a failure to change a file for the model: a denial by the fence says how
// to ask for more, and what reading mends says so. Contract sections 11.7 and 12.5.
func refused(err error) error {
	e, isFS := errors.AsType[*vfs.Error](err)
	denied, byFence := errors.AsType[*sandbox.DeniedError](err)
	if !isFS || !byFence || e.Code != vfs.CodeSandboxDenied {
		return remedied(err)
	}
	return &vfs.Error{Path: e.Path, Code: e.Code, Err: err,
		Msg: fmt.Sprintf("[sandbox: file access denied under %s mode]\n", denied.Mode) +
			"[sandbox: escalation available — retry this exact operation once with sandbox_permissions (the narrowest wider mode that suffices) + justification; the approval prompt asks the user]"}
}
