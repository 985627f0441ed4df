package vfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/sandbox"
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

	// Sandbox is as in PutOptions.
	Sandbox sandbox.Policy
}

// WriteOutcome says what a write did. Info names the version of the bytes now in
// the file. Before is the old text, nil when there was none or it is too large or
// no text; After is the new text. In both, CRLF reads as LF and a byte order mark
// is left out. Unchanged means that the file held exactly these bytes already, so
// that nothing was published. EncodingChanged means that what was replaced was in no
// encoding that is known, so that the new text could not be stored in the same way; of a
// file too large to be read whole, only the first 8192 bytes are judged.
type WriteOutcome struct {
	Operation       Operation
	Info            Info
	Before          *string
	After           string
	Unchanged       bool
	EncodingChanged bool
}

// WriteText makes content the whole of a text file, atomically: in the encoding of the
// file that it replaces, whose byte order mark is kept, else in what the provider's
// Encoded says, else in UTF-8, that is, the bytes exactly as given. Contract section 8.7.
// Codes: those of Put, and FS_NOT_TEXT for a character that the encoding does not have.
func WriteText(ctx context.Context, p Provider, t Target, content string, o WriteOptions) (WriteOutcome, error) {
	if w, ok := As[TextWriter](p); ok {
		return w.WriteText(ctx, t, content, o)
	}
	if err := aborted(ctx, "write"); err != nil {
		return WriteOutcome{}, err
	}
	if err := CheckWrite(ctx, p, t, o.Sandbox); err != nil {
		return WriteOutcome{}, err
	}
	if o.If.Absent() {
		return create(ctx, p, t, content, o)
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

func create(ctx context.Context, p Provider, t Target, content string, o WriteOptions) (WriteOutcome, error) {
	data, n, err := rewrite(p, t, nil, content)
	if err != nil {
		return WriteOutcome{}, err
	}
	info, err := p.Put(ctx, t, data, PutOptions{If: IfAbsent(), Sandbox: o.Sandbox})
	if err != nil {
		return WriteOutcome{}, WithOp(err, "write")
	}
	return WriteOutcome{Operation: Created, Info: encoded(info, n.encoding), After: visible(content)}, nil
}

// nature is how a file is stored, and whether what it holds now was stored so too.
type nature struct {
	unmarked, encoding *textenc.Encoding
	kept               bool
}

// rewrite gives the bytes with which content replaces old.
func rewrite(p Provider, t Target, old []byte, content string) (data []byte, n nature, err error) {
	if n.unmarked, err = unmarkedEncoding(p, "write", t); err != nil {
		return nil, n, err
	}
	data, n.encoding, n.kept, err = textenc.Rewrite(old, content, n.unmarked)
	if err != nil {
		return nil, n, notText("write", t, err.Error())
	}
	return data, n, nil
}

func encoded(info Info, e *textenc.Encoding) Info {
	if !e.Plain() {
		info.Encoding = e.Name()
	}
	return info
}

// replace is one attempt: what the file holds now decides the byte order mark, the
// old text, and the condition under which the new bytes are published.
func replace(ctx context.Context, p Provider, t Target, content string, o WriteOptions) (WriteOutcome, error) {
	old, info, err := readBytes(ctx, p, t, maxGuardedBytes(p), "write")
	want, guarded := o.If.Version()
	switch {
	case CodeOf(err) == CodeTooLarge && !guarded:
		return replaceUnseen(ctx, p, t, content, o)
	case errors.Is(err, fs.ErrNotExist) && guarded:
		return WriteOutcome{}, Gone("write", t)
	case errors.Is(err, fs.ErrNotExist):
		return create(ctx, p, t, content, o)
	case err != nil:
		return WriteOutcome{}, err
	case guarded && info.Version != want:
		return WriteOutcome{}, Stale("write", t)
	}
	data, n, err := rewrite(p, t, old, content)
	if err != nil {
		return WriteOutcome{}, err
	}
	out := WriteOutcome{Operation: Updated, Info: encoded(info, n.encoding), After: visible(content), EncodingChanged: !n.kept}
	out.Before = basis(old, len(content), o.DiffBasisMaxBytes, n.unmarked)
	if bytes.Equal(old, data) {
		out.Unchanged, out.EncodingChanged = true, false
		return out, nil
	}
	info, err = p.Put(ctx, t, data, PutOptions{If: IfVersion(info.Version), Sandbox: o.Sandbox})
	out.Info = encoded(info, n.encoding)
	return out, err
}

// replaceUnseen overwrites a file that is too large to be hashed, which only an
// unconditional write may do. Its start says how it is stored.
func replaceUnseen(ctx context.Context, p Provider, t Target, content string, o WriteOptions) (WriteOutcome, error) {
	head, err := readHead(ctx, p, t)
	if err != nil {
		return WriteOutcome{}, err
	}
	data, n, err := rewrite(p, t, head[:len(head)-textenc.Unfinished(head)], content)
	if err != nil {
		return WriteOutcome{}, err
	}
	info, err := p.Put(ctx, t, data, PutOptions{Sandbox: o.Sandbox})
	return WriteOutcome{Operation: Updated, Info: encoded(info, n.encoding), After: visible(content), EncodingChanged: !n.kept}, err
}

func readHead(ctx context.Context, p Provider, t Target) ([]byte, error) {
	f, err := p.Open(ctx, t)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, sampleSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, readFailed("write", t, err)
	}
	return head[:n], nil
}

// basis is the old text to show beside the new one, or nil. Contract section 8.7.
func basis(old []byte, newSize int, limit int64, unmarked *textenc.Encoding) *string {
	if limit <= 0 {
		limit = DefaultDiffBasisMaxBytes
	}
	if int64(len(old)) >= limit || int64(newSize) >= limit {
		return nil
	}
	doc, why := textenc.Parse(old, unmarked)
	if why != "" {
		return nil
	}
	text := strings.ReplaceAll(doc.Text, "\r\n", "\n")
	return &text
}

// visible is text as a model or a person sees it.
func visible(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, textenc.BOM), "\r\n", "\n")
}
