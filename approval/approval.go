// Package approval asks a person whether one call may do more than its sandbox mode
// allows, and remembers what the person allowed for longer. Contract section 11.6.
//
// It decides nothing about files and knows no screen and no protocol: an Answerer shows
// the Request and brings the answer. Without one every request fails closed.
package approval

import (
	"context"
	"fmt"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
)

// Request is what a person is asked. Everything in it is meant to be shown, and is clean
// of control characters where a model wrote it.
type Request struct {
	// ID is fresh for each request.
	ID string
	// Session, CallID and Tool say whose call it is, and which.
	Session, CallID, Tool string
	// Path is the file as people see it, Key its identity as the provider knows it, and
	// Dir the identity of the directory that it lies in, "" where that is not known.
	Path, Key, Dir string
	// Operation is "create", "update" or "edit".
	Operation string
	// Mode is the mode wanted, Standing the one in force.
	Mode, Standing sandbox.Mode
	// Justification is the model's sentence.
	Justification string
	// Diffs is what would change; Cut says that it is shortened.
	Diffs []card.FileDiff
	Cut   bool
	// Shown identifies what is shown: which content of the file would become which. An
	// answer holds for exactly that.
	Shown string
	// Rule says why the standing mode does not allow it.
	Rule string
}

// Reason is the sentence of the contract for what is asked.
func (r Request) Reason() string {
	return fmt.Sprintf("escalate sandbox to %s: %s", r.Mode, r.Justification)
}

// The outcomes of a request. Whatever else an Answerer says is Unavailable.
const (
	AllowedOnce = tool.AllowedOnce
	Rejected    = tool.Rejected
	Cancelled   = tool.Cancelled
	Unavailable = tool.Unavailable
)

// Scope says for what a person allowed it.
type Scope string

// The scopes. The empty one is ScopeOnce.
const (
	// ScopeOnce: this call alone.
	ScopeOnce Scope = "once"
	// ScopeFile: this file, for the rest of the session.
	ScopeFile Scope = "file"
	// ScopeDirectory: what lies in the directory of this file and below, for the rest of
	// the session.
	ScopeDirectory Scope = "directory"
)

// Answer is what a person said. Scope matters for AllowedOnce only.
type Answer struct {
	Outcome tool.Outcome
	Scope   Scope
}

// Answerer brings a person's answer. It ends early by ctx. An error or a panic is
// Unavailable, except for *Pending and *StaleError, which end the call as they are.
// Several may be asked at the same time.
type Answerer func(ctx context.Context, r Request) (Answer, error)

// StaleError is the error of an answer that was given to something else than what the
// call would do by now.
type StaleError struct{ Path string }

// Error tells the model how to go on.
func (e *StaleError) Error() string {
	return fmt.Sprintf("cannot write %q: what was approved is no longer what would happen, because the file changed meanwhile; read the file, then ask again", e.Path)
}

// ErrorInfo makes it a coded failure.
func (e *StaleError) ErrorInfo() (name, code string) { return "FsError", "FS_STALE_VERSION" }
