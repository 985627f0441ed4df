package tool

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// Execute runs one call to its end and returns what became of it: a failure of
// whatever kind, a panic too, is a result. A body that was started is awaited always;
// ctx reaches it. Safe for concurrent use. Contract sections 3.5 to 3.7.
//
// In this order: the arguments are decoded (ErrNotLossless ends the call); a ctx that
// is done ends it as ABORTED_BEFORE_DISPATCH; the pre-execute hooks, the Asker and the
// guards decide; ctx is looked at again; inside the execute hooks the tool is looked
// up (UNKNOWN_TOOL), the arguments are validated (INVALID_ARGS) and the body runs; its
// value is validated (INVALID_TOOL_OUTPUT) and rendered. A success is replaced by
// ABORTED when ctx is done by then, unless the definition Commits or is Partial. At last come the
// post-execute hooks and the observers.
func (r *Registry) Execute(ctx context.Context, call Call) Result {
	x := r.begin(ctx, &call, decodeInput(call.Arguments))
	x.dispatch(ctx)
	return x.finish(ctx)
}

// input is a call's decoded arguments, or why there are none.
type input struct {
	args Args
	err  error
}

func decodeInput(data []byte) input {
	args, err := DecodeArgs(data)
	return input{args, err}
}

// execution is one call on its way through the three parts of the pipeline. A batch
// runs begin and finish in model order and lets dispatch overlap.
type execution struct {
	r       *Registry
	scope   *Scope
	exec    *Exec
	argsErr error // the arguments are invalid: told once the tool is known

	final     bool // decided before dispatch
	started   bool // a body was started
	committed bool // a body has changed something for good, or says itself how far it came
	def       *Definition
	result    Result
}

// begin runs what comes before dispatch: stages 1 to 6.
func (r *Registry) begin(ctx context.Context, call *Call, in input) *execution {
	x := &execution{r: r, scope: call.Scope, argsErr: in.err}
	x.exec = &Exec{
		CallID: call.ID, RootCallID: call.Root, Name: call.Name,
		Args: in.args, Session: call.Session, Parent: call.Parent, Progress: call.Progress,
	}
	if x.exec.RootCallID == "" {
		x.exec.RootCallID = call.Parent
	}
	if x.exec.RootCallID == "" {
		x.exec.RootCallID = call.ID
	}
	if err := x.admit(ctx); err != nil {
		x.final, x.result = true, failed(err)
	}
	return x
}

// admit gives the reason why the call does not reach dispatch.
func (x *execution) admit(ctx context.Context) error {
	if errors.Is(x.argsErr, ErrNotLossless) {
		return ErrNotLossless
	}
	if ctx.Err() != nil {
		return errAbortedBefore
	}
	if err := x.decide(ctx); err != nil {
		return err
	}
	if err := x.guard(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errAbortedBefore
	}
	return nil
}

// dispatch runs the execute hooks and the body, and makes the result: stages 7 to 10.
func (x *execution) dispatch(ctx context.Context) {
	if x.final {
		return
	}
	// What stands should a body end its goroutine instead of returning.
	x.result = failed(errors.New("the tool ended without a result"))
	value, err := waterfall(ctx, x.r, x.r.around.All(),
		func(c context.Context, h AroundExecute, next func(context.Context) (Value, error)) (Value, error) {
			return h(c, x.exec, next)
		},
		func(c context.Context) (Value, error) {
			if c == nil || c == ctx {
				return x.body(ctx)
			}
			fused, stop := fuse(ctx, c)
			defer stop()
			return x.body(fused)
		})
	x.result = x.override(ctx, x.conclude(value, err))
}

// fuse makes a context that ends with either: a hook may add reasons to stop, and take
// none away.
func fuse(caller, given context.Context) (fused context.Context, stop func()) {
	fused, cancel := context.WithCancelCause(given)
	release := context.AfterFunc(caller, func() { cancel(context.Cause(caller)) })
	return fused, func() {
		release()
		cancel(nil)
	}
}

// body looks the tool up, validates and runs it: stage 8.
func (x *execution) body(ctx context.Context) (Value, error) {
	def, ok := x.r.Get(x.exec.Name, x.scope)
	if !ok {
		return nil, unknownTool(x.exec.Name)
	}
	if x.argsErr != nil {
		return nil, x.argsErr
	}
	if list := def.Parameters.ValidateArgs(x.exec.Args); list != nil {
		return nil, &ArgsError{list}
	}
	x.started, x.def = true, def
	value, err := x.run(ctx, def)
	if err == nil && (def.Commits || def.Partial) {
		x.committed = true
	}
	return value, err
}

func (x *execution) run(ctx context.Context, def *Definition) (value Value, err error) {
	defer x.r.recovered(&err)
	return def.Execute(ctx, x.exec)
}

// override replaces a success that came too late: stage 10. A commit is told as what
// it is (decision V-16).
func (x *execution) override(ctx context.Context, result Result) Result {
	switch {
	case result.IsError || x.committed || ctx.Err() == nil:
		return result
	case !x.started:
		return failed(errAbortedBefore)
	default:
		return failed(errAborted)
	}
}

// finish runs the post-execute hooks and the observers: stages 11 and 12.
func (x *execution) finish(ctx context.Context) Result {
	if !x.final {
		x.result = x.override(ctx, x.review(ctx))
	}
	for _, o := range x.r.results.All() {
		if err := x.observe(ctx, *o); err != nil {
			x.r.log.ErrorContext(ctx, "an observer of tool results failed",
				"tool", x.exec.Name, "call", x.exec.CallID, "error", messageOf(err))
		}
	}
	return x.result
}

func (x *execution) observe(ctx context.Context, o ResultObserver) (err error) {
	defer x.r.recovered(&err)
	return o(ctx, x.exec, x.result)
}

// recovered, deferred, makes a panic the error. The stack goes to the log: the error's
// text is for the model.
func (r *Registry) recovered(err *error) {
	if v := recover(); v != nil {
		*err = thrown(v)
		r.log.Error("panic", "value", messageOf(*err), "stack", string(debug.Stack()))
	}
}

// denied is a denial's uncoded failure.
func denied(reason, name string) error {
	if reason == "" {
		reason = fmt.Sprintf(`tool "%s" was denied`, name)
	}
	return errors.New(reason)
}
