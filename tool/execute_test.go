package tool_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

var bg = context.Background()

// hostile is an error whose text cannot be had.
type hostile struct{}

func (hostile) Error() string { panic("no") }

// hostileCode is an error whose code cannot be had.
type hostileCode struct{}

func (hostileCode) Error() string               { return "text" }
func (hostileCode) ErrorInfo() (string, string) { panic("no") }

type hostileText struct{}

func (hostileText) String() string { panic("no") }

type stringer string

func (s stringer) String() string { return string(s) }

func TestExecuteFailures(t *testing.T) {
	for _, c := range []struct {
		rule, message, info string
		body                func(context.Context, *tool.Exec) (tool.Value, error)
	}{
		{"an uncoded error", "boom", "", func(context.Context, *tool.Exec) (tool.Value, error) { return nil, errBoom }},
		{"an error wins over a value", "boom", "", func(context.Context, *tool.Exec) (tool.Value, error) { return text("x"), errBoom }},
		{"a coded error", `cannot read "/W/nope": not found`, "FsError", func(context.Context, *tool.Exec) (tool.Value, error) {
			return nil, &fsError{`cannot read "/W/nope": not found`}
		}},
		{"a wrapped coded error", "outer: gone", "FsError", func(context.Context, *tool.Exec) (tool.Value, error) {
			return nil, fmt.Errorf("outer: %w", &fsError{"gone"})
		}},
		{"an error without a text", "<unprintable thrown value>", "", func(context.Context, *tool.Exec) (tool.Value, error) { return nil, hostile{} }},
		{"a nil pointer that is an error", "<unprintable thrown value>", "FsError", func(context.Context, *tool.Exec) (tool.Value, error) {
			var e *fsError
			return nil, e
		}},
		{"an error without a code", "text", "", func(context.Context, *tool.Exec) (tool.Value, error) { return nil, hostileCode{} }},
		{"a panic with a text", "broke", "", func(context.Context, *tool.Exec) (tool.Value, error) { panic("broke") }},
		{"a panic with a coded error", "gone", "FsError", func(context.Context, *tool.Exec) (tool.Value, error) { panic(&fsError{"gone"}) }},
		{"a panic with a number", "7", "", func(context.Context, *tool.Exec) (tool.Value, error) { panic(7) }},
		{"a panic with a stringer", "text", "", func(context.Context, *tool.Exec) (tool.Value, error) { panic(stringer("text")) }},
		{"a panic with a value that has no text", "<unprintable thrown value>", "", func(context.Context, *tool.Exec) (tool.Value, error) { panic(hostileText{}) }},
		{"a panic of the runtime", "runtime error: index out of range [3] with length 0", "", func(_ context.Context, e *tool.Exec) (tool.Value, error) {
			var none []int
			return nil, fmt.Errorf("%d", none[len(e.Name)+2])
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := registry(t, tool.RegistryOptions{}, define("x", body(c.body)))
			failure(t, r.Execute(bg, call("x", "")), c.message, c.info)
		})
	}
}

func TestExecuteArguments(t *testing.T) {
	ran := false
	r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
		d.Parameters = tool.MustParseSchema([]byte(readParams))
		d.Execute = func(_ context.Context, e *tool.Exec) (tool.Value, error) {
			ran = true
			return text(show(e.Args)), nil
		}
	}))
	for _, c := range []struct{ rule, tool, args, message, info string }{
		{"violations are joined", "x", `{"file_path":5,"limit":"x"}`, `invalid arguments: "file_path" must be a string; "limit" must be a number`, "ToolArgsError"},
		{"no arguments are {}", "x", ``, `invalid arguments: missing required property "file_path"`, "ToolArgsError"},
		{"no JSON", "x", `{bad`, `invalid arguments: "arguments" must be an object`, "ToolArgsError"},
		{"half a surrogate pair", "x", `{"file_path":"\ud83d"}`, `invalid arguments: "file_path" must be valid Unicode text: it holds half of a surrogate pair`, "ToolArgsError"},
		{"a near miss", "x", `{"file_path":"a","Limit":1}`, `invalid arguments: "Limit" is not a declared property (did you mean "limit"?)`, "ToolArgsError"},
		{"overflow", "x", `{"file_path":"a","limit":1e999}`, `tool execution arguments must be losslessly JSON-serializable`, ""},
		{"an unknown tool", "reed", `{}`, `unknown tool "reed"`, "ToolNotFoundError"},
		{"an unknown tool without a name", "", `{}`, `unknown tool ""`, "ToolNotFoundError"},
		{"names have a case", "X", `{}`, `unknown tool "X"`, "ToolNotFoundError"},
		{"unknown outweighs bad arguments", "reed", `{bad`, `unknown tool "reed"`, "ToolNotFoundError"},
		{"overflow outweighs unknown", "reed", `{"a":1e999}`, `tool execution arguments must be losslessly JSON-serializable`, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			failure(t, r.Execute(bg, call(c.tool, c.args)), c.message, c.info)
		})
	}
	if ran {
		t.Error("a body ran with bad arguments")
	}
	success(t, r.Execute(bg, call("x", `{"file_path":"a","x":1}`)), `{"file_path":"a","x":1}`)
}

