//go:build linux

package toolfs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
)

// setting is what a vector's calls need: plain data, since another process may get it.
type setting struct {
	Cwd    string
	Guard  bool
	Limits []byte
	Search toolfs.SearchOptions
	Fence  *confinement // nil: nothing confines
}

// call is one call of a vector. A nil Session is a call of nobody's.
type call struct {
	Tool    string
	Args    []byte
	Session *tool.Session
	Aborted bool
}

// caller makes calls, here or in another process. What it gives has the shape of what
// the vectors expect, less the disk.
type caller interface {
	call(c call) (object, error)
	close() error
}

type toolset struct {
	*toolfs.Toolset
	fs    *localfs.FS
	cwd   string
	calls int
	log   audit
}

func openToolset(s setting) (*toolset, error) {
	limits, err := toolfs.ParseLimits(s.Limits)
	if err != nil {
		return nil, err
	}
	t := &toolset{cwd: s.Cwd}
	disk, tools := localfs.Options{Cwd: s.Cwd}, toolfs.Options{Limits: limits, Unguarded: !s.Guard}
	if s.Fence != nil {
		if err := s.Fence.open(&t.log, &disk, &tools); err != nil {
			return nil, err
		}
	}
	if t.fs, err = localfs.Host(disk); err != nil {
		return nil, err
	}
	tools.Provider, tools.Search = t.fs, s.Search
	t.Toolset, err = toolfs.New(tools)
	return t, err
}

func (t *toolset) close() error {
	if err := t.Close(); err != nil {
		return err
	}
	return t.fs.Close()
}

func (t *toolset) call(c call) (object, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.Aborted {
		cancel()
	}
	t.calls++
	tc := tool.Call{ID: fmt.Sprint("call-", t.calls), Name: c.Tool, Arguments: c.Args, Session: c.Session}
	mode := t.Registry().Mode(tc)
	r := t.Execute(ctx, tc)
	return t.outcome(tc, r, mode)
}

func (t *toolset) outcome(c tool.Call, r tool.Result, mode tool.Mode) (object, error) {
	var p problems
	o := object{{"isError", r.IsError}, {"content", p.data(r.Content)}}
	if r.Error != nil {
		e := object{{"message", r.Error.Message}, {"name", nil}, {"code", nil}}
		if r.Error.Info != nil {
			e[1].value, e[2].value = r.Error.Info.Name, r.Error.Info.Code
		}
		o = append(o, member{"error", e})
	}
	if r.Value != nil {
		o = append(o, member{"value", p.parsed(tool.AppendJSON(nil, r.Value))})
	}
	stored := tool.StoredResult{Content: r.Content, IsError: r.IsError}
	if r.Meta != nil {
		stored.Meta = p.encoded(r.Meta)
		o = append(o, member{"meta", p.parsed(stored.Meta)})
	}
	pending, done := t.ReplayCards(c, stored)
	var scheduling any // a tool that is not known is not classified
	if _, ok := t.Registry().Get(c.Name, nil); ok {
		scheduling = mode.String()
	}
	o = append(o, member{"presentCall", p.data(pending)}, member{"presentResult", p.data(done)},
		member{"scheduling", scheduling})
	return append(o, t.log.take()...), p.err
}

// problems keeps the first error of several conversions.
type problems struct{ err error }

func (p *problems) encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil && p.err == nil {
		p.err = err
	}
	return data
}

func (p *problems) parsed(data []byte) any {
	v, err := parseJSON(data)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%w in %s", err, data)
	}
	return v
}

func (p *problems) data(v any) any { return p.parsed(p.encoded(v)) }

// setting is the composition that a vector describes.
func (v *vector) setting(p *places) (setting, error) {
	limits := object{}
	for _, raw := range []json.RawMessage{v.Config.Tool, v.Config.FS, v.Config.Search} {
		if raw == nil {
			continue
		}
		o, err := parseJSON(raw)
		if err != nil {
			return setting{}, err
		}
		limits = append(limits, o.(object)...)
	}
	sample, given := limits.get("sampleOverCapGlobResults")
	search := toolfs.SearchOptions{Off: !v.Search, HeadOverCap: given && sample == false}
	fence, err := v.confinement(p)
	return setting{Cwd: p.ws, Guard: v.Policy, Limits: []byte(stringify(limits)), Search: search, Fence: fence}, err
}

// call is a step of the vector, its placeholders filled in.
func (v *vector) call(s *step, p *places) (c call, err error) {
	c = call{Tool: s.Tool, Aborted: s.Abort == "before"}
	if s.Abort != "" && !c.Aborted {
		return c, fmt.Errorf("abort %q is not known", s.Abort)
	}
	if c.Args, err = s.arguments(p); err != nil {
		return c, err
	}
	name := "A"
	switch string(s.Session) {
	case "null":
		return c, nil
	case "":
	default:
		if err := json.Unmarshal(s.Session, &name); err != nil {
			return c, err
		}
	}
	c.Session = &tool.Session{ID: name, Cwd: p.ws}
	if cwd := string(v.Sessions[name].Cwd); cwd != "" {
		if c.Session.Cwd = ""; cwd != "null" {
			c.Session.Cwd = p.fill(strings.Trim(cwd, `"`))
		}
	}
	return c, nil
}
