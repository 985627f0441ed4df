package tool_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfs/toolfs/tool"
)

// lab is a registry whose tools wait in fake time, and a diary of what happened when.
// Tool r is parallel and w exclusive; the argument d is how many seconds a body takes.
type lab struct {
	*tool.Registry
	mu      sync.Mutex
	diary   []string
	bodies  int
	most    int // bodies that ran at the same time
	began   time.Time
	options tool.BatchOptions
}

func newLab(t testing.TB) *lab {
	l := &lab{Registry: tool.NewRegistry(), began: time.Now()}
	params := tool.MustParseSchema([]byte(`{"type":"object","properties":{"d":{"type":"number"}}}`))
	for _, name := range []string{"r", "w"} {
		register(t, l, define(name, body(l.body), func(d *tool.Definition) {
			d.Parameters = params
			if name == "r" {
				d.ConcurrencySafe = func(tool.Args) bool { return true }
			}
		}))
	}
	l.OnPreExecute(func(_ context.Context, e *tool.Exec, next nextDecision) (tool.Decision, error) {
		l.note("pre " + e.CallID)
		return next()
	})
	l.OnPostExecute(func(_ context.Context, e *tool.Exec, _ tool.Result, next nextPost) (tool.PostDecision, error) {
		l.note("post " + e.CallID)
		return next()
	})
	l.options.OnCall = func(i int, c tool.Call) error { l.note(fmt.Sprintf("call %d%s", i, c.Name)); return nil }
	l.options.OnResult = func(i int, res tool.Result) error {
		l.note(fmt.Sprintf("result %d %s", i, res.Content[0].Text))
		return nil
	}
	return l
}

func (l *lab) body(ctx context.Context, e *tool.Exec) (tool.Value, error) {
	l.mu.Lock()
	l.bodies++
	l.most = max(l.most, l.bodies)
	l.mu.Unlock()
	d, _ := e.Args.Number("d")
	time.Sleep(time.Duration(d.Value) * time.Second)
	l.mu.Lock()
	l.bodies--
	l.mu.Unlock()
	l.note("end " + e.CallID)
	return text(e.CallID), nil
}

func (l *lab) note(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.diary = append(l.diary, fmt.Sprintf("%d: %s", int(time.Since(l.began).Seconds()), s))
}

// of lists the entries of the diary of one sort, by what follows.
func (l *lab) of(sort string) (list []string) {
	for _, e := range l.diary {
		if _, what, _ := strings.Cut(e, ": "); strings.HasPrefix(what, sort+" ") {
			list = append(list, strings.TrimPrefix(what, sort+" "))
		}
	}
	return list
}

// calls makes calls from words such as r3: tool r, three seconds. The ID is the index
// and the word.
func calls(words string) (list []tool.Call) {
	for i, w := range strings.Fields(words) {
		args := ""
		if len(w) > 1 {
			args = `{"d":` + w[1:] + `}`
		}
		list = append(list, tool.Call{ID: fmt.Sprintf("%d%s", i, w), Name: w[:1], Arguments: []byte(args)})
	}
	return list
}

func texts(results []tool.Result) (list []string) {
	for _, r := range results {
		list = append(list, r.Content[0].Text)
	}
	return list
}

const cutShort = "Error: tool call aborted before dispatch"

// bubble runs a test in fake time.
func bubble(t *testing.T, name string, f func(t *testing.T, l *lab)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, newLab(t)) })
	})
}

func (l *lab) batch(t *testing.T, ctx context.Context, words string) []string {
	t.Helper()
	results, err := l.Batch(ctx, calls(words), l.options)
	if err != nil {
		t.Error(err)
	}
	return texts(results)
}

