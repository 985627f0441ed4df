package toolfs

import (
	"context"
	"errors"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// ListValue is one page of a directory. Offset is 1-based; TotalEntries and Counts are
// of the whole directory, without the Withheld entries that the provider does not show.
// A name that is no UTF-8 has its bytes escaped as \xNN.
type ListValue struct {
	Path         string
	Offset       int
	Entries      []vfs.Entry
	TotalEntries int
	Counts       Counts
	Withheld     int
}

// Counts says how many entries of each type a directory has.
type Counts struct{ Directories, Files, Other int }

// JSONValue implements tool.Value.
func (v *ListValue) JSONValue() any {
	entry := tool.Object{{Name: "name"}, {Name: "type"}}
	var element any = entry
	return tool.Object{
		{Name: "path", Value: v.Path},
		{Name: "offset", Value: v.Offset},
		{Name: "entries", Value: tool.Array{Len: len(v.Entries), At: func(i int) any {
			entry[0].Value, entry[1].Value = v.Entries[i].Name, string(v.Entries[i].Type)
			return element
		}}},
		{Name: "totalEntries", Value: v.TotalEntries},
		{Name: "counts", Value: tool.Object{
			{Name: "directories", Value: v.Counts.Directories},
			{Name: "files", Value: v.Counts.Files},
			{Name: "other", Value: v.Counts.Other},
		}},
	}
}

func listTool(f *files) (*tool.Definition, string, error) {
	def, guidance, err := f.define("list")
	if err != nil {
		return nil, "", err
	}
	def.Hints = tool.Hints{ReadOnly: true, Idempotent: true}
	def.Execute = f.list
	def.ConcurrencySafe = func(tool.Args) bool { return true }
	def.Output.Render = func(_ tool.Args, v tool.Value) []tool.Block {
		return []tool.Block{tool.TextBlock(renderList(v.(*ListValue)))}
	}
	def.PresentCall = presentListCall
	return def, guidance, nil
}

// list is one ReadDir and no Stat, and observes nothing: seeing a name is not having
// read the file. Contract section 12.1.4.
func (f *files) list(ctx context.Context, e *tool.Exec) (tool.Value, error) {
	path := "."
	if p, given := e.Args.String("path"); given {
		if textenc.Blank(p) {
			return nil, errors.New("path must be a non-empty string when given")
		}
		path = p
	}
	offset, err := positive(e.Args, "offset", 1)
	if err != nil {
		return nil, err
	}
	t, err := f.resolve(ctx, e, "list", path)
	if err != nil {
		return nil, err
	}
	entries, withheld, err := vfs.ListDirWithheld(ctx, f.provider, t)
	if err != nil {
		return nil, err
	}
	v := &ListValue{Path: t.Path, Offset: offset.n, TotalEntries: len(entries), Counts: count(entries), Withheld: withheld}
	if offset.n > len(entries) && (len(entries) > 0 || offset.n > 1) {
		return nil, outOfRange(offset, t, len(entries), "entries")
	}
	v.Entries = page(entries, offset.n, f.limits.ListMaxEntries)
	return v, nil
}

func count(entries []vfs.Entry) (c Counts) {
	for _, e := range entries {
		switch e.Type {
		case vfs.TypeDirectory:
			c.Directories++
		case vfs.TypeFile:
			c.Files++
		default:
			c.Other++
		}
	}
	return c
}

func presentListCall(a tool.Args) card.View {
	path, ok := a.String("path")
	if !ok {
		path = "."
	}
	title := "List " + path
	if n, ok := a.Number("offset"); ok {
		title += " (from entry " + jsNumber(n.Value) + ")"
	}
	return card.NewGeneric(title, card.KindRead, card.Location{Path: path})
}
