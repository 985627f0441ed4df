// Package tool runs tools for a model: it holds their definitions, checks arguments
// and results against schemas, executes calls one by one or as the batch of one
// assistant message, and turns every failure into a result. Contract sections 3 and 4.
//
// It knows nothing of files, policies, protocols or screens.
package tool

import (
	"context"
	"time"

	"github.com/toolfs/toolfs/card"
)

// Session is whose call it is. ID is opaque and identifies the session to policies;
// Cwd is the absolute directory that relative paths start from, or "" for the
// provider's own.
type Session struct {
	ID  string
	Cwd string
}

// Call is one call of a model. Arguments is the JSON text as it arrived: empty means
// {}, and text that is no JSON is passed on to fail as arguments that are no object.
// Session may be nil. Parent is the call ID of the call that makes this one, or "".
// Root is the ID of the outermost call where Parent was itself made by another; ""
// means Parent.
type Call struct {
	ID        string
	Name      string
	Arguments []byte
	Session   *Session
	Scope     *Scope
	Parent    string
	Root      string

	// Progress, if not nil, is told how a long call gets on, from another goroutine but
	// one at a time, and not after the call has ended. It must not block.
	Progress func(Progress)
}

// Progress is how far a call has come: Done and Total are in a unit of the tool's, Total 0
// when it is not known, and Done only ever grows. Message is for a person.
type Progress struct {
	Done, Total float64
	Message     string
}

// Exec is the execution that a tool's body sees, and the opaque actor of the gate's
// events.
type Exec struct {
	CallID     string
	RootCallID string
	Name       string
	Args       Args
	Session    *Session
	Parent     string
	Progress   func(Progress) // nil when nobody is told
}

// SessionID is the session's id, or "" for a call of nobody's.
func (e *Exec) SessionID() string {
	if e.Session == nil {
		return ""
	}
	return e.Session.ID
}

// Value is a canonical result: a Go value that can show itself as JSON data. It lives
// as long as the call and is never stored.
type Value interface {
	// JSONValue gives the value as nil, bool, int, float64, string, Array or
	// Object, without copying strings.
	JSONValue() any
}

// Block is a piece of content for the model.
type Block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// TextBlock makes a text block.
func TextBlock(text string) Block { return Block{Type: "text", Text: text} }

// Output declares what a tool returns.
type Output struct {
	// Schema is what every successful value must satisfy.
	Schema *Schema
	// Render gives the model's text; pure.
	Render func(args Args, v Value) []Block
	// Meta gives what is stored for the card, JSON-encodable, or nil; pure. Optional.
	Meta func(args Args, v Value) any
}

// Hints describes a tool's effects to a client that asks a person before it calls.
type Hints struct {
	ReadOnly    bool
	Destructive bool
	Idempotent  bool
	OpenWorld   bool
}

// StoredResult is what a card is made from: the part of a Result that is kept.
type StoredResult struct {
	Content []Block
	IsError bool
	Meta    []byte // JSON, nil when there is none
}

// Definition is a tool. Name, Description, Parameters, Output and Execute are
// required. Nothing in it may change once it is registered.
type Definition struct {
	Name        string
	Title       string
	Description string
	Parameters  *Schema
	Output      Output
	Hints       Hints

	// Execute does the work. It is awaited always; it ends early by ctx.
	Execute func(ctx context.Context, exec *Exec) (Value, error)

	// Commits says that a success has changed something for good: it is reported as
	// the success that it is even if the call was cancelled meanwhile.
	Commits bool

	// Partial says that a success holds what was found until ctx ended, and says itself
	// that it is not all: it is reported as the success that it is, too.
	Partial bool

	// Timeout is how long the body lets itself take; it keeps to that without help. 0:
	// it sets itself no bound.
	Timeout time.Duration

	// ConcurrencySafe says that a call with these arguments may overlap others;
	// nil means never. A panic means no.
	ConcurrencySafe func(args Args) bool

	// PresentCall gives the pending card; nil, or a nil view, means the generic one.
	PresentCall func(args Args) card.View

	// PresentResult gives the finished card, from what is stored alone.
	PresentResult func(args Args, r StoredResult) card.View
}

// ErrorInfo is a failure's stable identity: a name for the kind, a code for the case.
type ErrorInfo struct {
	Name string `json:"name"`
	Code string `json:"code"`
}

// Failure is why a call failed; Info is nil for an uncoded failure. Err is the error
// itself, for who made the call; it is never stored, and nil where the failure is none of
// the tool's.
type Failure struct {
	Message string     `json:"message"`
	Info    *ErrorInfo `json:"info,omitempty"`
	Err     error      `json:"-"`
}

// Result is a call's outcome. Of a failure, Content is the message after "Error: ".
// Of a success, Value is the canonical value and Meta what is stored for the card.
type Result struct {
	IsError bool
	Content []Block
	Error   *Failure
	Value   Value
	Meta    any
}

// Coded is an error that carries its own ErrorInfo; any other error is uncoded.
type Coded interface {
	error
	ErrorInfo() (name, code string)
}