func TestBatchOverlap(t *testing.T) {
	for _, c := range []struct {
		rule, calls   string
		cap           int
		seconds, most int
	}{
		{"no calls", "", 0, 0, 0},
		{"parallel calls overlap", "r1 r2 r3", 0, 3, 3},
		{"an exclusive call is a barrier on both sides", "r1 r3 w1 r2 r1", 0, 6, 2},
		{"exclusive calls run one by one", "w1 w1 w1", 0, 3, 1},
		{"ten at a time", strings.Repeat("r1 ", 12), 0, 2, 10},
		{"the cap is held and refilled at once", "r1 r3 r1 r1", 2, 3, 2},
		{"a slow first call holds up no start", "r9 r1 r1 r1 r1 r1", 2, 9, 2},
		{"a cap of one is serial", "r1 r1 r1", 1, 3, 1},
	} {
		bubble(t, c.rule, func(t *testing.T, l *lab) {
			l.options.MaxParallel = c.cap
			got := l.batch(t, t.Context(), c.calls)
			if s := int(time.Since(l.began).Seconds()); s != c.seconds || l.most != c.most {
				t.Errorf("%d seconds and %d at a time, want %d and %d\n%s", s, l.most, c.seconds, c.most, strings.Join(l.diary, "\n"))
			}
			var ids []string
			for _, k := range calls(c.calls) {
				ids = append(ids, k.ID)
			}
			same(t, "results in model order", got, ids)
			same(t, "pre in model order", l.of("pre"), ids)
			same(t, "post in model order", l.of("post"), ids)
		})
	}
}

func TestBatchOrderOfEverything(t *testing.T) {
	bubble(t, "only bodies overlap", func(t *testing.T, l *lab) {
		l.batch(t, t.Context(), "r2 r1 w1")
		same(t, "diary", l.diary, []string{
			"0: call 0r", "0: pre 0r2", "0: call 1r", "0: pre 1r1",
			"1: end 1r1",
			"2: end 0r2", "2: post 0r2", "2: result 0 0r2", "2: post 1r1", "2: result 1 1r1",
			"2: call 2w", "2: pre 2w1", "3: end 2w1", "3: post 2w1", "3: result 2 2w1",
		})
	})
	bubble(t, "a result is told before the next call starts", func(t *testing.T, l *lab) {
		l.options.MaxParallel = 2
		l.batch(t, t.Context(), "r1 r3 r1")
		same(t, "start of the third", l.diary[4:8], []string{"1: end 0r1", "1: post 0r1", "1: result 0 0r1", "1: call 2r"})
	})
	bubble(t, "a denied call runs no body and keeps its place", func(t *testing.T, l *lab) {
		l.Guard(func(_ context.Context, e *tool.Exec) string {
			if e.CallID == "1r2" {
				return "denied"
			}
			return ""
		})
		same(t, "results", l.batch(t, t.Context(), "r1 r2 r1"), []string{"0r1", "Error: denied", "2r1"})
		if s := time.Since(l.began); s != time.Second {
			t.Errorf("took %v", s)
		}
	})
}

func TestBatchClassification(t *testing.T) {
	bubble(t, "invalid and unknown calls are exclusive", func(t *testing.T, l *lab) {
		k := calls("r2 r1 x r1")
		k[1].Arguments = []byte(`{"d":"no"}`)
		if _, err := l.Batch(t.Context(), k, l.options); err != nil {
			t.Fatal(err)
		}
		same(t, "order", l.diary[:7], []string{"0: call 0r", "0: pre 0r2", "2: end 0r2", "2: post 0r2", "2: result 0 0r2", "2: call 1r", "2: pre 1r1"})
		if !slices.Contains(l.diary, "2: call 3r") || l.most != 1 {
			t.Error(l.diary)
		}
	})
	bubble(t, "a call is classified again after a barrier", func(t *testing.T, l *lab) {
		dispose := register(t, l, define("n", body(l.body)))
		tell := l.options.OnResult
		l.options.OnResult = func(i int, res tool.Result) error {
			if i == 0 {
				dispose()
				register(t, l, define("n", body(l.body), func(d *tool.Definition) {
					d.ConcurrencySafe = func(tool.Args) bool { return true }
				}))
			}
			return tell(i, res)
		}
		l.batch(t, t.Context(), "w1 n1 n1")
		if s := time.Since(l.began); s != 2*time.Second || l.most != 2 {
			t.Errorf("took %v, %d at a time", s, l.most)
		}
	})
	bubble(t, "a call that turns exclusive mid-pool waits for the pool", func(t *testing.T, l *lab) {
		safe := true
		register(t, l, define("n", body(l.body), func(d *tool.Definition) {
			d.ConcurrencySafe = func(tool.Args) bool { return safe }
		}))
		l.options.MaxParallel = 2
		tell := l.options.OnResult
		l.options.OnResult = func(i int, res tool.Result) error { safe = false; return tell(i, res) }
		l.batch(t, t.Context(), "n1 n3 n1 n1")
		same(t, "starts", slices.DeleteFunc(slices.Clone(l.diary), func(s string) bool { return !strings.Contains(s, "call") }),
			[]string{"0: call 0n", "0: call 1n", "3: call 2n", "4: call 3n"})
	})
}