func TestExecuteOutput(t *testing.T) {
	const prefix = `tool "x" returned invalid output: `
	value := func(v tool.Value) func(*tool.Definition) {
		return body(func(context.Context, *tool.Exec) (tool.Value, error) { return v, nil })
	}
	for _, c := range []struct {
		rule, message string
		change        func(*tool.Definition)
	}{
		{"a value of another type", `"value" must be a string`, value(data{1})},
		{"violations are joined", `missing required property "value.a"; "value.b" is not a declared property (additionalProperties: false)`, func(d *tool.Definition) {
			d.Output.Schema = tool.MustParseSchema([]byte(`{"type":"object","required":["a"],"additionalProperties":false}`))
			value(data{tool.Object{{Name: "b"}}})(d)
		}},
		{"no value", `value is not lossless JSON`, value(nil)},
		{"not a number", `value is not lossless JSON`, value(data{math.NaN()})},
		{"a value that cannot show itself", `value is not lossless JSON`, value((*broken)(nil))},
		{"a panic in render", `output.render failed: broke`, func(d *tool.Definition) {
			d.Output.Render = func(tool.Args, tool.Value) []tool.Block { panic("broke") }
		}},
		{"a panic in meta", `output.presentationMeta failed: broke`, func(d *tool.Definition) {
			d.Output.Meta = func(tool.Args, tool.Value) any { panic("broke") }
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := registry(t, tool.RegistryOptions{}, define("x", c.change))
			r.OnPostExecute(func(_ context.Context, _ *tool.Exec, res tool.Result, next func() (tool.PostDecision, error)) (tool.PostDecision, error) {
				if !res.IsError {
					t.Error("a post-execute hook saw an invalid value")
				}
				return next()
			})
			failure(t, r.Execute(bg, call("x", "")), prefix+c.message, "ToolOutputError")
			r.Execute(bg, call("x", "")) // once broken, not for ever
		})
	}
}

type broken struct{ s string }

func (b *broken) JSONValue() any { return b.s }

func TestExecuteMetaIsOfTopLevelCallsOnly(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
		d.Output.Meta = func(_ tool.Args, v tool.Value) any { return "meta of " + v.JSONValue().(string) }
	}))
	c := call("x", "")
	same[any](t, "meta", r.Execute(bg, c).Meta, "meta of x")
	c.Parent = "p"
	same(t, "meta of a nested call", r.Execute(bg, c).Meta, nil)
}

func TestExecuteGivesTheBodyItsCall(t *testing.T) {
	var got *tool.Exec
	r := registry(t, tool.RegistryOptions{}, define("x", body(func(_ context.Context, e *tool.Exec) (tool.Value, error) {
		got = e
		return text("x"), nil
	})))
	session := &tool.Session{ID: "s", Cwd: "/w"}
	for _, c := range []struct{ rule, parent, root, want string }{
		{"a top-level call is its own root", "", "", "id"},
		{"a nested call has its parent for root", "p", "", "p"},
		{"a call nested deeper says its root", "p", "r", "r"},
	} {
		r.Execute(bg, tool.Call{ID: "id", Name: "x", Session: session, Parent: c.parent, Root: c.root})
		if got.CallID != "id" || got.Name != "x" || got.Session != session || got.Parent != c.parent || got.RootCallID != c.want {
			t.Errorf("%s: %+v", c.rule, got)
		}
	}
}

