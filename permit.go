package toolfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/internal/quote"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// shown is what a person sees of a change before it is made.
type shown struct {
	operation string
	diffs     []card.FileDiff
	seen      string // the content that would be replaced
	becomes   vfs.Version
}

// permit gives the policy under which a change of t may be tried. A call that asks for a
// wider mode is first looked at as far as possible: where the standing policy or an
// earlier grant is enough nobody is asked, and nobody is asked about what would fail
// anyway. preview tells what would happen, and binds the call to it.
func (f *files) permit(ctx context.Context, e *tool.Exec, x escalation, t vfs.Target, preview func(sandbox.Policy) (shown, error)) (sandbox.Policy, error) {
	if f.sandbox == nil {
		return sandbox.Policy{}, nil
	}
	denied, byFence := errors.AsType[*sandbox.DeniedError](vfs.CheckWrite(ctx, f.provider, t, x.standing))
	if !byFence {
		return x.standing, nil // whatever else is wrong, a wider mode does not mend it
	}
	wider := x.standing
	if f.approval != nil && e.Session != nil {
		if mode, ok := f.approval.Grants().Widest(e.SessionID(), t.Key, denied.Protected); ok {
			wider.Mode = mode
			if vfs.CheckWrite(ctx, f.provider, t, wider) == nil {
				return wider, nil
			}
		}
	}
	if x.mode == "" {
		return x.standing, nil // the provider says no, in its own words
	}
	wider.Mode = x.mode
	view, err := preview(wider)
	if err != nil {
		return wider, refused(err)
	}
	return wider, f.ask(ctx, e, x, t, view, denied)
}

// ask is nil for a grant. Contract section 11.6, checks 10 to 14.
func (f *files) ask(ctx context.Context, e *tool.Exec, x escalation, t vfs.Target, view shown, denied *sandbox.DeniedError) error {
	r := approval.Request{
		Session: e.SessionID(), CallID: e.CallID, Tool: e.Name,
		Path: quote.Path(t.Path), Key: t.Key, Dir: f.directory(t), Operation: view.operation,
		Mode: x.mode, Standing: x.standing.Mode, Rule: denied.Rule,
		Justification: approval.Clean(x.justification),
		Shown:         fingerprint(e.Name, t, x.mode, view),
	}
	r.Diffs, r.Cut = bounded(view.diffs)
	answer, err := f.approval.Request(ctx, r)
	if err != nil {
		return err
	}
	if answer.Outcome == approval.AllowedOnce {
		return nil
	}
	return r.Refusal(answer.Outcome)
}

// directory is the identity of the directory that a file lies in, "" where identities
// are no paths.
func (f *files) directory(t vfs.Target) string {
	path, err := vfs.ProcessPath(f.provider, t)
	if err != nil || path != t.Key {
		return ""
	}
	return filepath.Dir(path)
}

// fingerprint identifies a change: which content of which file becomes which, under
// which mode.
func fingerprint(name string, t vfs.Target, mode sandbox.Mode, view shown) string {
	h := sha256.New()
	for _, part := range []string{name, t.Key, string(mode), view.operation, view.seen, string(view.becomes)} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (f *files) previewWrite(ctx context.Context, t vfs.Target, path, content string, o *vfs.WriteOptions, p sandbox.Policy) (shown, error) {
	try := *o
	try.Sandbox = p
	out, seen, err := vfs.PreviewWrite(ctx, f.provider, t, content, try)
	if err != nil {
		return shown{}, err
	}
	v := writeValue(t, out)
	s := shown{operation: string(v.Operation), diffs: diffMeta(path, v.Hunks, vfs.Publication{}, v.Stored).Diffs, seen: seen.String(), becomes: out.Info.Version}
	if v.Before == nil {
		s.diffs = []card.FileDiff{{Path: path, NewText: v.After}}
	}
	if !seen.Always() {
		o.If = seen
	}
	return s, nil
}

func (f *files) previewEdit(ctx context.Context, t vfs.Target, path string, change vfs.Edit, o *vfs.EditOptions, p sandbox.Policy) (shown, error) {
	try := *o
	try.Sandbox = p
	out, seen, err := vfs.PreviewEdit(ctx, f.provider, t, change, try)
	if err != nil {
		return shown{}, err
	}
	o.If = seen
	return shown{operation: "edit", diffs: diffMeta(path, hunksFrom(out.FirstLine, out.Before, out.After), vfs.Publication{}, Stored{}).Diffs,
		seen: string(seen), becomes: out.Info.Version}, nil
}

// maxShown is how many bytes of a change a person is shown; more than that is no longer
// read by anybody, and the answer is bound to all of it anyway.
const maxShown = 32 << 10

// bounded cuts what is shown, at the end of a line where there is one, and makes it fit
// to be shown.
func bounded(diffs []card.FileDiff) (list []card.FileDiff, cut bool) {
	left := maxShown
	for _, d := range diffs {
		if left <= 0 {
			return list, true
		}
		d.Path = quote.Path(d.Path)
		if d.OldText != nil {
			text, shorter := shortened(*d.OldText, left)
			d.OldText, cut = &text, cut || shorter
			left -= len(text)
		}
		text, shorter := shortened(d.NewText, max(left, 0))
		d.NewText, cut = text, cut || shorter
		left -= len(text)
		list = append(list, d)
	}
	return list, cut
}

func shortened(text string, n int) (string, bool) {
	start, cut := cutAt(text, n)
	start, again := cutAt(approval.Visible(start), n)
	return start, cut || again
}

func cutAt(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	if line := strings.LastIndexByte(text[:n], '\n'); line >= 0 {
		return text[:line+1], true
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], true
}
