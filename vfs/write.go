package vfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/toolfs/toolfs/internal/textenc"
)

// DefaultDiffBasisMaxBytes is the size in bytes below which both sides of a
// replacement must lie for the old text to be returned.
const DefaultDiffBasisMaxBytes int64 = 10 << 20

// retries bounds how often an unconditional change starts again because the target
// changed under it.
const retries = 16

// Operation says what a write did.
type Operation string

// The operations of a write.
const (
	Created Operation = "create"
	Updated Operation = "update"
)

// WriteOptions guards a write and bounds the old text that it returns, in bytes;
// zero is DefaultDiffBasisMaxBytes.
type WriteOptions struct {
	If                Condition
	DiffBasisMaxBytes int64
}

// WriteOutcome says what a write did. Info names the version of the bytes now in
// the file. Before is the old text, nil when there was none or it is too large or
// no text; After is the new text. In both, CRLF reads as LF and a byte order mark
// is left out. Unchanged means that the file held exactly these bytes already, so
// that nothing was published.
type WriteOutcome struct {
	Operation Operation
	Info      Info
	Before    *string
	After     string
	Unchanged bool
}

// WriteText makes content the whole of a text file, atomically: the bytes exactly
// as given, but that a byte order mark of the file it replaces is kept. Contract
// section 8.7. Codes: those of Put.
func WriteText(ctx context.Context, p Provider, t Target, content string, o WriteOptions) (WriteOutcome, error) {
	if w, ok := As[TextWriter](p); ok {
		return w.WriteText(ctx, t, content, o)
	}
	if err := aborted(ctx, "write"); err != nil {
		return WriteOutcome{}, err
	}
	if o.If.Absent() {
		return create(ctx, p, t, content)
	}
	if want, ok := o.If.Version(); ok {
		if size, unguarded := want.Unguarded(); unguarded {
			return WriteOutcome{}, TooLarge("write", t, size, maxGuardedBytes(p))
		}
	}
	p, release, err := exclusive(ctx, p, t)
	if err != nil {
		return WriteOutcome{}, WithOp(err, "write")
	}
	defer release()
	for try := 1; ; try++ {
		out, err := replace(ctx, p, t, content, o)
		if o.If.Always() && try < retries && raced(err) {
			continue
		}
		return out, WithOp(err, "write")
	}
}

// raced reports that a change lost against another one in between.
func raced(err error) bool {
	code := CodeOf(err)
	return code == CodeStaleVersion || code == CodeNotObserved
}

func create(ctx context.Context, p Provider, t Target, content string) (WriteOutcome, error) {
	info, err := p.Put(ctx, t, []byte(content), PutOptions{If: IfAbsent()})
	if err != nil {
		return WriteOutcome{}, WithOp(err, "write")
	}
	return WriteOutcome{Operation: Created, Info: info, After: visible(content)}, nil
}

// replace is one attempt: what the file holds now decides the byte order mark, the
// old text, and the condition under which the new bytes are published.
func replace(ctx context.Context, p Provider, t Target, content string, o WriteOptions) (WriteOutcome, error) {
	old, info, err := readBytes(ctx, p, t, maxGuardedBytes(p), "write")
	want, guarded := o.If.Version()
	switch {
	case CodeOf(err) == CodeTooLarge && !guarded:
		return replaceUnseen(ctx, p, t, content)
	case errors.Is(err, fs.ErrNotExist) && guarded:
		return WriteOutcome{}, Gone("write", t)
	case errors.Is(err, fs.ErrNotExist):
		return create(ctx, p, t, content)
	case err != nil:
		return WriteOutcome{}, err
	case guarded && info.Version != want:
		return WriteOutcome{}, Stale("write", t)
	}
	if textenc.HasBOM(old) && !strings.HasPrefix(content, textenc.BOM) {
		content = textenc.BOM + content
	}
	out := WriteOutcome{Operation: Updated, Info: info, After: visible(content)}
	out.Before = basis(old, len(content), o.DiffBasisMaxBytes)
	if string(old) == content {
		out.Unchanged = true
		return out, nil
	}
	out.Info, err = p.Put(ctx, t, []byte(content), PutOptions{If: IfVersion(info.Version)})
	return out, err
}

// replaceUnseen overwrites a file that is too large to be hashed, which only an
// unconditional write may do.
func replaceUnseen(ctx context.Context, p Provider, t Target, content string) (WriteOutcome, error) {
	marked, err := startsWithBOM(ctx, p, t)
	if err != nil {
		return WriteOutcome{}, err
	}
	if marked && !strings.HasPrefix(content, textenc.BOM) {
		content = textenc.BOM + content
	}
	info, err := p.Put(ctx, t, []byte(content), PutOptions{})
	return WriteOutcome{Operation: Updated, Info: info, After: visible(content)}, err
}

func startsWithBOM(ctx context.Context, p Provider, t Target) (bool, error) {
	f, err := p.Open(ctx, t)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(textenc.BOM))
	if _, err := io.ReadFull(f, head); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, readFailed("write", t, err)
	}
	return textenc.HasBOM(head), nil
}

// basis is the old text to show beside the new one, or nil. Contract section 8.7.
func basis(old []byte, newSize int, limit int64) *string {
	if limit <= 0 {
		limit = DefaultDiffBasisMaxBytes
	}
	if int64(len(old)) >= limit || int64(newSize) >= limit || textenc.Invalid(old) != "" {
		return nil
	}
	text := visible(string(old))
	return &text
}

// visible is text as a model or a person sees it.
func visible(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, textenc.BOM), "\r\n", "\n")
}
