package toolfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// ReadValue is a window of a text file: its lines from the 1-based line Offset on, of
// TotalLines in the file.
type ReadValue struct {
	Path       string
	Offset     int
	Lines      []card.Line
	TotalLines int

	// Unstable says that the file was being written all the while, so that it may
	// never have held what is shown. Such a read authorises no change.
	Unstable bool

	// Encoding is how the text is stored, as in vfs.Info: "" for UTF-8.
	Encoding string
}

// JSONValue implements tool.Value.
func (v *ReadValue) JSONValue() any {
	line := tool.Object{{Name: "number"}, {Name: "text"}}
	var element any = line
	return tool.Object{
		{Name: "path", Value: v.Path},
		{Name: "offset", Value: v.Offset},
		{Name: "lines", Value: tool.Array{Len: len(v.Lines), At: func(i int) any {
			line[0].Value, line[1].Value = v.Lines[i].Number, v.Lines[i].Text
			return element
		}}},
		{Name: "totalLines", Value: v.TotalLines},
	}
}

func readTool(f *files) (*tool.Definition, string, error) {
	def, guidance, err := f.define("read")
	if err != nil {
		return nil, "", err
	}
	def.Hints = tool.Hints{ReadOnly: true, Idempotent: true}
	def.Execute = f.read
	def.ConcurrencySafe = func(tool.Args) bool { return true }
	def.Output.Render = func(a tool.Args, v tool.Value) []tool.Block {
		limit, err := f.readLimit(a)
		if err != nil {
			limit = f.limits.ReadLimit
		}
		return []tool.Block{tool.TextBlock(renderRead(v.(*ReadValue), limit))}
	}
	def.Output.Meta = func(_ tool.Args, v tool.Value) any {
		r := v.(*ReadValue)
		return &card.ReadMeta{Path: r.Path, Offset: r.Offset, Lines: r.Lines, TotalLines: r.TotalLines, Lang: card.Lang(r.Path), Unstable: r.Unstable, Encoding: r.Encoding}
	}
	def.PresentCall = presentReadCall
	def.PresentResult = presentReadResult
	return def, guidance, nil
}

func (f *files) readLimit(a tool.Args) (int, error) {
	limit, err := positive(a, "limit", f.limits.ReadLimit)
	if err != nil {
		return 0, err
	}
	if limit.n > f.limits.ReadLimit {
		return 0, fmt.Errorf("limit must be less than or equal to %d", f.limits.ReadLimit)
	}
	return limit.n, nil
}

// read is one Stat and then the text, from the first byte to the last, whatever the
// window: the total is exact, and the version that is observed is of the very bytes
// that were read. Contract section 12.2.4.
func (f *files) read(ctx context.Context, e *tool.Exec) (tool.Value, error) {
	path, err := filePath(e.Args)
	if err != nil {
		return nil, err
	}
	offset, err := positive(e.Args, "offset", 1)
	if err != nil {
		return nil, err
	}
	limit, err := f.readLimit(e.Args)
	if err != nil {
		return nil, err
	}
	t, err := f.resolve(ctx, e, "read", path)
	if err != nil {
		return nil, err
	}
	info, err := f.provider.Stat(ctx, t)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, f.absent(e, t)
	case err != nil:
		return nil, vfs.WithOp(err, "read")
	case info.Type != vfs.TypeFile:
		return nil, vfs.NotRegular("read", t)
	}
	w, info, stable, err := f.scan(ctx, t, info, func() *window {
		return newWindow(offset.n, limit, f.limits.ReadMaxLineLength, f.limits.ReadMaxBytes)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, f.absent(e, t)
	case vfs.CodeOf(err) == vfs.CodeNotText && info.Version != "":
		// What cannot be shown has been seen all the same: a deliberate overwrite
		// must not be told for ever to read it first.
		if failed := f.observed(e, t, info.Version); failed != nil {
			return nil, failed
		}
		return nil, err
	case err != nil:
		return nil, err
	}
	lines, total := w.finish()
	if offset.n > total && !w.capped && (total > 0 || offset.n > 1) {
		return nil, outOfRange(offset, t, total, "lines")
	}
	if err := f.observed(e, t, info.Version); err != nil {
		return nil, err
	}
	return &ReadValue{Path: t.Path, Offset: offset.n, Lines: lines, TotalLines: total, Unstable: !stable, Encoding: info.Encoding}, nil
}

// absent records that there is no such file, and says so.
func (f *files) absent(e *tool.Exec, t vfs.Target) error {
	err := f.gate.Observed.Emit(gate.Observed{Target: t, Session: e.SessionID(), Actor: e, Absent: true})
	if err != nil {
		return err
	}
	return vfs.NotFound("read", t)
}

// passes bounds how often a file is read that is being written meanwhile.
const passes = 3

// scan reads the text into a window until a pass is proven, or two quiet passes agree.
// When neither comes about, what was read last is not stable, and its version matches
// nothing.
func (f *files) scan(ctx context.Context, t vfs.Target, info vfs.Info, fresh func() *window) (w *window, got vfs.Info, stable bool, err error) {
	var quiet vfs.Version // what the last pass saw while nobody was seen to write
	for pass := 1; ; pass++ {
		var proof vfs.Proof
		w = fresh()
		got, proof, err = f.pass(ctx, t, info, w)
		_, unguarded := got.Version.Unguarded()
		switch {
		case err != nil, proof == vfs.Proven:
			return w, got, true, err
		case proof == vfs.Quiet && (got.Version == quiet || unguarded):
			return w, got, true, nil
		case pass == passes || unguarded:
			got.Version = vfs.UnstableVersion
			return w, got, false, nil
		}
		if quiet = got.Version; proof != vfs.Quiet {
			quiet = ""
		}
	}
}

// pass passes the whole text through the window once. A text that the provider holds
// whole anyway is taken whole below the limit for that; everything else is streamed.
func (f *files) pass(ctx context.Context, t vfs.Target, info vfs.Info, w *window) (got vfs.Info, proof vfs.Proof, err error) {
	if _, whole := vfs.As[vfs.TextLoader](f.provider); whole && info.Size >= 0 && info.Size < f.limits.ReadStreamMinSize {
		text, got, err := vfs.ReadText(ctx, f.provider, t)
		w.add([]byte(text))
		return got, vfs.Proven, err
	}
	r, err := vfs.StreamText(ctx, f.provider, t)
	if err != nil {
		return vfs.Info{}, vfs.Disturbed, err
	}
	defer r.Close()
	for {
		chunk, err := r.Next(ctx)
		switch {
		case err == io.EOF:
			return r.Info(), r.Proof(), nil
		case vfs.CodeOf(err) == vfs.CodeNotText:
			if failed := r.Drain(ctx); failed != nil {
				return vfs.Info{}, vfs.Disturbed, failed
			}
			return r.Info(), vfs.Disturbed, err
		case err != nil:
			return vfs.Info{}, vfs.Disturbed, err
		}
		w.add(chunk)
	}
}

func outOfRange(offset position, t vfs.Target, total int, what string) error {
	return &vfs.Error{Path: t.Path, Code: vfs.CodeNotFound,
		Msg: fmt.Sprintf("offset %s is out of range for %s (%d %s)", offset.text, vfs.QuotePath(t.Path), total, what)}
}
