package tool_test

import (
	"context"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

func restrict(t testing.TB, s *tool.Scope, f tool.Restriction) (dispose func()) {
	t.Helper()
	dispose, err := s.Restrict(f)
	if err != nil {
		t.Fatal(err)
	}
	return dispose
}

func TestScopeShadows(t *testing.T) {
	r := tool.NewRegistry()
	s := r.Scope(nil)
	own := define("x")
	dispose := register(t, s, own)
	global := define("x")
	register(t, r, global)
	register(t, r, define("y"))
	child := r.Scope(s)

	for what, scope := range map[string]*tool.Scope{"the scope": s, "a scope below": child} {
		if def, _ := r.Get("x", scope); def != own {
			t.Errorf("%s does not see the scope's own tool", what)
		}
		same(t, "tools of "+what, names(r, scope), "x y")
	}
	for what, scope := range map[string]*tool.Scope{"everybody": nil, "a scope beside": r.Scope(nil)} {
		if def, _ := r.Get("x", scope); def != global {
			t.Errorf("%s does not see the global tool", what)
		}
	}
	_, err := s.Register(define("x"))
	errorText(t, err, `tool "x" is already registered in this scope`)
	dispose()
	if def, _ := r.Get("x", s); def != global {
		t.Error("the shadow stays")
	}
}

func TestRestrict(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("a"), define("b"), define("c"))
	s := r.Scope(nil)
	register(t, s, define("own"))
	allow := restrict(t, s, tool.Restriction{Allow: []string{"a", "b"}})
	same(t, "allow", names(r, s), "a b own")
	deny := restrict(t, s, tool.Restriction{Deny: []string{"a"}})
	same(t, "restrictions intersect", names(r, s), "b own")
	same(t, "a scope below inherits what is left", names(r, r.Scope(s)), "b own")
	same(t, "others see everything", names(r, r.Scope(nil)), "a b c")
	allow()
	allow()
	same(t, "each is lifted alone", names(r, s), "b c own")
	deny()
	same(t, "all lifted", names(r, s), "a b c own")
	restrict(t, s, tool.Restriction{Allow: []string{}})
	same(t, "an empty list allows nothing inherited", names(r, s), "own")
}

func TestRestrictHidesWhatAnAncestorRegistered(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("a"))
	parent := r.Scope(nil)
	register(t, parent, define("p"))
	child := r.Scope(parent)
	restrict(t, child, tool.Restriction{Deny: []string{"p"}})
	same(t, "child", names(r, child), "a")
	same(t, "parent", names(r, parent), "a p")
	register(t, child, define("p"))
	same(t, "its own is never hidden", names(r, child), "a p")
}

func TestRestrictFailures(t *testing.T) {
	empty := tool.NewRegistry()
	r := registry(t, tool.RegistryOptions{}, define("b"), define("a"))
	_, err := r.Restrict(tool.Restriction{Deny: []string{"a"}})
	errorText(t, err, "tools.restrict() requires a scoped context (agent.ctx): a context-global restriction would mask every agent — deny the tool for the intended agent instead")
	for _, c := range []struct {
		rule string
		r    *tool.Registry
		f    tool.Restriction
		want string
	}{
		{"neither", r, tool.Restriction{}, "tools.restrict({}) is a no-op: pass `allow` and/or `deny` (an empty filter is almost always a materialized-empty-config bug)"},
		{"one unknown name", r, tool.Restriction{Allow: []string{"a", "x"}}, `tools.restrict() names unknown global tool "x"; known global tools: a, b`},
		{"several, each once", r, tool.Restriction{Allow: []string{"x", "a"}, Deny: []string{"y", "x"}}, `tools.restrict() names unknown global tools "x", "y"; known global tools: a, b`},
		{"nothing is known", empty, tool.Restriction{Deny: []string{"x"}}, `tools.restrict() names unknown global tool "x"; known global tools: (none)`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := c.r.Scope(nil)
			_, err := s.Restrict(c.f)
			errorText(t, err, c.want)
			same(t, "nothing is hidden", names(c.r, s), names(c.r, nil))
		})
	}
	s := r.Scope(nil)
	register(t, s, define("own"))
	_, err = s.Restrict(tool.Restriction{Deny: []string{"own"}})
	errorText(t, err, `tools.restrict() names unknown global tool "own"; known global tools: a, b`)
}

func TestRestrictCopiesItsLists(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("a"), define("b"))
	s := r.Scope(nil)
	list := []string{"a"}
	restrict(t, s, tool.Restriction{Allow: list})
	list[0] = "b"
	same(t, "tools", names(r, s), "a")
}

func TestRestrictedToolIsUnknown(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("a"))
	s := r.Scope(nil)
	restrict(t, s, tool.Restriction{Deny: []string{"a"}})
	c := call("a", "")
	success(t, r.Execute(context.Background(), c), "a")
	c.Scope = s
	failure(t, r.Execute(context.Background(), c), `unknown tool "a"`, "ToolNotFoundError")
}

func TestScopeOfAnotherRegistrySeesNothing(t *testing.T) {
	r := registry(t, tool.RegistryOptions{}, define("a"))
	other := tool.NewRegistry().Scope(nil)
	same(t, "tools", names(r, other), "")
	if _, ok := r.Get("a", other); ok {
		t.Error("a foreign scope finds a tool")
	}
}