func TestBatchAbort(t *testing.T) {
	bubble(t, "before the batch nothing starts", func(t *testing.T, l *lab) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		results, err := l.Batch(ctx, calls("r1 w1"), l.options)
		if err != nil {
			t.Fatal(err)
		}
		for _, res := range results {
			failure(t, res, "tool call aborted before dispatch", "ABORTED_BEFORE_DISPATCH")
		}
		same(t, "diary", l.diary, []string{"0: call 0r", "0: result 0 " + cutShort, "0: call 1w", "0: result 1 " + cutShort})
	})
	bubble(t, "mid-pool, what started is awaited and the rest made up", func(t *testing.T, l *lab) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		l.options.MaxParallel = 2
		same(t, "results", l.batch(t, ctx, "r2 r3 r1 w1"), []string{"Error: tool call aborted", "Error: tool call aborted", cutShort, cutShort})
		same(t, "diary", l.diary[4:], []string{
			"2: end 0r2", "2: post 0r2", "2: result 0 Error: tool call aborted",
			"3: end 1r3", "3: post 1r3", "3: result 1 Error: tool call aborted",
			"3: call 2r", "3: result 2 " + cutShort, "3: call 3w", "3: result 3 " + cutShort,
		})
	})
	bubble(t, "a barrier does not run after it", func(t *testing.T, l *lab) {
		ctx, cancel := context.WithCancel(t.Context())
		tell := l.options.OnResult
		l.options.OnResult = func(i int, res tool.Result) error { cancel(); return tell(i, res) }
		same(t, "results", l.batch(t, ctx, "r1 w1 r1"), []string{"0r1", cutShort, cutShort})
		same(t, "bodies", l.of("end"), []string{"0r1"})
	})
	bubble(t, "during pre-execute it stops the siblings", func(t *testing.T, l *lab) {
		ctx, cancel := context.WithCancel(t.Context())
		l.Guard(func(context.Context, *tool.Exec) string { cancel(); return "" })
		same(t, "results", l.batch(t, ctx, "r1 r1"), []string{cutShort, cutShort})
		same(t, "pre", l.of("pre"), []string{"0r1"})
		same(t, "bodies", l.of("end"), nil)
	})
}

func TestBatchFailureOfACallback(t *testing.T) {
	for _, c := range []struct {
		rule string
		set  func(l *lab)
		want string
		told []string
	}{
		{"OnCall", func(l *lab) {
			l.options.OnCall = func(i int, _ tool.Call) error {
				if i == 2 {
					return errBoom
				}
				return nil
			}
		}, "boom", nil},
		{"OnResult", func(l *lab) { l.options.OnResult = func(int, tool.Result) error { return errBoom } }, "boom", []string{"0r1"}},
		{"a panic", func(l *lab) { l.options.OnResult = func(int, tool.Result) error { panic("broke") } }, "broke", []string{"0r1"}},
	} {
		bubble(t, c.rule, func(t *testing.T, l *lab) {
			c.set(l)
			results, err := l.Batch(t.Context(), calls("r1 r3 r2 w1"), l.options)
			errorText(t, err, c.want)
			same(t, "results", texts(results), c.told)
			if l.bodies != 0 || len(l.of("end")) != len(l.of("pre")) {
				t.Error("a body that started was not awaited")
			}
			if slices.ContainsFunc(l.of("pre"), func(s string) bool { return s[0] == '3' }) {
				t.Error("a call started after the failure")
			}
		})
	}
}

