// Package toolfs is the file tools that a language model works with: list, read,
// write, edit, glob and grep, over any vfs.Provider, with a policy gate between what a model has
// seen and what it may change.
//
// New puts the tools together; Execute runs a call and always gives a result. The
// values, limits and guidance here are the whole vocabulary of somebody who embeds
// the tools. The package knows no protocol and no screen.
package toolfs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/internal/spill"
	"github.com/toolfs/toolfs/policy"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// Options says what a Toolset works on. Only Provider is required.
type Options struct {
	// Provider holds the files.
	Provider vfs.Provider

	// Limits bounds what one call returns; the zero value takes the defaults.
	Limits Limits

	// Gate is where further listeners are attached; nil makes a new one.
	Gate *gate.Gate

	// Observe is the ledger of what each session has read, which the tools enforce:
	// nil makes a new one. With Unguarded there is none at all: every write and edit
	// is unconditional (and still atomic).
	Observe   *policy.Observe
	Unguarded bool

	// Search configures glob and grep.
	Search SearchOptions

	// Sandbox knows the standing policy of each session. It is required with a Provider
	// that confines (vfs.Confiner), and not used with any other.
	Sandbox *sandbox.Service

	// Approval is asked when a call wants to do more than its policy allows; without it
	// such a call fails.
	Approval *approval.Service

	// Registry configures the execution of calls.
	Registry tool.RegistryOptions
}

// Section is a piece of guidance for the system prompt; sections ascend by Order.
// Contract section 5.3.
type Section struct {
	Name  string
	Order int
	Text  string
}

// Toolset is the tools, ready to be called. Safe for concurrent use.
type Toolset struct {
	registry *tool.Registry
	observe  *policy.Observe
	files    *files
	sections []Section
	dispose  []func() // undone in reverse

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
}

// New puts the tools over a provider. An Options that makes no sense is an error
// whose text names the field.
func New(o Options) (*Toolset, error) {
	if o.Provider == nil {
		return nil, errors.New("tool-fs: a provider is required")
	}
	limits, err := o.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.Gate == nil {
		o.Gate = &gate.Gate{}
	}
	t := &Toolset{registry: tool.NewRegistryWith(o.Registry)}
	if !o.Unguarded {
		t.observe = o.Observe
		if t.observe == nil {
			t.observe = policy.NewObserve(policy.Options{})
		}
		t.dispose = append(t.dispose, t.observe.Attach(o.Gate))
	}
	f := &files{provider: o.Provider, gate: o.Gate, limits: limits, search: o.Search, approval: o.Approval}
	if vfs.SandboxMode(o.Provider) != "" {
		if f.sandbox = o.Sandbox; f.sandbox == nil {
			return nil, errors.New("tool-fs: the mounted filesystem confines but ctx.sandboxPolicy is missing")
		}
	}
	t.files = f
	if o.Search.ResultsDir != "" {
		f.results = spill.New(o.Search.ResultsDir)
	}
	makers := []func(*files) (*tool.Definition, string, error){listTool, readTool, writeTool, editTool, globTool, grepTool}
	if o.Search.Off {
		makers = makers[:4]
	}
	for i, make := range makers {
		def, guidance, err := make(f)
		if err != nil {
			return nil, err
		}
		remove, err := t.registry.Register(def)
		if err != nil {
			return nil, err
		}
		t.dispose = append(t.dispose, remove)
		t.sections = append(t.sections, Section{Name: "tool:" + def.Name, Order: firstSection + i, Text: guidance})
	}
	return t, nil
}

// firstSection is the order of the first tool's guidance. Contract section 5.3.
const firstSection = 99

// Registry gives access to the tools' definitions, restrictions, hooks and batches.
func (t *Toolset) Registry() *tool.Registry { return t.registry }

// Observe is the ledger of what sessions have seen, or nil for an unguarded set.
func (t *Toolset) Observe() *policy.Observe { return t.observe }

// Sections is the guidance for the system prompt, in order. It is the same whichever
// tools are restricted, and empty after Close.
func (t *Toolset) Sections() []Section {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	return slices.Clone(t.sections)
}

// Guidance is the texts of all sections, joined by blank lines.
func (t *Toolset) Guidance() string {
	sections := t.Sections()
	texts := make([]string, len(sections))
	for i, s := range sections {
		texts[i] = s.Text
	}
	return strings.Join(texts, "\n\n")
}

// Contexts is what a model should be told of a session's standing policies, in order: it
// changes when they do, and is no part of the guidance. Contract section 5.3.
func (t *Toolset) Contexts(s tool.Session) []Section {
	var list []Section
	if t.files.sandbox != nil {
		list = append(list, Section{Name: "sandbox:policy", Order: 110, Text: t.files.standing(context.Background(), &s).Context()})
	}
	if t.files.approval != nil {
		list = append(list, Section{Name: "approval:policy", Order: 115, Text: t.files.approval.Context(s.ID)})
	}
	return list
}

// Execute runs one call; every failure is a result. After Close no tool is known.
func (t *Toolset) Execute(ctx context.Context, c tool.Call) tool.Result {
	if done := t.enter(); done != nil {
		defer done()
	}
	return t.registry.Execute(ctx, c)
}

// Batch runs the calls of one assistant message: those that may overlap do, results
// come in the model's order. Contract section 4.
func (t *Toolset) Batch(ctx context.Context, calls []tool.Call, o tool.BatchOptions) ([]tool.Result, error) {
	if done := t.enter(); done != nil {
		defer done()
	}
	return t.registry.Batch(ctx, calls, o)
}

func (t *Toolset) enter() (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.calls.Add(1)
	return t.calls.Done
}

// Forget drops what a session has seen, set and been granted, when it ends.
func (t *Toolset) Forget(session string) {
	if t.observe != nil {
		t.observe.Forget(session)
	}
	if t.files.sandbox != nil {
		t.files.sandbox.Forget(session)
	}
	if t.files.approval != nil {
		t.files.approval.Forget(session)
	}
}

// Close makes the tools unknown to later calls, waits for those that run, and takes
// apart in reverse order what New put together. It closes no provider.
func (t *Toolset) Close() error {
	t.mu.Lock()
	closed := t.closed
	t.closed = true
	t.mu.Unlock()
	if closed {
		return nil
	}
	t.calls.Wait()
	for _, undo := range slices.Backward(t.dispose) {
		undo()
	}
	return nil
}
