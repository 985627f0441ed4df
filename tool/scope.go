package tool

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolfs/toolfs/internal/listeners"
)

// Scope is the tools of one session or agent: its own, and those it inherits from its
// parent and from everybody's. The registry keeps no hold of it. Safe for concurrent
// use. Contract section 3.2.
type Scope struct {
	registry *Registry
	parent   *Scope

	own     layer          // guarded by registry.mu
	filters []*Restriction // guarded by registry.mu
	guards  listeners.List[Guard]
}

// Scope makes a scope below parent; nil means directly below everybody's tools. parent
// must be of the same registry.
func (r *Registry) Scope(parent *Scope) *Scope { return &Scope{registry: r, parent: parent} }

// Register files a tool for this scope and those below it, where it shadows one of the
// same name that is inherited. Otherwise like Registry.Register.
func (s *Scope) Register(def *Definition) (dispose func(), err error) {
	return s.registry.register(&s.own, def, `tool "%s" is already registered in this scope`)
}

// Restriction names inherited tools: those in Allow pass and no others, those in Deny
// do not. nil means not given; a list that is empty is given.
type Restriction struct {
	Allow []string
	Deny  []string
}

func (f *Restriction) passes(name string) bool {
	return (f.Allow == nil || slices.Contains(f.Allow, name)) && !slices.Contains(f.Deny, name)
}

// passes reports whether an inherited name is visible here. The caller holds mu.
func (s *Scope) passes(name string) bool {
	for _, f := range s.filters {
		if !f.passes(name) {
			return false
		}
	}
	return true
}

// Restrict hides tools that the scope inherits, never its own registrations. Several
// restrictions intersect. dispose lifts this one, once. The error is uncoded: neither
// list given, a name that nothing inherited has, or what a change listener returned.
// Contract section 3.2.
func (s *Scope) Restrict(f Restriction) (dispose func(), err error) {
	if f.Allow == nil && f.Deny == nil {
		return nil, errors.New("tools.restrict({}) is a no-op: pass `allow` and/or `deny` (an empty filter is almost always a materialized-empty-config bug)")
	}
	filter := &Restriction{slices.Clone(f.Allow), slices.Clone(f.Deny)}
	r := s.registry
	r.mu.Lock()
	if err := s.knows(filter); err != nil {
		r.mu.Unlock()
		return nil, err
	}
	s.filters = append(s.filters, filter)
	r.mu.Unlock()

	return r.change(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.filters = slices.DeleteFunc(s.filters, func(e *Restriction) bool { return e == filter })
	})
}

// knows refuses names that no layer has which the scope inherits from: a misspelt
// restriction would restrict nothing. The caller holds mu.
func (s *Scope) knows(f *Restriction) error {
	inherited := maps.Clone(s.registry.global)
	if inherited == nil {
		inherited = layer{}
	}
	for p := s.parent; p != nil; p = p.parent {
		maps.Copy(inherited, p.own)
	}
	var unknown []string
	for _, name := range slices.Concat(f.Allow, f.Deny) {
		quoted := `"` + name + `"`
		if inherited[name] == nil && !slices.Contains(unknown, quoted) {
			unknown = append(unknown, quoted)
		}
	}
	if unknown == nil {
		return nil
	}
	plural := ""
	if len(unknown) > 1 {
		plural = "s"
	}
	known := "(none)"
	if len(inherited) > 0 {
		known = strings.Join(slices.Sorted(maps.Keys(inherited)), ", ")
	}
	return fmt.Errorf("tools.restrict() names unknown global tool%s %s; known global tools: %s",
		plural, strings.Join(unknown, ", "), known)
}

// Restrict on the registry always fails: it would take a tool from everybody. It is
// there so that the mistake is told, not guessed at. Contract section 3.2.
func (r *Registry) Restrict(Restriction) (dispose func(), err error) {
	return nil, errors.New("tools.restrict() requires a scoped context (agent.ctx): a context-global restriction would mask every agent — deny the tool for the intended agent instead")
}

// Guard adds a guard for the calls of this scope and those below it; see
// Registry.Guard. remove may be called more than once.
func (s *Scope) Guard(g Guard) (remove func()) { return s.guards.Add(g) }
