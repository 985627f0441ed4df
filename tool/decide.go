package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolfs/toolfs/internal/listeners"
)

// decide runs the pre-execute hooks, and asks when they say so: stages 3 and 4. A
// denial is an error.
func (x *execution) decide(ctx context.Context) error {
	decision, err := waterfall(ctx, x.r, x.r.pre.All(),
		func(c context.Context, h PreExecute, next func(context.Context) (Decision, error)) (Decision, error) {
			return h(c, x.exec, func() (Decision, error) { return next(c) })
		},
		func(context.Context) (Decision, error) { return Allow(), nil })
	switch {
	case err != nil:
		return err
	case decision.Verdict == Allowed:
		return nil
	case decision.Verdict == Asked:
		return x.askPerson(ctx, decision.Reason)
	default:
		return denied(decision.Reason, x.exec.Name)
	}
}

// askPerson is nil only for a grant.
func (x *execution) askPerson(ctx context.Context, reason string) error {
	name := x.exec.Name
	switch {
	case x.r.ask == nil && reason != "":
		return errors.New(reason)
	case x.r.ask == nil:
		return fmt.Errorf(`tool "%s" requires approval (not yet supported)`, name)
	case x.exec.Session == nil:
		return fmt.Errorf(`tool "%s" requires approval, but the call has no agent to route it through`, name)
	}
	outcome, err := x.callAsker(ctx, reason)
	if err != nil {
		x.r.log.ErrorContext(ctx, "asking for approval failed", "tool", name, "error", messageOf(err))
		outcome = Unavailable
		if ctx.Err() != nil {
			outcome = Cancelled
		}
	}
	switch outcome {
	case AllowedOnce:
		return nil
	case Rejected:
		return fmt.Errorf(`the user rejected tool "%s"`, name)
	case Cancelled:
		return fmt.Errorf(`approval for tool "%s" was cancelled`, name)
	default:
		return fmt.Errorf(`tool "%s" requires approval, but no approval channel is available`, name)
	}
}

func (x *execution) callAsker(ctx context.Context, reason string) (o Outcome, err error) {
	defer x.r.recovered(&err)
	return x.r.ask(ctx, x.exec, reason)
}

// guard asks every guard, the widest first: stage 5.
func (x *execution) guard(ctx context.Context) error {
	if err := x.askGuards(ctx, &x.r.guards); err != nil {
		return err
	}
	return x.guardScope(ctx, x.scope)
}

func (x *execution) guardScope(ctx context.Context, s *Scope) error {
	if s == nil {
		return nil
	}
	if err := x.guardScope(ctx, s.parent); err != nil {
		return err
	}
	return x.askGuards(ctx, &s.guards)
}

func (x *execution) askGuards(ctx context.Context, guards *listeners.List[Guard]) (err error) {
	defer x.r.recovered(&err)
	for _, g := range guards.All() {
		if reason := (*g)(ctx, x.exec); reason != "" {
			return errors.New(reason)
		}
	}
	return nil
}
