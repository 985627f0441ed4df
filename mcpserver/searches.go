package mcpserver

import (
	"encoding/json"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

// searchSchema is the schema of what a search says as structured data: the numbers that
// its text says too, and what is missing.
func searchSchema(name string, lines bool) json.RawMessage {
	total := `{"type":"integer","minimum":0}`
	o := []property{{"shown", total}, {"total", total},
		{"complete", `{"type":"boolean","description":"Whether everything was looked into that should have been."}`},
		{"stopped?", `{"type":"string","enum":["deadline","cancelled","budget"],"description":"Why the search ended early; the total is a lower bound then."}`},
		{"unreadable", total}, {"withheld", total}, {"binary", total}, {"undecodable", total},
		{"stored?", `{"type":"string","description":"The file that holds the complete result."}`}}
	if name == "glob" {
		o = append([]property{{"root", `{"type":"string"}`}}, o...)
	}
	switch {
	case !lines:
	case name == "glob":
		o = append(o, property{"paths", `{"type":"array","items":{"type":"string"}}`})
	default:
		match := object(property{"path", `{"type":"string"}`}, property{"lineNumber", `{"type":"integer","minimum":1}`}, property{"line", `{"type":"string"}`})
		o = append(o, property{"matches", `{"type":"array","items":` + string(match) + `}`})
	}
	return object(o...)
}

// searched is the facts about a search.
func searched(v tool.Value, lines bool) tool.Object {
	switch v := v.(type) {
	case *toolfs.GlobValue:
		shown := v.Shown()
		o := searchFacts(tool.Object{{Name: "root", Value: v.Root}}, &v.Search, len(shown), len(v.Paths))
		if lines {
			o = append(o, tool.Member{Name: "paths", Value: tool.Array{Len: len(shown), At: func(i int) any { return shown[i] }}})
		}
		return o
	case *toolfs.GrepValue:
		shown := v.Shown()
		o := searchFacts(nil, &v.Search, len(shown), len(v.Matches))
		if lines {
			o = append(o, tool.Member{Name: "matches", Value: tool.Array{Len: len(shown), At: func(i int) any {
				m := &shown[i]
				return tool.Object{{Name: "path", Value: m.Path}, {Name: "lineNumber", Value: m.LineNumber}, {Name: "line", Value: m.Line}}
			}}})
		}
		return o
	}
	return nil
}

func searchFacts(o tool.Object, s *toolfs.Search, shown, total int) tool.Object {
	o = append(o, tool.Object{
		{Name: "shown", Value: shown},
		{Name: "total", Value: total},
		{Name: "complete", Value: s.Complete()},
	}...)
	if s.Report.Stopped != "" {
		o = append(o, tool.Member{Name: "stopped", Value: string(s.Report.Stopped)})
	}
	o = append(o, tool.Object{
		{Name: "unreadable", Value: s.Report.Unreadable},
		{Name: "withheld", Value: s.Report.Withheld},
		{Name: "binary", Value: s.Report.Binary},
		{Name: "undecodable", Value: s.Report.Undecodable},
	}...)
	if s.Stored != "" {
		o = append(o, tool.Member{Name: "stored", Value: s.Stored})
	}
	return o
}
