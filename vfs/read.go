package vfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/textenc"
)

const (
	chunkSize  = 256 << 10
	sampleSize = textenc.SampleSize
)

// ReadText reads a whole file as text: strict UTF-8, UTF-16 with a byte order mark, or,
// without a mark, what the provider's Encoded says; without a NUL in its first 8192
// bytes. Else it is FS_NOT_TEXT. A leading byte order mark is not part of the text.
// Line endings are untouched. The Info names the version of exactly the bytes read, and
// their encoding.
func ReadText(ctx context.Context, p Provider, t Target) (string, Info, error) {
	if l, ok := As[TextLoader](p); ok {
		return l.ReadText(ctx, t)
	}
	r, err := StreamText(ctx, p, t)
	if err != nil {
		return "", Info{}, err
	}
	defer r.Close()
	var text bytes.Buffer
	for {
		chunk, err := r.Next(ctx)
		if err == io.EOF {
			return text.String(), r.Info(), nil
		}
		if err != nil {
			return "", Info{}, err
		}
		text.Write(chunk)
	}
}

// TextReader gives the text that ReadText gives, in chunks. It belongs to one
// goroutine.
type TextReader struct {
	target  Target
	file    File
	hash    *Hasher // nil when the provider versions its files itself
	buf     []byte
	pending []byte // what the last chunk left: of UTF-8, an unfinished character
	started bool
	eof     bool

	encoding *textenc.Encoding // once started, the file's; before, that of files without a mark
	decoded  []byte            // a buffer, when the encoding is not UTF-8
}

// StreamText opens a file to be read as text, in chunks of at most 256 KiB.
func StreamText(ctx context.Context, p Provider, t Target) (*TextReader, error) {
	unmarked, err := unmarkedEncoding(p, "read", t)
	if err != nil {
		return nil, err
	}
	f, err := openFile(ctx, p, t, "read")
	if err != nil {
		return nil, err
	}
	info := f.Info()
	size := int64(chunkSize)
	if info.Size >= 0 && info.Size < size {
		size = max(info.Size, sampleSize) + utf8.UTFMax
	}
	r := &TextReader{target: t, file: f, buf: make([]byte, size), encoding: unmarked}
	if info.Version == "" {
		limit := maxGuardedBytes(p)
		if info.Size > limit {
			limit = 0
		}
		r.hash = NewHasher(limit)
	}
	return r, nil
}

// Next is the next chunk, valid until the call after it. No chunk ends inside a
// character. After the last one it is io.EOF. Content that is no text is
// FS_NOT_TEXT.
func (r *TextReader) Next(ctx context.Context) ([]byte, error) {
	if r.eof && len(r.pending) == 0 {
		return nil, io.EOF
	}
	text, err := r.fill(ctx)
	if err != nil {
		return nil, err
	}
	if !r.started {
		r.started = true
		r.encoding = textenc.Of(text, r.encoding)
		if r.encoding.HasNUL(text) {
			return nil, notText("read", r.target, textenc.Binary)
		}
		text = r.encoding.Trim(text)
	}
	if !r.encoding.Plain() {
		return r.decode(text)
	}
	if r.eof {
		r.pending = nil
	} else {
		whole := len(text) - textenc.Unfinished(text)
		text, r.pending = text[:whole], text[whole:]
	}
	if !utf8.Valid(text) {
		return nil, notText("read", r.target, textenc.InvalidUTF8)
	}
	if len(text) == 0 && r.eof {
		return nil, io.EOF
	}
	return text, nil
}

// decode gives as much of the text of raw as one chunk has room for.
func (r *TextReader) decode(raw []byte) ([]byte, error) {
	if r.decoded == nil {
		r.decoded = make([]byte, 0, min(len(r.buf)*utf8.UTFMax, chunkSize))
	}
	text, n, ok := r.encoding.Decode(r.decoded, raw, r.eof)
	if !ok {
		return nil, notText("read", r.target, r.encoding.Invalid())
	}
	r.pending = raw[n:]
	if len(text) == 0 && r.eof {
		return nil, io.EOF
	}
	return text, nil
}

// fill reads until there is something to decode; the first time, until the whole
// sample is there that decides whether the file is text.
func (r *TextReader) fill(ctx context.Context) ([]byte, error) {
	n := copy(r.buf, r.pending)
	want := min(n+1, len(r.buf))
	if !r.started {
		want = sampleSize
	}
	for n < want && !r.eof {
		m, err := r.read(ctx, r.buf[n:])
		if err != nil {
			return nil, err
		}
		n += m
	}
	return r.buf[:n], nil
}

