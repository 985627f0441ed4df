package mcpserver

import (
	"bytes"
	"encoding/json"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

// outputSchema is what the structured content of a tool's successes satisfies, or nil
// for a tool without any. It is not the schema of the tool's canonical value, which
// holds whole files.
func (s *Server) outputSchema(name string) json.RawMessage {
	if s.options.OmitStructured {
		return nil
	}
	path := property{"path", `{"type":"string","description":"The file or directory, resolved."}`}
	total := `{"type":"integer","minimum":0}`
	next := property{"nextOffset?", `{"type":"integer","minimum":1,"description":"Where to continue; absent when nothing remains."}`}
	start := `{"type":"integer","minimum":1}`
	hunk := object(property{"oldStart", start}, property{"oldLines", total}, property{"newStart", start}, property{"newLines", total})
	hunks := property{"hunks", `{"type":"array","description":"Where the text changed, in lines, with up to three lines of context; none for a new file.","items":` + string(hunk) + `}`}
	switch name {
	case "list":
		counts := object(property{"directories", total}, property{"files", total}, property{"other", total})
		o := []property{path, {"offset", `{"type":"integer","minimum":1}`}, {"shown", total}, {"totalEntries", total},
			{"counts", string(counts)}, next,
			{"withheld?", `{"type":"integer","minimum":1,"description":"Entries that the user keeps from the tools."}`}}
		if s.options.StructuredLines {
			entry := object(property{"name", `{"type":"string"}`}, property{"type", `{"type":"string","enum":["file","directory","other"]}`})
			o = append(o, property{"entries", `{"type":"array","items":` + string(entry) + `}`})
		}
		return object(o...)
	case "read":
		o := []property{path, {"startLine", `{"type":"integer","minimum":1}`},
			{"endLine", `{"type":"integer","minimum":0,"description":"The last line shown; startLine - 1 when there is none."}`},
			{"totalLines", total}, next}
		if s.options.StructuredLines {
			line := object(property{"number", `{"type":"integer","minimum":1}`}, property{"text", `{"type":"string"}`})
			o = append(o, property{"lines", `{"type":"array","items":` + string(line) + `}`})
		}
		return object(o...)
	case "glob", "grep":
		return searchSchema(name, s.options.StructuredLines)
	case "write":
		return object(path, property{"operation", `{"type":"string","enum":["create","update"]}`}, hunks)
	case "edit":
		return object(path, property{"replacements", `{"type":"integer","minimum":1}`}, hunks)
	}
	return nil
}

// property is a member of an object and its schema; a name that ends in a question mark
// is of an optional one.
type property struct{ name, schema string }

func object(properties ...property) json.RawMessage {
	var props, required bytes.Buffer
	for _, p := range properties {
		name, optional := bytes.CutSuffix([]byte(p.name), []byte("?"))
		if props.Len() > 0 {
			props.WriteByte(',')
		}
		props.WriteString(`"` + string(name) + `":` + p.schema)
		if optional {
			continue
		}
		if required.Len() > 0 {
			required.WriteByte(',')
		}
		required.WriteString(`"` + string(name) + `"`)
	}
	return json.RawMessage(`{"type":"object","properties":{` + props.String() + `},"required":[` + required.String() +
		`],"additionalProperties":false}`)
}

// structured is the facts about a success, or nil for a value without an output schema.
func (s *Server) structured(r tool.Result) tool.Object {
	if s.options.OmitStructured {
		return nil
	}
	switch v := r.Value.(type) {
	case *toolfs.ListValue:
		o := tool.Object{
			{Name: "path", Value: v.Path},
			{Name: "offset", Value: v.Offset},
			{Name: "shown", Value: len(v.Entries)},
			{Name: "totalEntries", Value: v.TotalEntries},
			{Name: "counts", Value: tool.Object{
				{Name: "directories", Value: v.Counts.Directories},
				{Name: "files", Value: v.Counts.Files},
				{Name: "other", Value: v.Counts.Other},
			}},
		}
		o = continued(o, v.Offset+len(v.Entries), v.TotalEntries)
		if v.Withheld > 0 {
			o = append(o, tool.Member{Name: "withheld", Value: v.Withheld})
		}
		return s.repeated(o, v, "entries")
	case *toolfs.ReadValue:
		end := v.Offset - 1
		if n := len(v.Lines); n > 0 {
			end = v.Lines[n-1].Number
		}
		o := tool.Object{
			{Name: "path", Value: v.Path},
			{Name: "startLine", Value: v.Offset},
			{Name: "endLine", Value: end},
			{Name: "totalLines", Value: v.TotalLines},
		}
		o = continued(o, end+1, v.TotalLines)
		return s.repeated(o, v, "lines")
	case *toolfs.GlobValue, *toolfs.GrepValue:
		return searched(v, s.options.StructuredLines)
	case *toolfs.WriteValue:
		return tool.Object{
			{Name: "path", Value: v.Path},
			{Name: "operation", Value: string(v.Operation)},
			{Name: "hunks", Value: hunks(v.Hunks)},
		}
	case *toolfs.EditValue:
		return tool.Object{
			{Name: "path", Value: v.Path},
			{Name: "replacements", Value: v.Count},
			{Name: "hunks", Value: hunks(v.Hunks)},
		}
	}
	return nil
}

// continued adds where the next page begins, if there is one.
func continued(o tool.Object, next, total int) tool.Object {
	if next > total {
		return o
	}
	return append(o, tool.Member{Name: "nextOffset", Value: next})
}

// repeated adds a member of the canonical value that the text shows already, if that
// is asked for.
func (s *Server) repeated(o tool.Object, v tool.Value, name string) tool.Object {
	if !s.options.StructuredLines {
		return o
	}
	for _, m := range v.JSONValue().(tool.Object) {
		if m.Name == name {
			return append(o, m)
		}
	}
	return o
}

// hunks is where a text changed; the text itself is in the card.
func hunks(list []toolfs.Hunk) tool.Array {
	return tool.Array{Len: len(list), At: func(i int) any {
		return tool.Object{
			{Name: "oldStart", Value: list[i].OldStart},
			{Name: "oldLines", Value: list[i].OldLines},
			{Name: "newStart", Value: list[i].NewStart},
			{Name: "newLines", Value: list[i].NewLines},
		}
	}}
}
