package toolfs

import (
	"context"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/internal/quote"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// WriteValue says what a write did. Before is the old text, nil when there was none or
// none can be shown; Hunks are between the two, none without an old text.
type WriteValue struct {
	Path      string
	Operation vfs.Operation
	Before    *string
	After     string
	Hunks     []Hunk

	Publication vfs.Publication
	Stored      Stored
}

// JSONValue implements tool.Value.
func (v *WriteValue) JSONValue() any {
	var before any
	if v.Before != nil {
		before = *v.Before
	}
	return tool.Object{
		{Name: "path", Value: v.Path},
		{Name: "operation", Value: string(v.Operation)},
		{Name: "before", Value: before},
		{Name: "after", Value: v.After},
	}
}

func writeTool(f *files) (*tool.Definition, string, error) {
	def, guidance, err := f.define("write")
	if err != nil {
		return nil, "", err
	}
	def.Hints = tool.Hints{Destructive: true, Idempotent: true}
	def.Commits = true
	def.Execute = f.write
	def.Output.Render = func(_ tool.Args, v tool.Value) []tool.Block {
		return []tool.Block{tool.TextBlock(renderWrite(v.(*WriteValue)))}
	}
	def.Output.Meta = func(a tool.Args, v tool.Value) any {
		path, _ := a.String("file_path")
		w := v.(*WriteValue)
		return diffMeta(path, w.Hunks, w.Publication, w.Stored)
	}
	def.PresentCall = presentWriteCall
	def.PresentResult = presentWriteResult
	return def, guidance, nil
}

// write asks the gate under which condition it may, and leaves it to the provider to
// hold to it. Contract section 12.3.4.
func (f *files) write(ctx context.Context, e *tool.Exec) (tool.Value, error) {
	path, err := filePath(e.Args)
	if err != nil {
		return nil, err
	}
	content, _ := e.Args.String("content")
	ask, err := f.escalation(ctx, e)
	if err != nil {
		return nil, err
	}
	t, err := f.resolve(ctx, e, "write", path)
	if err != nil {
		return nil, err
	}
	condition, err := f.gate.WriteIntent.Decide(ctx, gate.WriteIntent{Target: t, Session: e.SessionID(), Actor: e})
	if err != nil {
		return nil, remedied(err)
	}
	o := vfs.WriteOptions{If: condition, DiffBasisMaxBytes: f.limits.DiffBasisMaxBytes}
	if o.Sandbox, err = f.permit(ctx, e, ask, t, func(p sandbox.Policy) (shown, error) {
		return f.previewWrite(ctx, t, path, content, &o, p)
	}); err != nil {
		return nil, err
	}
	out, err := vfs.WriteText(ctx, f.provider, t, content, o)
	if err != nil {
		return nil, refused(err)
	}
	if err := f.observed(e, t, out.Info.Version); err != nil {
		return nil, err
	}
	return writeValue(t, out), nil
}

func writeValue(t vfs.Target, out vfs.WriteOutcome) *WriteValue {
	v := &WriteValue{Path: t.Path, Operation: out.Operation, Before: out.Before, After: out.After,
		Publication: out.Info.Publication, Stored: Stored{out.Info.Encoding, out.EncodingChanged}}
	if v.Before != nil {
		v.Hunks = hunksOf(*v.Before, v.After)
	}
	return v
}

func renderWrite(v *WriteValue) string {
	done := "Updated file"
	if v.Operation == vfs.Created {
		done = "Created file"
	}
	return "<path>" + quote.Path(v.Path) + "</path>\n<type>file</type>\n<content>\n" + done + "\n</content>"
}

func presentWriteCall(a tool.Args) card.View {
	path, ok := a.String("file_path")
	if !ok {
		return nil
	}
	return card.NewDiff("Write "+path, wholeFile(a), card.Location{Path: path})
}

func presentWriteResult(a tool.Args, r tool.StoredResult) card.View {
	path, ok := a.String("file_path")
	if r.IsError || !ok {
		return nil
	}
	m, ok := card.ParseDiffMeta(r.Meta)
	if !ok {
		m.Diffs = wholeFile(a)
	}
	d := card.NewDiff("Write "+path, m.Diffs)
	d.Change = m.Change
	return d
}

// wholeFile shows all of what a write sends as new.
func wholeFile(a tool.Args) []card.FileDiff {
	path, _ := a.String("file_path")
	content, _ := a.String("content")
	return []card.FileDiff{{Path: path, NewText: content}}
}
