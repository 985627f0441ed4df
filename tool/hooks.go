package tool

import "context"

// Verdict is how a call is decided before it runs.
type Verdict uint8

// The verdicts. The zero value allows.
const (
	Allowed Verdict = iota
	Denied
	Asked
)

// Decision is a pre-execute hook's answer; the zero value allows. Reason is what the
// model reads for a denial, and what the person is asked for an Asked one.
type Decision struct {
	Verdict Verdict
	Reason  string
}

// Allow lets the call go on.
func Allow() Decision { return Decision{} }

// Deny ends the call with reason as its uncoded failure.
func Deny(reason string) Decision { return Decision{Denied, reason} }

// Ask lets a person decide; reason may be "".
func Ask(reason string) Decision { return Decision{Asked, reason} }

// PreExecute decides whether a call may run. It returns a decision of its own, or what
// next, the hooks added later, returned. An error or a panic ends the call as failed,
// coded if it is Coded. Contract section 3.5, stage 3.
type PreExecute func(ctx context.Context, exec *Exec, next func() (Decision, error)) (Decision, error)

// Guard returns the reason why a call must not run, or "". It is asked after every
// allowance, and no allowance outweighs it. A panic ends the call as failed. Contract
// section 3.5, stage 5.
type Guard func(ctx context.Context, exec *Exec) (reason string)

// AroundExecute stands around a tool's body. It may run next, the hooks added later
// and at last the body, under a context of its own (the caller's cancellation reaches
// the body all the same), more than once but not at the same time, or not at all and
// return a value of its own, which is checked like the tool's. Its calls for the
// members of a batch overlap. Contract section 3.5, stage 7.
type AroundExecute func(ctx context.Context, exec *Exec, next func(context.Context) (Value, error)) (Value, error)

// PostExecute decides what becomes of the outcome of a call that was dispatched, a
// success or a failure. It returns a decision of its own, or what next, the hooks
// added later, returned. An error or a panic makes the call failed. Contract section
// 3.5, stage 11.
type PostExecute func(ctx context.Context, exec *Exec, result Result, next func() (PostDecision, error)) (PostDecision, error)

// PostDecision is a post-execute hook's answer; the zero value accepts.
type PostDecision struct {
	// Block makes the call failed, with Feedback as its uncoded message.
	Block    bool
	Feedback string
	// Content, if not nil, replaces the content and nothing else.
	Content []Block
	// Value, if not nil, replaces a success's value, and content and meta with it.
	// Not together with Content.
	Value Value
}

// ResultObserver is told each result that Execute returns, once. What it returns, an
// error or a panic, is logged only. Contract section 3.5, stage 12.
type ResultObserver func(ctx context.Context, exec *Exec, result Result) error

// Outcome is a person's answer to an ask.
type Outcome string

// The outcomes. Any other text is like Unavailable.
const (
	AllowedOnce Outcome = "allowed-once"
	Rejected    Outcome = "rejected"
	Cancelled   Outcome = "cancelled"
	Unavailable Outcome = "unavailable"
)

// Asker asks a person whether a call may run, for the reason given, which may be "". An
// error or a panic is Unavailable. It ends early by ctx, and may be called for several
// calls at the same time.
type Asker func(ctx context.Context, exec *Exec, reason string) (Outcome, error)

// OnPreExecute adds a hook; the first added is the first asked. remove may be called
// more than once, also while a call runs, which keeps the hooks that it began with.
func (r *Registry) OnPreExecute(h PreExecute) (remove func()) { return r.pre.Add(h) }

// Guard adds a guard for every call. Guards of the registry are asked first, then those
// of the call's scope chain from the outermost on; the first reason denies.
func (r *Registry) Guard(g Guard) (remove func()) { return r.guards.Add(g) }

// OnExecute adds a hook around bodies; the first added is the outermost.
func (r *Registry) OnExecute(h AroundExecute) (remove func()) { return r.around.Add(h) }

// OnPostExecute adds a hook; the first added is the first asked.
func (r *Registry) OnPostExecute(h PostExecute) (remove func()) { return r.post.Add(h) }

// OnResult adds an observer; the first added is the first told.
func (r *Registry) OnResult(o ResultObserver) (remove func()) { return r.results.Add(o) }

// waterfall calls the first hook with a next that calls the second, and so on to last.
func waterfall[H, D any](
	ctx context.Context, r *Registry, hooks []*H,
	call func(context.Context, H, func(context.Context) (D, error)) (D, error),
	last func(context.Context) (D, error),
) (d D, err error) {
	if len(hooks) == 0 {
		return last(ctx)
	}
	defer r.recovered(&err)
	return call(ctx, *hooks[0], func(ctx context.Context) (D, error) {
		return waterfall(ctx, r, hooks[1:], call, last)
	})
}