func TestExecuteAbort(t *testing.T) {
	const before, during = "tool call aborted before dispatch", "tool call aborted"
	for _, c := range []struct {
		rule, message, info string
		commits             bool
		body                func(cancel func()) (tool.Value, error)
	}{
		{"a success is replaced", during, "ABORTED", false, func(cancel func()) (tool.Value, error) { cancel(); return text("x"), nil }},
		{"a failure is kept", "boom", "", false, func(cancel func()) (tool.Value, error) { cancel(); return nil, errBoom }},
		{"a panic is kept", "broke", "", true, func(cancel func()) (tool.Value, error) { cancel(); panic("broke") }},
		{"a commit is told as what it is", "", "", true, func(cancel func()) (tool.Value, error) { cancel(); return text("x"), nil }},
		{"a failure to commit is kept", "boom", "", true, func(cancel func()) (tool.Value, error) { cancel(); return nil, errBoom }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			ctx, cancel := context.WithCancel(bg)
			defer cancel()
			r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
				d.Commits = c.commits
				d.Execute = func(context.Context, *tool.Exec) (tool.Value, error) { return c.body(cancel) }
			}))
			if got := r.Execute(ctx, call("x", "")); c.message == "" {
				success(t, got, "x")
			} else {
				failure(t, got, c.message, c.info)
			}
		})
	}

	t.Run("a part is told as what it is", func(t *testing.T) {
		ctx, cancel := context.WithCancel(bg)
		r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
			d.Partial = true
			d.Execute = func(context.Context, *tool.Exec) (tool.Value, error) { cancel(); return text("some"), nil }
		}))
		success(t, r.Execute(ctx, call("x", "")), "some")
	})

	t.Run("nothing runs once it is aborted, and one result is observed", func(t *testing.T) {
		ctx, cancel := context.WithCancel(bg)
		cancel()
		ran, observed := 0, 0
		r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
			d.Commits = true
			d.Execute = func(context.Context, *tool.Exec) (tool.Value, error) { ran++; return text("x"), nil }
		}))
		countHooks(r, &ran)
		r.OnResult(func(context.Context, *tool.Exec, tool.Result) error { observed++; return nil })
		failure(t, r.Execute(ctx, call("x", "")), before, "ABORTED_BEFORE_DISPATCH")
		failure(t, r.Execute(ctx, call("reed", "{bad")), before, "ABORTED_BEFORE_DISPATCH")
		if ran != 0 || observed != 2 {
			t.Errorf("ran %d, observed %d", ran, observed)
		}
		failure(t, r.Execute(ctx, call("x", `{"a":1e999}`)), "tool execution arguments must be losslessly JSON-serializable", "")
	})
}

// countHooks counts every hook that runs but the observers.
func countHooks(r *tool.Registry, n *int) {
	r.OnPreExecute(func(_ context.Context, _ *tool.Exec, next func() (tool.Decision, error)) (tool.Decision, error) {
		*n++
		return next()
	})
	r.Guard(func(context.Context, *tool.Exec) string { *n++; return "" })
	r.OnExecute(func(ctx context.Context, _ *tool.Exec, next func(context.Context) (tool.Value, error)) (tool.Value, error) {
		*n++
		return next(ctx)
	})
	r.OnPostExecute(func(_ context.Context, _ *tool.Exec, _ tool.Result, next func() (tool.PostDecision, error)) (tool.PostDecision, error) {
		*n++
		return next()
	})
}

func TestErrorsAreFoundByTheirType(t *testing.T) {
	_, err := tool.DecodeArgs([]byte("3"))
	var args *tool.ArgsError
	if !errors.As(err, &args) || len(args.Violations) != 1 {
		t.Errorf("error = %#v", err)
	}
}

func BenchmarkExecuteWrite(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1KiB", 1 << 10}, {"1MiB", 1 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			r := registry(b, tool.RegistryOptions{}, define("write", func(d *tool.Definition) {
				d.Parameters = tool.MustParseSchema([]byte(`{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}`))
				d.Output.Schema = tool.MustParseSchema([]byte(`{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"},"operation":{"type":"string","enum":["create","update"]},"before":{"oneOf":[{"type":"string"},{"type":"null"}]},"after":{"type":"string"}},"required":["path","operation","before","after"]}`))
				d.Output.Render = func(tool.Args, tool.Value) []tool.Block { return []tool.Block{tool.TextBlock("ok")} }
				d.Execute = func(_ context.Context, e *tool.Exec) (tool.Value, error) {
					path, _ := e.Args.String("file_path")
					after, _ := e.Args.String("content")
					return data{tool.Object{{Name: "path", Value: path}, {Name: "operation", Value: "create"}, {Name: "before"}, {Name: "after", Value: after}}}, nil
				}
			}))
			c := tool.Call{ID: "c", Name: "write", Arguments: writeCall(size.n)}
			b.SetBytes(int64(len(c.Arguments)))
			b.ReportAllocs()
			for b.Loop() {
				if res := r.Execute(bg, c); res.IsError {
					b.Fatal(strings.TrimSpace(res.Error.Message))
				}
			}
		})
	}
}
