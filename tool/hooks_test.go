package tool_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

type (
	nextDecision = func() (tool.Decision, error)
	nextValue    = func(context.Context) (tool.Value, error)
	nextPost     = func() (tool.PostDecision, error)
)

func decide(d tool.Decision, err error) tool.PreExecute {
	return func(context.Context, *tool.Exec, nextDecision) (tool.Decision, error) { return d, err }
}

func TestPreExecute(t *testing.T) {
	var ran []string
	r := registry(t, tool.RegistryOptions{}, define("x", body(func(context.Context, *tool.Exec) (tool.Value, error) {
		ran = append(ran, "body")
		return text("x"), nil
	})))
	for _, c := range []struct {
		rule          string
		hook          tool.PreExecute
		message, info string
	}{
		{"deny", decide(tool.Deny("not today"), nil), "not today", ""},
		{"deny without a reason", decide(tool.Deny(""), nil), `tool "x" was denied`, ""},
		{"a verdict that is none denies", decide(tool.Decision{Verdict: 99}, nil), `tool "x" was denied`, ""},
		{"ask without anybody to ask", decide(tool.Ask(""), nil), `tool "x" requires approval (not yet supported)`, ""},
		{"ask without anybody to ask, with a reason", decide(tool.Ask("may it?"), nil), `may it?`, ""},
		{"an error", decide(tool.Allow(), errBoom), "boom", ""},
		{"a coded error", decide(tool.Allow(), &fsError{"gone"}), "gone", "FsError"},
		{"a panic", func(context.Context, *tool.Exec, nextDecision) (tool.Decision, error) { panic("broke") }, "broke", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			ran = nil
			remove := r.OnPreExecute(c.hook)
			later := r.OnPreExecute(func(context.Context, *tool.Exec, nextDecision) (tool.Decision, error) {
				ran = append(ran, "a hook added later")
				return tool.Allow(), nil
			})
			post := r.OnPostExecute(func(context.Context, *tool.Exec, tool.Result, nextPost) (tool.PostDecision, error) {
				ran = append(ran, "post")
				return tool.PostDecision{}, nil
			})
			failure(t, r.Execute(bg, call("x", "")), c.message, c.info)
			same(t, "what ran", ran, nil)
			remove()
			success(t, r.Execute(bg, call("x", "")), "x")
			later()
			later()
			post()
			success(t, r.Execute(bg, call("x", "")), "x")
			same(t, "what ran", ran, []string{"a hook added later", "body", "post", "body"})
		})
	}
}