func (r *TextReader) read(ctx context.Context, p []byte) (int, error) {
	if err := aborted(ctx, "read"); err != nil {
		return 0, err
	}
	n, err := r.file.Read(p)
	if r.hash != nil {
		r.hash.Write(p[:n])
	}
	switch {
	case err == io.EOF:
		r.eof = true
	case err != nil:
		return n, readFailed("read", r.target, err)
	}
	return n, nil
}

// Drain reads on to the end without decoding, so that Info names a version even
// for content that is no text. Where no version can come of it, it reads nothing.
func (r *TextReader) Drain(ctx context.Context) error {
	for !r.eof && r.hash != nil && r.hash.sum != nil {
		if _, err := r.read(ctx, r.buf); err != nil {
			return err
		}
	}
	return nil
}

// Info describes what was read, after Next has given io.EOF or Drain has returned.
func (r *TextReader) Info() Info {
	info := r.file.Info()
	if r.started && !r.encoding.Plain() {
		info.Encoding = r.encoding.Name()
	}
	switch {
	case r.hash == nil:
	case r.eof:
		info.Size, info.Version = r.hash.Size(), r.hash.Version()
	default:
		info.Version = UnguardedVersion(max(info.Size, r.hash.Size()))
	}
	return info
}

// Proof says, after Next has given io.EOF, how sure it is that the file really held the
// text. Without a Prover it did, unless less of it came than it was said to have.
func (r *TextReader) Proof() Proof {
	if p, ok := r.file.(Prover); ok {
		return p.Proof()
	}
	if r.hash != nil && r.hash.Size() < r.file.Info().Size {
		return Disturbed
	}
	return Proven
}

// Close releases the file.
func (r *TextReader) Close() error { return r.file.Close() }

// ReadBytes reads a whole file of at most limit bytes (inclusive); a larger one is
// FS_TOO_LARGE, whether its size said so or it grew meanwhile.
func ReadBytes(ctx context.Context, p Provider, t Target, limit int64) ([]byte, Info, error) {
	return readBytes(ctx, p, t, limit, "read")
}

func readBytes(ctx context.Context, p Provider, t Target, limit int64, op string) ([]byte, Info, error) {
	f, err := openFile(ctx, p, t, op)
	if err != nil {
		return nil, Info{}, err
	}
	return drain(ctx, p, f, t, limit, op)
}

func openFile(ctx context.Context, p Provider, t Target, op string) (File, error) {
	if err := aborted(ctx, op); err != nil {
		return nil, err
	}
	f, err := p.Open(ctx, t)
	return f, WithOp(err, op)
}

// drain reads an open file to its end, and closes it: a file that is open could not be
// written in place.
func drain(ctx context.Context, p Provider, f File, t Target, limit int64, op string) ([]byte, Info, error) {
	defer f.Close()
	info := f.Info()
	if info.Size > limit {
		return nil, info, TooLarge(op, t, info.Size, limit)
	}
	data := make([]byte, 0, max(info.Size, 0)+1)
	for {
		if err := aborted(ctx, op); err != nil {
			return nil, info, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		piece := data[len(data):min(cap(data), len(data)+chunkSize)]
		n, err := f.Read(piece)
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, info, &Error{Op: op, Path: t.Path, Code: CodeTooLarge,
				Msg: "content exceeds the " + strconv.FormatInt(limit, 10) + "-byte limit"}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, info, readFailed(op, t, err)
		}
	}
	info.Size = int64(len(data))
	switch {
	case info.Version != "":
	case info.Size > maxGuardedBytes(p):
		info.Version = UnguardedVersion(info.Size)
	default:
		info.Version = VersionOf(data)
	}
	return data, info, nil
}

func readFailed(op string, t Target, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return WithOp(e, op)
	}
	return &Error{Op: op, Path: t.Path, Code: CodeIOError, Msg: "the read failed", Err: err}
}

func notText(op string, t Target, why string) *Error {
	return &Error{Op: op, Path: t.Path, Code: CodeNotText, Msg: why}
}

func exceeds(size, limit int64) string {
	return strconv.FormatInt(size, 10) + " bytes exceeds the " + strconv.FormatInt(limit, 10) + "-byte limit"
}
