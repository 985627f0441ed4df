package tool_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

func names(r *tool.Registry, s *tool.Scope) string {
	var list []string
	for _, d := range r.Definitions(s) {
		list = append(list, d.Name)
	}
	return strings.Join(list, " ")
}

func TestRegisterRefusesIncompleteDefinitions(t *testing.T) {
	for _, c := range []struct {
		rule, want string
		change     func(*tool.Definition)
	}{
		{"no output schema", `tool "x" must declare output { schema, render, presentationMeta? }`, func(d *tool.Definition) { d.Output.Schema = nil }},
		{"no render", `tool "x" must declare output { schema, render, presentationMeta? }`, func(d *tool.Definition) { d.Output.Render = nil }},
		{"no name", `tool name must be a non-empty string`, func(d *tool.Definition) { d.Name = "" }},
		{"no description", `tool "x" must declare a description`, func(d *tool.Definition) { d.Description = "" }},
		{"no parameters", `tool "x" must declare parameters of type object`, func(d *tool.Definition) { d.Parameters = nil }},
		{"parameters that are no object", `tool "x" must declare parameters of type object`, func(d *tool.Definition) { d.Parameters = stringOut }},
		{"no body", `tool "x" must declare execute`, func(d *tool.Definition) { d.Execute = nil }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := tool.NewRegistry()
			_, err := r.Register(define("x", c.change))
			errorText(t, err, c.want)
			same(t, "tools", names(r, nil), "")
		})
	}
}

func TestRegister(t *testing.T) {
	r := tool.NewRegistry()
	register(t, r, define("b"))
	dispose := register(t, r, define("a"))
	register(t, r, define("c"))
	same(t, "order of registration", names(r, nil), "b a c")

	_, err := r.Register(define("a"))
	errorText(t, err, "tool \"a\" is already registered (for a per-agent variant, register through that agent's `agent.ctx` instead)")

	dispose()
	same(t, "after disposal", names(r, nil), "b c")
	again := define("a")
	register(t, r, again)
	dispose()
	same(t, "a disposer is spent after one use", names(r, nil), "b c a")
	if def, ok := r.Get("a", nil); !ok || def != again {
		t.Error("Get does not find what was registered")
	}
	if _, ok := r.Get("A", nil); ok {
		t.Error("Get finds what was not registered")
	}
}

func TestSchemasAreIndependentAndHoldNothingElse(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("x", func(d *tool.Definition) {
		d.Title, d.ConcurrencySafe = "X", func(tool.Args) bool { return true }
		d.Parameters = tool.MustParseSchema([]byte(readParams))
	}))
	const want = `[{"name":"x","description":"does x","parameters":` + readParams + `}]`
	first := r.Schemas(nil)
	got, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "schemas", string(got), want)
	copy(first[0].Parameters, "XXXX")
	got, _ = json.Marshal(r.Schemas(nil))
	same(t, "schemas after a caller changed its own", string(got), want)
}

func TestOnChange(t *testing.T) {
	r := tool.NewRegistry()
	var seen []string
	remove := r.OnChange(func() error { seen = append(seen, names(r, nil)); return nil })
	dispose := register(t, r, define("a"))
	register(t, r, define("b"))
	dispose()
	dispose()
	s := r.Scope(nil)
	register(t, s, define("own"))()
	remove()
	remove()
	register(t, r, define("c"))
	same(t, "what the listener saw", seen, []string{"a", "a b", "b", "b", "b"})
}

func TestOnChangeFailureRollsBack(t *testing.T) {
	for _, c := range []struct {
		rule string
		fail func() error
		want string
	}{
		{"an error", func() error { return errBoom }, "boom"},
		{"a panic", func() error { panic("broke") }, "broke"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := tool.NewRegistry()
			var before, after []string
			r.OnChange(func() error { before = append(before, names(r, nil)); return nil })
			remove := r.OnChange(c.fail)
			r.OnChange(func() error { after = append(after, names(r, nil)); return nil })
			dispose, err := r.Register(define("a"))
			errorText(t, err, c.want)
			if dispose != nil {
				t.Error("a disposer for what is not registered")
			}
			same(t, "tools", names(r, nil), "")
			same(t, "who was told is told again", before, []string{"a", ""})
			same(t, "who was not told stays so", after, nil)

			s := r.Scope(nil)
			if _, err := s.Register(define("own")); err == nil || names(r, s) != "" {
				t.Error("a scoped registration is not rolled back")
			}
			remove()
			register(t, r, define("a"))
			same(t, "the name is free again", names(r, nil), "a")
		})
	}
}

func TestOnChangeFailureWhileRemovingIsLogged(t *testing.T) {
	var log bytes.Buffer
	r := tool.NewRegistryWith(tool.RegistryOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	dispose := register(t, r, define("a"))
	r.OnChange(func() error { return errBoom })
	told := 0
	r.OnChange(func() error { told++; return nil })
	dispose()
	if names(r, nil) != "" || told != 1 || !strings.Contains(log.String(), "boom") {
		t.Errorf("tools %q, told %d, log %q", names(r, nil), told, &log)
	}
}

func TestDisposeInsideItsOwnListener(t *testing.T) {
	r := tool.NewRegistry()
	dispose := register(t, r, define("a"))
	r.OnChange(func() error { dispose(); return nil })
	dispose()
	same(t, "tools", names(r, nil), "")
}
