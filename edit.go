package toolfs

import (
	"context"
	"errors"
	"strings"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/internal/quote"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// EditValue says what an edit did: the text before and after, with CRLF as LF, how
// many places were replaced, and the hunks between the two texts. Of a file that is too
// large to be held, the texts are the lines around the change; the hunks know where.
type EditValue struct {
	Path   string
	Before string
	After  string
	Count  int
	Hunks  []Hunk

	Publication vfs.Publication
	Stored      Stored
}

// JSONValue implements tool.Value.
func (v *EditValue) JSONValue() any {
	return tool.Object{
		{Name: "path", Value: v.Path},
		{Name: "before", Value: v.Before},
		{Name: "after", Value: v.After},
	}
}

func editTool(f *files) (*tool.Definition, string, error) {
	def, guidance, err := f.define("edit")
	if err != nil {
		return nil, "", err
	}
	def.Hints = tool.Hints{Destructive: true}
	def.Commits = true
	def.Execute = f.edit
	def.Output.Render = func(a tool.Args, v tool.Value) []tool.Block {
		return []tool.Block{tool.TextBlock(renderEdit(a, v.(*EditValue)))}
	}
	def.Output.Meta = func(a tool.Args, v tool.Value) any {
		path, _ := a.String("file_path")
		e := v.(*EditValue)
		return diffMeta(path, e.Hunks, e.Publication, e.Stored)
	}
	def.PresentCall = presentEditCall
	def.PresentResult = presentEditResult
	return def, guidance, nil
}

var (
	errEmptyOld = errors.New("old_string must be a non-empty string")
	errSameText = errors.New("old_string and new_string must differ")
)

// edit asks the gate which version it may change. Contract section 12.4.4.
func (f *files) edit(ctx context.Context, e *tool.Exec) (tool.Value, error) {
	path, err := filePath(e.Args)
	if err != nil {
		return nil, err
	}
	change, err := editArgs(e.Args)
	if err != nil {
		return nil, err
	}
	ask, err := f.escalation(ctx, e)
	if err != nil {
		return nil, err
	}
	t, err := f.resolve(ctx, e, "edit", path)
	if err != nil {
		return nil, err
	}
	version, err := f.gate.EditIntent.Decide(ctx, gate.EditIntent{Target: t, Session: e.SessionID(), Actor: e})
	if err != nil {
		return nil, remedied(err)
	}
	o := vfs.EditOptions{If: version}
	if o.Sandbox, err = f.permit(ctx, e, ask, t, func(p sandbox.Policy) (shown, error) {
		return f.previewEdit(ctx, t, path, change, &o, p)
	}); err != nil {
		return nil, err
	}
	out, err := vfs.EditText(ctx, f.provider, t, change, o)
	if err != nil {
		return nil, refused(err)
	}
	if err := f.observed(e, t, out.Info.Version); err != nil {
		return nil, err
	}
	return &EditValue{Path: t.Path, Before: out.Before, After: out.After, Count: out.Count,
		Hunks: hunksFrom(out.FirstLine, out.Before, out.After), Publication: out.Info.Publication, Stored: Stored{Encoding: out.Info.Encoding}}, nil
}

func editArgs(a tool.Args) (e vfs.Edit, err error) {
	e.Old, _ = a.String("old_string")
	e.New, _ = a.String("new_string")
	e.ReplaceAll, _ = a.Bool("replace_all")
	switch {
	case e.Old == "":
		return e, errEmptyOld
	case strings.ReplaceAll(e.Old, "\r\n", "\n") == strings.ReplaceAll(e.New, "\r\n", "\n"):
		return e, errSameText
	}
	return e, nil
}

func renderEdit(a tool.Args, v *EditValue) string {
	path := quote.Path(v.Path)
	if all, _ := a.Bool("replace_all"); all {
		return "The file " + path + " has been updated. All occurrences were successfully replaced."
	}
	return "The file " + path + " has been updated successfully."
}

func presentEditCall(a tool.Args) card.View {
	path, ok := a.String("file_path")
	if !ok {
		return nil
	}
	d := card.FileDiff{Path: path}
	if old, _ := a.String("old_string"); old != "" {
		d.OldText = &old
	}
	d.NewText, _ = a.String("new_string")
	return card.NewDiff("Edit "+path, []card.FileDiff{d}, card.Location{Path: path})
}

func presentEditResult(a tool.Args, r tool.StoredResult) card.View {
	path, ok := a.String("file_path")
	m, valid := card.ParseDiffMeta(r.Meta)
	if r.IsError || !ok || !valid {
		return nil
	}
	d := card.NewDiff("Edit "+path, m.Diffs)
	d.Change = m.Change
	return d
}