func TestBatchRefusesANegativeCap(t *testing.T) {
	_, err := tool.NewRegistry().Batch(bg, calls("r"), tool.BatchOptions{MaxParallel: -1})
	errorText(t, err, "maxParallelToolCalls must be a positive integer")
}

func TestBatchSurvivesABodyThatEndsItsGoroutine(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("x", body(func(context.Context, *tool.Exec) (tool.Value, error) {
		runtime.Goexit()
		return nil, nil
	})), define("y"))
	results, err := r.Batch(bg, calls("x y"), tool.BatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "results", texts(results), []string{"Error: the tool ended without a result", "y"})
}

func TestMode(t *testing.T) {
	answer := func(f func(tool.Args) bool) func(*tool.Definition) {
		return func(d *tool.Definition) {
			d.Parameters, d.ConcurrencySafe = tool.MustParseSchema([]byte(readParams)), f
		}
	}
	r := registry(t, tool.RegistryOptions{},
		define("yes", answer(func(tool.Args) bool { return true })),
		define("any", func(d *tool.Definition) { d.ConcurrencySafe = func(tool.Args) bool { return true } }),
		define("no", answer(func(tool.Args) bool { return false })),
		define("none", answer(nil)),
		define("panics", answer(func(tool.Args) bool { panic("broke") })),
		define("some", answer(func(a tool.Args) bool { s, _ := a.String("file_path"); return s == "a" })))
	hidden := r.Scope(nil)
	restrict(t, hidden, tool.Restriction{Deny: []string{"yes"}})
	for _, c := range []struct {
		rule, tool, args string
		scope            *tool.Scope
		want             tool.Mode
	}{
		{"it says so", "yes", `{"file_path":"a"}`, nil, tool.Parallel},
		{"it says no", "no", `{"file_path":"a"}`, nil, tool.Exclusive},
		{"it does not say", "none", `{"file_path":"a"}`, nil, tool.Exclusive},
		{"it panics", "panics", `{"file_path":"a"}`, nil, tool.Exclusive},
		{"it depends, yes", "some", `{"file_path":"a"}`, nil, tool.Parallel},
		{"it depends, no", "some", `{"file_path":"b"}`, nil, tool.Exclusive},
		{"invalid arguments", "yes", `{}`, nil, tool.Exclusive},
		{"no JSON", "yes", `{bad`, nil, tool.Exclusive},
		{"overflow", "yes", `{"file_path":"a","limit":1e999}`, nil, tool.Exclusive},
		{"no JSON where everything is optional", "any", `{bad`, nil, tool.Exclusive},
		{"everything is optional", "any", ``, nil, tool.Parallel},
		{"unknown", "reed", `{}`, nil, tool.Exclusive},
		{"hidden", "yes", `{"file_path":"a"}`, hidden, tool.Exclusive},
	} {
		k := call(c.tool, c.args)
		k.Scope = c.scope
		if got := r.Mode(k); got != c.want {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
	}
	same(t, "names", tool.Exclusive.String()+" "+tool.Parallel.String(), "exclusive parallel")
}

func TestRegistryIsSafeForConcurrentUse(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("x"))
	s := r.Scope(nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				k := call("x", `{"a":1}`)
				k.Scope = s
				r.Execute(bg, k)
				if dispose, err := s.Register(define("x")); err == nil {
					dispose()
				}
				if dispose, err := s.Restrict(tool.Restriction{Deny: []string{"x"}}); err == nil {
					dispose()
				}
				r.OnChange(func() error { return nil })()
				s.Guard(func(context.Context, *tool.Exec) string { return "" })()
				r.OnResult(func(context.Context, *tool.Exec, tool.Result) error { return nil })()
				r.Schemas(s)
			}
		})
	}
	wg.Wait()
}
