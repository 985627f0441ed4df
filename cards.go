package toolfs

import (
	"encoding/json"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/tool"
)

// Cards gives what a person sees of a call: the card while it is pending, and the one
// when it is done. Either is nil where the generic one (the tool's name, the plain
// content) has to do.
func (t *Toolset) Cards(c tool.Call, r tool.Result) (pending, done card.View) {
	s := tool.StoredResult{Content: r.Content, IsError: r.IsError}
	if r.Meta != nil {
		s.Meta, _ = json.Marshal(r.Meta)
	}
	return t.ReplayCards(c, s)
}

// ReplayCards gives the same from what was stored of a call: its arguments, content
// and meta. Contract section 13.1.
func (t *Toolset) ReplayCards(c tool.Call, s tool.StoredResult) (pending, done card.View) {
	def, ok := t.registry.Get(c.Name, c.Scope)
	if !ok {
		return nil, nil
	}
	args, err := tool.DecodeArgs(c.Arguments)
	if err != nil || len(def.Parameters.ValidateArgs(args)) > 0 {
		return nil, nil
	}
	if def.PresentCall != nil {
		pending = def.PresentCall(args)
	}
	if def.PresentResult != nil {
		done = def.PresentResult(args, s)
	}
	return pending, done
}