func TestPreExecuteMayChangeWhatNextSays(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("x"))
	r.OnPreExecute(func(_ context.Context, e *tool.Exec, next nextDecision) (tool.Decision, error) {
		d, err := next()
		if d.Verdict == tool.Denied {
			d.Reason += " (" + e.Name + ")"
		}
		return d, err
	})
	r.OnPreExecute(decide(tool.Deny("no"), nil))
	failure(t, r.Execute(bg, call("x", "")), "no (x)", "")
}

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		rule    string
		session *tool.Session
		outcome tool.Outcome
		err     error
		want    string
	}{
		{"allowed once", &tool.Session{}, tool.AllowedOnce, nil, ""},
		{"rejected", &tool.Session{}, tool.Rejected, nil, `the user rejected tool "x"`},
		{"cancelled", &tool.Session{}, tool.Cancelled, nil, `approval for tool "x" was cancelled`},
		{"unavailable", &tool.Session{}, tool.Unavailable, nil, `tool "x" requires approval, but no approval channel is available`},
		{"another word", &tool.Session{}, "yes", nil, `tool "x" requires approval, but no approval channel is available`},
		{"an error, whatever it says beside", &tool.Session{}, tool.AllowedOnce, errBoom, `tool "x" requires approval, but no approval channel is available`},
		{"nobody's call", nil, tool.AllowedOnce, nil, `tool "x" requires approval, but the call has no agent to route it through`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			asked := ""
			r := registry(t, tool.RegistryOptions{Asker: func(_ context.Context, e *tool.Exec, reason string) (tool.Outcome, error) {
				asked = e.Name + ": " + reason
				return c.outcome, c.err
			}}, define("x"))
			r.OnPreExecute(decide(tool.Ask("why"), nil))
			k := call("x", "")
			k.Session = c.session
			if got := r.Execute(bg, k); c.want == "" {
				success(t, got, "x")
			} else {
				failure(t, got, c.want, "")
			}
			if (asked == "x: why") != (c.session != nil) {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

func TestAskPanicIsUnavailable(t *testing.T) {
	r := registry(t, tool.RegistryOptions{Asker: func(context.Context, *tool.Exec, string) (tool.Outcome, error) { panic("broke") }}, define("x"))
	r.OnPreExecute(decide(tool.Ask(""), nil))
	k := call("x", "")
	k.Session = &tool.Session{}
	failure(t, r.Execute(bg, k), `tool "x" requires approval, but no approval channel is available`, "")
}

func TestAskThatEndsByTheAbortIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	r := registry(t, tool.RegistryOptions{Asker: func(ctx context.Context, _ *tool.Exec, _ string) (tool.Outcome, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}}, define("x"))
	r.OnPreExecute(decide(tool.Ask(""), nil))
	k := call("x", "")
	k.Session = &tool.Session{}
	failure(t, r.Execute(ctx, k), `approval for tool "x" was cancelled`, "")
}

func TestGuards(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("x"))
	parent := r.Scope(nil)
	child := r.Scope(parent)
	var asked []string
	guard := func(name, reason string) tool.Guard {
		return func(context.Context, *tool.Exec) string { asked = append(asked, name); return reason }
	}
	childGuard := child.Guard(guard("child", "child says no"))
	parentGuard := parent.Guard(guard("parent", ""))
	r.Guard(guard("registry", ""))
	r.OnPreExecute(decide(tool.Allow(), nil))
	k := call("x", "")
	success(t, r.Execute(bg, k), "x")
	k.Scope = child
	failure(t, r.Execute(bg, k), "child says no", "")
	same(t, "asked, the widest first", asked, []string{"registry", "registry", "parent", "child"})
	parentGuard()
	asked = nil
	parent.Guard(guard("parent", "parent says no"))
	failure(t, r.Execute(bg, k), "parent says no", "")
	same(t, "the first reason denies", asked, []string{"registry", "parent"})
	k.Scope = parent
	childGuard()
	childGuard()
	failure(t, r.Execute(bg, k), "parent says no", "")
	r.Guard(func(context.Context, *tool.Exec) string { panic("broke") })
	failure(t, r.Execute(bg, k), "broke", "")
}

func TestAbortWhileDeciding(t *testing.T) {
	for _, at := range []string{"pre-execute", "guard"} {
		t.Run(at, func(t *testing.T) {
			ctx, cancel := context.WithCancel(bg)
			r := registry(t, tool.RegistryOptions{}, define("x", body(func(context.Context, *tool.Exec) (tool.Value, error) {
				t.Error("the body ran")
				return text("x"), nil
			})))
			if at == "guard" {
				r.Guard(func(context.Context, *tool.Exec) string { cancel(); return "" })
			} else {
				r.OnPreExecute(func(context.Context, *tool.Exec, nextDecision) (tool.Decision, error) {
					cancel()
					return tool.Allow(), nil
				})
			}
			failure(t, r.Execute(ctx, call("x", "")), "tool call aborted before dispatch", "ABORTED_BEFORE_DISPATCH")
		})
	}
}

func TestAroundExecute(t *testing.T) {
	tries := 0
	r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
		d.Output.Meta = func(_ tool.Args, v tool.Value) any { return v.JSONValue() }
		d.Execute = func(context.Context, *tool.Exec) (tool.Value, error) {
			if tries++; tries < 3 {
				return nil, errBoom
			}
			return text("third"), nil
		}
	}))
	var order []string
	for _, name := range []string{"outer", "inner"} {
		defer r.OnExecute(func(ctx context.Context, _ *tool.Exec, next nextValue) (tool.Value, error) {
			order = append(order, name)
			return next(ctx)
		})()
	}
	retry := r.OnExecute(func(ctx context.Context, _ *tool.Exec, next nextValue) (v tool.Value, err error) {
		for range 3 {
			if v, err = next(ctx); err == nil {
				break
			}
		}
		return v, err
	})
	success(t, r.Execute(bg, call("x", "")), "third")
	same(t, "order", order, []string{"outer", "inner"})
	retry()

	for _, c := range []struct {
		rule          string
		hook          tool.AroundExecute
		message, info string
	}{
		{"an error", func(context.Context, *tool.Exec, nextValue) (tool.Value, error) { return nil, &fsError{"gone"} }, "gone", "FsError"},
		{"a panic", func(context.Context, *tool.Exec, nextValue) (tool.Value, error) { panic("broke") }, "broke", ""},
		{"a value of its own is checked", func(context.Context, *tool.Exec, nextValue) (tool.Value, error) { return data{1}, nil },
			`tool "x" returned invalid output: "value" must be a string`, "ToolOutputError"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			defer r.OnExecute(c.hook)()
			failure(t, r.Execute(bg, call("x", "")), c.message, c.info)
		})
	}

	short := r.OnExecute(func(context.Context, *tool.Exec, nextValue) (tool.Value, error) { return text("short"), nil })
	tries = 0
	got := r.Execute(bg, call("x", ""))
	success(t, got, "short")
	if tries != 0 || got.Meta != "short" {
		t.Errorf("tries %d, meta %v", tries, got.Meta)
	}
	failure(t, r.Execute(bg, call("reed", "")), `unknown tool "reed"`, "ToolNotFoundError")
	short()

	ctx, cancel := context.WithCancel(bg)
	r.OnExecute(func(context.Context, *tool.Exec, nextValue) (tool.Value, error) { cancel(); return text("short"), nil })
	failure(t, r.Execute(ctx, call("x", "")), "tool call aborted before dispatch", "ABORTED_BEFORE_DISPATCH")
}

