package vfs

import (
	"context"
	"iter"

	"github.com/toolfs/toolfs/sandbox"
)

// Confiner is implemented by a provider that has a fence: its Put holds to the policy of
// the call, in the same critical section in which it publishes. Contract section 11.4.
type Confiner interface {
	// SandboxMode is the mode of calls without a policy of their own; "" says that the
	// provider does not confine after all.
	SandboxMode() sandbox.Mode

	// CheckWrite tells whether a change of t would pass the fence under p as things
	// are: nil, or FS_SANDBOX_DENIED with a *sandbox.DeniedError as its cause, or
	// FS_PERMISSION_DENIED for what is withheld. It is a forecast: Put decides.
	CheckWrite(ctx context.Context, t Target, p sandbox.Policy) error
}

// Verdict says whether something may be done, by which rule, and why, for a person.
type Verdict struct {
	Allowed bool   `json:"allowed"`
	Rule    string `json:"rule"`
	Why     string `json:"why"`
}

// Access is what may be done with a target.
type Access struct {
	Read  Verdict `json:"read"`
	Write Verdict `json:"write"`
}

// Explainer tells which rule decides about a target, by the same decision that its other
// methods take.
type Explainer interface {
	Explain(ctx context.Context, t Target, p sandbox.Policy) (Access, error)
}

// Withholder is implemented by a provider that shows only part of a directory. Withheld
// is how many entries it left out, once the sequence has ended.
type Withholder interface {
	ReadDirWithheld(ctx context.Context, t Target) (entries iter.Seq2[Entry, error], withheld func() int)
}

// SandboxMode is the default mode of a provider that confines, "" of any other.
func SandboxMode(p Provider) sandbox.Mode {
	if c, ok := As[Confiner](p); ok {
		return c.SandboxMode()
	}
	return ""
}

// CheckWrite is the forecast of a Confiner, nil without one.
func CheckWrite(ctx context.Context, p Provider, t Target, policy sandbox.Policy) error {
	if c, ok := As[Confiner](p); ok && c.SandboxMode() != "" {
		return c.CheckWrite(ctx, t, policy)
	}
	return nil
}

// SandboxDenied says that the fence keeps a change out.
func SandboxDenied(t Target, why *sandbox.DeniedError) *Error {
	return &Error{Op: "write", Path: t.Path, Code: CodeSandboxDenied, Msg: why.Error(), Err: why}
}

// Withheld says that a target is kept from the tools by a rule of the user's.
func Withheld(op string, t Target, rule string) *Error {
	return &Error{Op: op, Path: t.Path, Code: CodePermissionDenied, Msg: "withheld from the tools by " + rule}
}
