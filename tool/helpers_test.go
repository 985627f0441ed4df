package tool_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/toolfs/toolfs/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// data is a value that is just data.
type data struct{ v any }

func (d data) JSONValue() any { return d.v }

func text(s string) tool.Value { return data{s} }

var (
	openParams = tool.MustParseSchema([]byte(`{"type":"object","properties":{}}`))
	stringOut  = tool.MustParseSchema([]byte(`{"type":"string"}`))
)

// define makes a tool that returns its own name, to be changed by the test.
func define(name string, change ...func(*tool.Definition)) *tool.Definition {
	def := &tool.Definition{
		Name:        name,
		Description: "does " + name,
		Parameters:  openParams,
		Output: tool.Output{
			Schema: stringOut,
			Render: func(_ tool.Args, v tool.Value) []tool.Block {
				return []tool.Block{tool.TextBlock(v.JSONValue().(string))}
			},
		},
		Execute: func(context.Context, *tool.Exec) (tool.Value, error) { return text(name), nil },
	}
	for _, c := range change {
		c(def)
	}
	return def
}

func body(f func(ctx context.Context, exec *tool.Exec) (tool.Value, error)) func(*tool.Definition) {
	return func(d *tool.Definition) { d.Execute = f }
}

func register(t testing.TB, r interface {
	Register(*tool.Definition) (func(), error)
}, def *tool.Definition) (dispose func()) {
	t.Helper()
	dispose, err := r.Register(def)
	if err != nil {
		t.Fatal(err)
	}
	return dispose
}

// registry makes a registry that holds the tools.
func registry(t testing.TB, o tool.RegistryOptions, defs ...*tool.Definition) *tool.Registry {
	t.Helper()
	r := tool.NewRegistryWith(o)
	for _, def := range defs {
		register(t, r, def)
	}
	return r
}

func call(name, args string) tool.Call {
	return tool.Call{ID: "c-" + name, Name: name, Arguments: []byte(args)}
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// failure checks the whole shape of a failed result; info is "Name CODE" or "".
func failure(t testing.TB, got tool.Result, message, info string) {
	t.Helper()
	want := tool.Result{
		IsError: true,
		Content: []tool.Block{{Type: "text", Text: "Error: " + message}},
		Error:   &tool.Failure{Message: message},
	}
	for name, code := range map[string]string{
		"ToolArgsError": "INVALID_ARGS", "ToolNotFoundError": "UNKNOWN_TOOL", "ToolOutputError": "INVALID_TOOL_OUTPUT",
		"FsError": "FS_NOT_FOUND",
	} {
		if info == name {
			want.Error.Info = &tool.ErrorInfo{Name: name, Code: code}
		}
	}
	if info == "ABORTED" || info == "ABORTED_BEFORE_DISPATCH" {
		want.Error.Info = &tool.ErrorInfo{Name: "AbortError", Code: info}
	}
	if info != "" && want.Error.Info == nil {
		t.Fatalf("no such info: %q", info)
	}
	if got.Error != nil && got.Error.Err == nil {
		t.Error("the failure has no error")
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(tool.Failure{}, "Err")); d != "" {
		t.Errorf("failure (-want +got):\n%s", d)
	}
}

// success checks that a call succeeded with one text.
func success(t testing.TB, got tool.Result, content string) {
	t.Helper()
	if got.IsError || got.Error != nil || got.Value == nil {
		t.Fatalf("no success: %+v (%+v)", got, got.Error)
	}
	same(t, "content", got.Content, []tool.Block{tool.TextBlock(content)})
}

func errorText(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error = %v\nwant    %s", err, want)
	}
}

// fsError is a coded error of a tool's own.
type fsError struct{ msg string }

func (e *fsError) Error() string               { return e.msg }
func (e *fsError) ErrorInfo() (string, string) { return "FsError", "FS_NOT_FOUND" }

var errBoom = errors.New("boom")