func TestAbortAfterAFailedCommitThatAHookMadeASuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
		d.Commits = true
		d.Execute = func(context.Context, *tool.Exec) (tool.Value, error) { cancel(); return nil, errBoom }
	}))
	r.OnExecute(func(ctx context.Context, _ *tool.Exec, next nextValue) (tool.Value, error) {
		_, err := next(ctx)
		return text(err.Error()), nil
	})
	var seen tool.Result
	r.OnPostExecute(func(_ context.Context, _ *tool.Exec, res tool.Result, next nextPost) (tool.PostDecision, error) {
		seen = res
		return next()
	})
	failure(t, r.Execute(ctx, call("x", "")), "tool call aborted", "ABORTED")
	failure(t, seen, "tool call aborted", "ABORTED")
}

func TestAroundExecuteContextIsFused(t *testing.T) {
	ctx, cancel := context.WithCancelCause(bg)
	why := errors.New("why")
	type key struct{}
	r := registry(t, tool.RegistryOptions{}, define("x", body(func(ctx context.Context, _ *tool.Exec) (tool.Value, error) {
		if ctx.Value(key{}) != "hook" {
			t.Error("the hook's context did not reach the body")
		}
		cancel(why)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})))
	r.OnExecute(func(_ context.Context, _ *tool.Exec, next nextValue) (tool.Value, error) {
		return next(context.WithValue(context.Background(), key{}, "hook"))
	})
	failure(t, r.Execute(ctx, call("x", "")), "why", "")
}

