package mcpserver

import (
	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/tool"
)

// cardOf is the value under CardKey, or nil when there is nothing to show.
func cardOf(def *tool.Definition, args tool.Args, r tool.Result) tool.Object {
	var o tool.Object
	var title string
	if def.PresentCall != nil {
		var call tool.Object
		call, title = callCard(def.PresentCall(args))
		o = with(o, "call", call)
	}
	if !r.IsError {
		o = with(o, "result", resultCard(title, r.Meta))
	}
	return o
}

func with(o tool.Object, name string, part tool.Object) tool.Object {
	if part == nil {
		return o
	}
	return append(o, tool.Member{Name: name, Value: part})
}

// callCard is the pending card, without the texts that the arguments hold.
func callCard(v card.View) (o tool.Object, title string) {
	var locations []card.Location
	o = tool.Object{{Name: "card", Value: "generic"}}
	switch v := v.(type) {
	case *card.Generic:
		o = append(o, tool.Member{Name: "title", Value: v.Title}, tool.Member{Name: "kind", Value: string(v.Kind)})
		title, locations = v.Title, v.Locations
	case *card.Diff:
		o[0].Value = "diff"
		o = append(o, tool.Member{Name: "title", Value: v.Title})
		title, locations = v.Title, v.Locations
	default:
		return nil, ""
	}
	list := tool.Array{Len: len(locations), At: func(i int) any {
		l := tool.Object{{Name: "path", Value: locations[i].Path}}
		if line := locations[i].Line; line > 0 {
			l = append(l, tool.Member{Name: "line", Value: line})
		}
		return l
	}}
	return append(o, tool.Member{Name: "locations", Value: list}), title
}

// resultCard is the finished card, without the texts that the content holds.
func resultCard(title string, meta any) tool.Object {
	switch m := meta.(type) {
	case *card.ReadMeta:
		o := tool.Object{
			{Name: "card", Value: "read"},
			{Name: "path", Value: m.Path},
			{Name: "offset", Value: m.Offset},
			{Name: "totalLines", Value: m.TotalLines},
		}
		if m.Lang != "" {
			o = append(o, tool.Member{Name: "lang", Value: m.Lang})
		}
		if m.Unstable {
			o = append(o, tool.Member{Name: "unstable", Value: true})
		}
		if m.Encoding != "" {
			o = append(o, tool.Member{Name: "encoding", Value: m.Encoding})
		}
		return o
	case *card.SearchMeta:
		return tool.Object{
			{Name: "card", Value: "search"},
			{Name: "shape", Value: string(m.Shape)},
			{Name: "truncated", Value: m.Truncated},
			{Name: "total", Value: m.Total},
		}
	case *card.DiffMeta:
		o := unusual(tool.Object{{Name: "card", Value: "diff"}, {Name: "title", Value: title}}, m.Change)
		if len(m.Diffs) == 0 {
			return o
		}
		return append(o, tool.Member{Name: "diffs", Value: tool.Array{Len: len(m.Diffs), At: func(i int) any {
			return diff(m.Diffs[i])
		}}})
	}
	return nil
}

// unusual adds what is unusual about how a change came into its file.
func unusual(o tool.Object, c card.Change) tool.Object {
	if c.Guarantee != "" {
		o = append(o, tool.Member{Name: "guarantee", Value: c.Guarantee})
	}
	if c.Durable != nil {
		o = append(o, tool.Member{Name: "durable", Value: *c.Durable})
	}
	if c.LinkCount > 0 {
		o = append(o, tool.Member{Name: "linkCount", Value: c.LinkCount})
	}
	if c.Encoding != "" {
		o = append(o, tool.Member{Name: "encoding", Value: c.Encoding})
	}
	if c.EncodingChanged {
		o = append(o, tool.Member{Name: "encodingChanged", Value: true})
	}
	return o
}

func diff(d card.FileDiff) tool.Object {
	var old any
	if d.OldText != nil {
		old = *d.OldText
	}
	return tool.Object{
		{Name: "path", Value: d.Path},
		{Name: "oldText", Value: old},
		{Name: "newText", Value: d.NewText},
	}
}
