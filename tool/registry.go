package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolfs/toolfs/internal/listeners"
)

// Registry holds tools and runs them. Safe for concurrent use; no lock is held while
// it calls a tool, a hook or a listener, so each may call the registry again.
// Contract section 3.
type Registry struct {
	mu     sync.RWMutex // guards global, seq, and the layers of every scope
	global layer
	seq    uint64

	changes listeners.List[func() error]
	pre     listeners.List[PreExecute]
	guards  listeners.List[Guard]
	around  listeners.List[AroundExecute]
	post    listeners.List[PostExecute]
	results listeners.List[ResultObserver]

	ask Asker
	log *slog.Logger
}

// RegistryOptions are what a registry may be given. The zero value is useful.
type RegistryOptions struct {
	// Asker answers the ask decisions of pre-execute hooks; nil means that there is
	// nobody to ask, and asking denies.
	Asker Asker
	// Logger is told what nobody else is: the failures of observers, and the stack of
	// a panic. nil means that these are dropped.
	Logger *slog.Logger
}

// NewRegistry makes an empty registry without options.
func NewRegistry() *Registry { return NewRegistryWith(RegistryOptions{}) }

// NewRegistryWith makes an empty registry.
func NewRegistryWith(o RegistryOptions) *Registry {
	r := &Registry{ask: o.Asker, log: o.Logger}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r
}

// layer is the tools that were registered in one place, by name.
type layer map[string]*entry

type entry struct {
	def *Definition
	seq uint64 // orders registrations over all layers
}

// Register files a tool for everybody. dispose takes it out again, once; it may be
// called at any time. The error is uncoded: an incomplete declaration, a name that is
// taken, or what a change listener returned, and then the tool is not registered.
// Contract section 3.2.
func (r *Registry) Register(def *Definition) (dispose func(), err error) {
	taken := "tool \"%s\" is already registered (for a per-agent variant, register through that agent's `agent.ctx` instead)"
	return r.register(&r.global, def, taken)
}

func (r *Registry) register(l *layer, def *Definition, taken string) (dispose func(), err error) {
	if err := complete(def); err != nil {
		return nil, err
	}
	r.mu.Lock()
	if (*l)[def.Name] != nil {
		r.mu.Unlock()
		return nil, fmt.Errorf(taken, def.Name)
	}
	if *l == nil {
		*l = layer{}
	}
	r.seq++
	(*l)[def.Name] = &entry{def, r.seq}
	r.mu.Unlock()

	return r.change(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(*l, def.Name)
	})
}

// complete checks what a definition must declare.
func complete(def *Definition) error {
	switch {
	case def == nil || def.Name == "":
		return errors.New("tool name must be a non-empty string")
	case def.Output.Schema == nil || def.Output.Render == nil:
		return fmt.Errorf(`tool "%s" must declare output { schema, render, presentationMeta? }`, def.Name)
	case def.Description == "":
		return fmt.Errorf(`tool "%s" must declare a description`, def.Name)
	case def.Parameters == nil || def.Parameters.root.kind != objectKind:
		return fmt.Errorf(`tool "%s" must declare parameters of type object`, def.Name)
	case def.Execute == nil:
		return fmt.Errorf(`tool "%s" must declare execute`, def.Name)
	}
	return nil
}

// OnChange adds a listener that is told after a tool or a restriction was added or
// removed, in whatever layer, on the goroutine that did it. An error or a panic while
// something is added undoes that and goes to whoever added; while something is removed
// it is logged. Changes made at the same time are told at the same time.
func (r *Registry) OnChange(listener func() error) (remove func()) { return r.changes.Add(listener) }

// change tells of what was just added, and undoes it when a listener objects. Those
// who had been told already are told again.
func (r *Registry) change(undo func()) (dispose func(), err error) {
	all := r.changes.All()
	for i, l := range all {
		if err := r.tell(*l); err != nil {
			undo()
			r.tellAll(all[:i])
			return nil, err
		}
	}
	var gone atomic.Bool // not a sync.Once: a listener may dispose again
	return func() {
		if gone.CompareAndSwap(false, true) {
			undo()
			r.tellAll(r.changes.All())
		}
	}, nil
}

func (r *Registry) tellAll(list []*func() error) {
	for _, l := range list {
		if err := r.tell(*l); err != nil {
			r.log.Error("a listener of tool changes failed", "error", messageOf(err))
		}
	}
}

func (r *Registry) tell(listener func() error) (err error) {
	defer r.recovered(&err)
	return listener()
}

// Get finds a tool that is visible in scope; nil is the global scope. Contract
// section 3.2.
func (r *Registry) Get(name string, scope *Scope) (def *Definition, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.resolve(name, scope); e != nil {
		return e.def, true
	}
	return nil, false
}

// resolve is the one rule of visibility: a scope's own registration, else what it
// inherits unless it restricts that. A scope of another registry sees nothing. The
// caller holds mu.
func (r *Registry) resolve(name string, scope *Scope) *entry {
	for s := scope; s != nil; s = s.parent {
		if s.registry != r {
			return nil
		}
		if e := s.own[name]; e != nil {
			return e
		}
		if !s.passes(name) {
			return nil
		}
	}
	return r.global[name]
}

// Definitions lists the tools that are visible in scope, by the order of registration.
func (r *Registry) Definitions(scope *Scope) []*Definition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var entries []*entry
	collect := func(l layer) {
		for name, e := range l {
			if r.resolve(name, scope) == e {
				entries = append(entries, e)
			}
		}
	}
	collect(r.global)
	for s := scope; s != nil; s = s.parent {
		collect(s.own)
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	defs := make([]*Definition, len(entries))
	for i, e := range entries {
		defs[i] = e.def
	}
	return defs
}

// Declaration is what a model is told of a tool, and all of it.
type Declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Schemas lists what a model is told of the tools that are visible in scope, by the
// order of registration. The caller may change what it gets.
func (r *Registry) Schemas(scope *Scope) []Declaration {
	defs := r.Definitions(scope)
	list := make([]Declaration, len(defs))
	for i, def := range defs {
		list[i] = Declaration{def.Name, def.Description, def.Parameters.JSON()}
	}
	return list
}