func TestPostExecute(t *testing.T) {
	replaced := []tool.Block{tool.TextBlock("replaced")}
	r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
		d.Output.Meta = func(_ tool.Args, v tool.Value) any { return "meta of " + v.JSONValue().(string) }
		d.Execute = func(_ context.Context, e *tool.Exec) (tool.Value, error) {
			if len(e.Args.Members()) > 0 {
				return nil, errBoom
			}
			return text("x"), nil
		}
	}))
	run := func(d tool.PostDecision, err error, args string) tool.Result {
		defer r.OnPostExecute(func(context.Context, *tool.Exec, tool.Result, nextPost) (tool.PostDecision, error) { return d, err })()
		return r.Execute(bg, call("x", args))
	}
	want := tool.Result{Content: []tool.Block{tool.TextBlock("x")}, Value: text("x"), Meta: "meta of x"}
	equalResult(t, "accept", run(tool.PostDecision{}, nil, ""), want)

	want.Content = replaced
	equalResult(t, "content replaces content alone", run(tool.PostDecision{Content: replaced}, nil, ""), want)
	equalResult(t, "a value replaces everything", run(tool.PostDecision{Value: text("y")}, nil, ""),
		tool.Result{Content: []tool.Block{tool.TextBlock("y")}, Value: text("y"), Meta: "meta of y"})

	failure(t, run(tool.PostDecision{Value: data{1}}, nil, ""), `tool "x" returned invalid output: "value" must be a string`, "ToolOutputError")
	failure(t, run(tool.PostDecision{Content: replaced, Value: text("y")}, nil, ""), "a result's content or its value can be replaced, not both", "")
	failure(t, run(tool.PostDecision{Block: true, Feedback: "no"}, nil, ""), "no", "")
	failure(t, run(tool.PostDecision{Block: true}, nil, ""), "the result was blocked", "")
	failure(t, run(tool.PostDecision{}, &fsError{"gone"}, ""), "gone", "FsError")
	failure(t, run(tool.PostDecision{Value: text("y")}, nil, `{"a":1}`), "a failed result has no value to replace", "")
	got := run(tool.PostDecision{Content: replaced}, nil, `{"a":1}`)
	if same(t, "content of a failure", got.Content, replaced); !got.IsError || got.Error.Message != "boom" {
		t.Errorf("%+v", got)
	}

	r.OnPostExecute(func(_ context.Context, _ *tool.Exec, res tool.Result, next nextPost) (tool.PostDecision, error) {
		d, err := next()
		d.Feedback += " twice"
		return d, err
	})
	failure(t, run(tool.PostDecision{Block: true, Feedback: "no"}, nil, ""), "no twice", "")
	r.OnPostExecute(func(context.Context, *tool.Exec, tool.Result, nextPost) (tool.PostDecision, error) { panic("broke") })
	failure(t, r.Execute(bg, call("x", "")), "broke", "")
}

func equalResult(t *testing.T, what string, got, want tool.Result) {
	t.Helper()
	same[any](t, what+": value", got.Value.JSONValue(), want.Value.JSONValue())
	got.Value, want.Value = nil, nil
	same(t, what, got, want)
}

func TestAbortWhilePostExecuteRuns(t *testing.T) {
	for _, commits := range []bool{false, true} {
		ctx, cancel := context.WithCancel(bg)
		r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) { d.Commits = commits }))
		r.OnPostExecute(func(context.Context, *tool.Exec, tool.Result, nextPost) (tool.PostDecision, error) {
			cancel()
			return tool.PostDecision{}, nil
		})
		if got := r.Execute(ctx, call("x", "")); commits {
			success(t, got, "x")
		} else {
			failure(t, got, "tool call aborted", "ABORTED")
		}
	}
}

func TestObservers(t *testing.T) {
	var log bytes.Buffer
	r := registry(t, tool.RegistryOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, define("x"))
	var seen []string
	observe := func(_ context.Context, e *tool.Exec, res tool.Result) error {
		seen = append(seen, e.CallID+" "+res.Content[0].Text)
		return nil
	}
	remove := r.OnResult(observe)
	r.OnResult(func(context.Context, *tool.Exec, tool.Result) error { return errBoom })
	r.OnResult(func(context.Context, *tool.Exec, tool.Result) error { panic(hostile{}) })
	r.OnResult(observe)
	success(t, r.Execute(bg, call("x", "")), "x")
	same(t, "seen", seen, []string{"c-x x", "c-x x"})
	for _, want := range []string{"error=boom", "<unprintable thrown value>", "call=c-x", "hooks_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log: %s", want, &log)
		}
	}
	remove()
	r.OnPreExecute(decide(tool.Deny("no"), nil))
	r.Execute(bg, call("x", ""))
	same(t, "a denial is observed too", seen[2:], []string{"c-x Error: no"})
}

func TestHooksThatChangeDuringACall(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("x"))
	second := 0
	var removeSecond func()
	r.OnResult(func(context.Context, *tool.Exec, tool.Result) error { removeSecond(); return nil })
	removeSecond = r.OnResult(func(context.Context, *tool.Exec, tool.Result) error { second++; return nil })
	r.Execute(bg, call("x", ""))
	r.Execute(bg, call("x", ""))
	if second != 1 {
		t.Errorf("the removed observer was told %d times, want 1", second)
	}
}
