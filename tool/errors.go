package tool

import (
	"errors"
	"fmt"
	"strings"
)

// The codes of the failures that the registry itself makes. Contract section 14.
const (
	CodeInvalidArgs           = "INVALID_ARGS"
	CodeUnknownTool           = "UNKNOWN_TOOL"
	CodeInvalidOutput         = "INVALID_TOOL_OUTPUT"
	CodeAborted               = "ABORTED"
	CodeAbortedBeforeDispatch = "ABORTED_BEFORE_DISPATCH"
)

// ErrNotLossless is the uncoded failure of arguments that hold a number too large for
// a double: what the tool would see is not what was sent. Contract section 3.5, stage 1.
var ErrNotLossless = errors.New("tool execution arguments must be losslessly JSON-serializable")

// ArgsError says what is wrong with a call's arguments, in the order of contract
// section 3.3. Its code is INVALID_ARGS.
type ArgsError struct{ Violations []string }

// Error joins the violations.
func (e *ArgsError) Error() string {
	return "invalid arguments: " + strings.Join(e.Violations, "; ")
}

// ErrorInfo makes it Coded.
func (e *ArgsError) ErrorInfo() (name, code string) { return "ToolArgsError", CodeInvalidArgs }

// codedError is a failure of the registry's own.
type codedError struct{ message, name, code string }

func (e *codedError) Error() string                  { return e.message }
func (e *codedError) ErrorInfo() (name, code string) { return e.name, e.code }

var (
	errAborted       = &codedError{"tool call aborted", "AbortError", CodeAborted}
	errAbortedBefore = &codedError{"tool call aborted before dispatch", "AbortError", CodeAbortedBeforeDispatch}
)

func unknownTool(name string) error {
	return &codedError{fmt.Sprintf(`unknown tool "%s"`, name), "ToolNotFoundError", CodeUnknownTool}
}

func invalidOutput(name string, violations ...string) error {
	message := fmt.Sprintf(`tool "%s" returned invalid output: %s`, name, strings.Join(violations, "; "))
	return &codedError{message, "ToolOutputError", CodeInvalidOutput}
}

const unprintable = "<unprintable thrown value>"

// failed is the result of a call that ended with err. Contract section 3.7.
func failed(err error) Result {
	message := messageOf(err)
	return Result{
		IsError: true,
		Content: []Block{TextBlock("Error: " + message)},
		Error:   &Failure{Message: message, Info: infoOf(err), Err: err},
	}
}

// messageOf is err's text. An error comes from a tool's code, and its methods may
// panic like any other code of the tool.
func messageOf(err error) (message string) {
	defer func() {
		if recover() != nil {
			message = unprintable
		}
	}()
	return err.Error()
}

func infoOf(err error) (info *ErrorInfo) {
	defer func() {
		if recover() != nil {
			info = nil
		}
	}()
	var coded Coded
	if !errors.As(err, &coded) {
		return nil
	}
	name, code := coded.ErrorInfo()
	return &ErrorInfo{Name: name, Code: code}
}

// thrown is a recovered panic value as an error.
func thrown(value any) error {
	switch v := value.(type) {
	case error:
		return v
	case fmt.Stringer:
		return thrownText{v}
	default:
		return errors.New(fmt.Sprint(v))
	}
}

// thrownText asks the value for its text only when messageOf can catch its panic.
type thrownText struct{ value fmt.Stringer }

func (t thrownText) Error() string { return t.value.String() }
