package vfs

import (
	"context"
	"errors"
	"io/fs"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/textedit"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/sandbox"
)

// Edit is a literal replacement. Old must not be empty, and must occur exactly once
// (overlapping positions count) unless ReplaceAll is set. In both strings CRLF
// stands for LF, as it does in the file for the match.
type Edit struct {
	Old, New   string
	ReplaceAll bool
}

// EditOptions guards an edit: If it is not empty, the file must have this version,
// which is checked before anything is matched.
type EditOptions struct {
	If Version

	// Sandbox is as in PutOptions.
	Sandbox sandbox.Policy
}

// EditOutcome says what an edit did: the version now in the file, the whole text
// before and after (as in WriteOutcome), and how many places were replaced.
type EditOutcome struct {
	Info          Info
	Before, After string
	Count         int

	// FirstLine is set when Before and After are only the lines around the one change in
	// a file too large to be held: the 1-based number of the line that they begin with.
	FirstLine int
}

// EditText replaces text in a file; every byte outside the places replaced stays as
// it was, and text put in takes the line ending of the lines that it replaces, or
// else of their neighbour. A character of the new text that the file's encoding does not
// have is FS_NOT_TEXT. Contract section 8.9. Codes: those of Put, and
// FS_NOT_TEXT, FS_EDIT_NOT_FOUND, FS_AMBIGUOUS_EDIT, FS_TOO_LARGE.
func EditText(ctx context.Context, p Provider, t Target, e Edit, o EditOptions) (EditOutcome, error) {
	if err := aborted(ctx, "edit"); err != nil {
		return EditOutcome{}, err
	}
	if !utf8.ValidString(e.Old) || !utf8.ValidString(e.New) {
		// Half a character would match, and tear the other half.
		return EditOutcome{}, &Error{Op: "edit", Path: t.Path, Code: CodeNotText, Msg: "old_string and new_string must be valid UTF-8"}
	}
	if err := CheckWrite(ctx, p, t, o.Sandbox); err != nil {
		return EditOutcome{}, err
	}
	if n, ok := As[TextEditor](p); ok {
		if out, err := n.EditText(ctx, t, e, o); !errors.Is(err, errors.ErrUnsupported) {
			return out, err
		}
	}
	p, release, err := exclusive(ctx, p, t)
	if err != nil {
		return EditOutcome{}, WithOp(err, "edit")
	}
	defer release()
	for try := 1; ; try++ {
		out, err := edit(ctx, p, t, e, o)
		if o.If == "" && try < retries && CodeOf(err) == CodeStaleVersion && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return out, editError(err, t)
	}
}

// editError words a failure as an edit's. To an edit, a file that is gone is one
// that changed. Contract section 8.9.
func editError(err error, t Target) error {
	if err != nil && (errors.Is(err, fs.ErrNotExist) || raced(err)) {
		stale := Stale("edit", t)
		stale.Err = err
		return stale
	}
	return WithOp(err, "edit")
}

func edit(ctx context.Context, p Provider, t Target, e Edit, o EditOptions) (EditOutcome, error) {
	f, err := openFile(ctx, p, t, "edit")
	if err != nil {
		return EditOutcome{}, err
	}
	if n, ok := As[LargeEditor](p); ok && f.Info().Size > LargeEdit && f.Info().Size <= maxGuardedBytes(p) {
		out, err := n.EditLarge(ctx, t, f, e, o)
		f.Close()
		if !errors.Is(err, errors.ErrUnsupported) {
			return out, err
		}
		if f, err = openFile(ctx, p, t, "edit"); err != nil {
			return EditOutcome{}, err
		}
	}
	old, info, err := drain(ctx, p, f, t, maxGuardedBytes(p), "edit")
	switch {
	case err != nil:
		return EditOutcome{}, err
	case o.If != "" && info.Version != o.If:
		return EditOutcome{}, Stale("edit", t)
	}
	unmarked, err := unmarkedEncoding(p, "edit", t)
	if err != nil {
		return EditOutcome{}, err
	}
	doc, why := textenc.Parse(old, unmarked)
	if why != "" {
		return EditOutcome{}, notText("edit", t, why)
	}
	r, err := textedit.Apply(doc.Text, e.Old, e.New, e.ReplaceAll)
	if err != nil {
		return EditOutcome{}, matchError(err, t)
	}
	data, err := doc.Splice(r.Spans())
	if err != nil {
		return EditOutcome{}, notText("edit", t, err.Error())
	}
	info, err = p.Put(ctx, t, data, PutOptions{If: IfVersion(info.Version), Sandbox: o.Sandbox})
	if err != nil {
		return EditOutcome{}, err
	}
	return EditOutcome{Info: encoded(info, doc.Encoding), Before: r.Before, After: r.After, Count: r.Count}, nil
}

func matchError(err error, t Target) error {
	if m, ok := errors.AsType[*textedit.AmbiguousError](err); ok {
		return AmbiguousEdit(t, int64(m.Count))
	}
	switch {
	case errors.Is(err, textedit.ErrEmpty):
		return &Error{Path: t.Path, Code: CodeEditNotFound, Msg: "old_string must be a non-empty string"}
	case errors.Is(err, textedit.ErrSame):
		return &Error{Path: t.Path, Code: CodeEditNotFound, Msg: "old_string and new_string must differ"}
	}
	return EditNotFound(t)
}
