//go:build !toolfs_portable

package localfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/internal/textedit"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

const (
	// bigEdit is the size in bytes above which a file is edited without loading it.
	bigEdit = 8 << 20
	// bigChunk is how much of it is in memory while it is searched.
	bigChunk = 256 << 10
	// excerptReach is how far around the match the lines are looked for that are shown
	// and whose endings text put in takes.
	excerptReach = 64 << 10
	// excerptLines is how many lines are shown on either side.
	excerptLines = 3
)

// EditText implements vfs.TextEditor for large files: one pass finds the match and the
// version, and a splice copies the rest. Everything else is errors.ErrUnsupported, and
// the helper's to do.
func (f *FS) EditText(ctx context.Context, t vfs.Target, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
	info, err := f.Stat(ctx, t)
	switch {
	case err != nil, e.ReplaceAll, e.Old == "", info.Type != vfs.TypeFile, info.Size <= bigEdit, f.options.Encoding != utf8Name:
		return vfs.EditOutcome{}, errors.ErrUnsupported
	case info.Size > f.options.MaxGuardedBytes:
		return vfs.EditOutcome{}, vfs.TooLarge("edit", t, info.Size, f.options.MaxGuardedBytes)
	}
	unlock, err := f.locks.Lock(ctx, t.Key)
	if err != nil {
		return vfs.EditOutcome{}, vfs.Aborted("edit", err)
	}
	defer unlock()
	out, err := f.editLarge(ctx, t, e, o)
	if errors.Is(err, fs.ErrNotExist) {
		err = vfs.Stale("edit", t)
	}
	return out, vfs.WithOp(err, "edit")
}

func (f *FS) editLarge(ctx context.Context, t vfs.Target, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
	opened, err := f.Open(ctx, t)
	if err != nil {
		return vfs.EditOutcome{}, err
	}
	defer opened.Close()
	s := &search{scanner: textedit.NewScanner(e.Old), hash: vfs.NewHasher(f.options.MaxGuardedBytes)}
	why, err := s.run(ctx, opened)
	switch {
	case err != nil:
		return vfs.EditOutcome{}, err
	case o.If != "" && s.hash.Version() != o.If:
		return vfs.EditOutcome{}, vfs.Stale("edit", t)
	case why == utf16:
		return vfs.EditOutcome{}, errors.ErrUnsupported
	case why != "":
		return vfs.EditOutcome{}, &vfs.Error{Op: "edit", Path: t.Path, Code: vfs.CodeNotText, Msg: why}
	case s.scanner.Count() == 0:
		return vfs.EditOutcome{}, vfs.EditNotFound(t)
	case s.scanner.Count() > 1:
		return vfs.EditOutcome{}, vfs.AmbiguousEdit(t, s.scanner.Count())
	}
	x, err := s.excerpt(opened.(*boundFile).file)
	if err != nil {
		return vfs.EditOutcome{}, ioError("edit", t.Path, err)
	}
	r, err := textedit.Apply(x.text, e.Old, e.New, false)
	if err != nil {
		return vfs.EditOutcome{}, vfs.EditNotFound(t)
	}
	info, err := f.spliceIn(ctx, t, s.hash.Version(), x.splice(&r), o.Sandbox)
	return vfs.EditOutcome{Info: info, Before: r.Before, After: r.After, Count: 1, FirstLine: x.line}, err
}

// spliceIn publishes the edited file.
func (f *FS) spliceIn(ctx context.Context, t vfs.Target, v vfs.Version, c atomicfile.Splice, policy sandbox.Policy) (vfs.Info, error) {
	return patient(ctx, f, "edit", "edit", t, putGrace, func() (vfs.Info, error) {
		want, err := f.wanted(t, vfs.IfVersion(v))
		if err != nil {
			return vfs.Info{}, err
		}
		dir, err := f.openParent(t, false, policy)
		if err != nil {
			return vfs.Info{}, f.parentError(t, err)
		}
		defer dir.close()
		done, err := f.publisher.ReplaceSpliced(ctx, dir.fd, dir.leaf, c, *want)
		if err != nil {
			return vfs.Info{}, f.putError(ctx, t, err)
		}
		return published(done), nil
	})
}

// utf8Name is the provider's encoding when nothing else was asked for.
const utf8Name = "utf-8"

// utf16 stands for a file that only the helper can edit.
const utf16 = "UTF-16 text"

// search is one pass over a large file.
type search struct {
	scanner *textedit.Scanner
	hash    *vfs.Hasher
	begun   bool
}

// run gives why the file is no text that can be edited here, or "".
func (s *search) run(ctx context.Context, r io.Reader) (why string, err error) {
	buf := make([]byte, bigChunk)
	rest := 0
	for {
		if ctx.Err() != nil {
			return "", vfs.Aborted("edit", context.Cause(ctx))
		}
		n, err := io.ReadFull(r, buf[rest:])
		piece := buf[rest : rest+n]
		s.hash.Write(piece)
		if why == "" {
			why = s.check(buf[:rest+n], err != nil)
			s.scanner.Write(piece)
		}
		s.begun = true
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			s.scanner.Close()
			return why, nil
		}
		if err != nil {
			return "", err
		}
		rest = copy(buf, buf[len(buf)-textenc.Unfinished(buf):])
	}
}

func (s *search) check(data []byte, last bool) string {
	if !s.begun && (bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))) {
		return utf16
	}
	if !last {
		data = data[:len(data)-textenc.Unfinished(data)]
	}
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return textenc.Binary
	case !utf8.Valid(data):
		return textenc.InvalidUTF8
	}
	return ""
}

// excerpt is the part of the file around the match.
type excerpt struct {
	at   int64 // where it stands in the file, in bytes
	line int   // the 1-based line that it begins with
	text string
}

// excerpt reads the lines around the match.
func (s *search) excerpt(file *file) (x excerpt, err error) {
	start, end := s.scanner.First()
	x.at = max(0, start-excerptReach)
	buf := make([]byte, end+excerptReach-x.at)
	n, err := readAt(file, buf, x.at)
	if err != nil {
		return x, err
	}
	buf = buf[:n]
	from := int(start - x.at)
	head := shownBefore(buf[:from], x.at == 0)
	tail := shownAfter(buf[end-x.at:])
	buf = buf[head : int(end-x.at)+tail]
	x.at += int64(head)
	if x.at == 0 {
		x.at += int64(len(buf) - len(bytes.TrimPrefix(buf, []byte(textenc.BOM))))
		buf = bytes.TrimPrefix(buf, []byte(textenc.BOM))
	}
	x.text = string(buf)
	x.line, err = s.lineAt(file, x.at)
	return x, err
}

// lineAt is the 1-based number of the line that byte at lies in.
func (s *search) lineAt(file *file, at int64) (int, error) {
	feeds := int64(0)
	buf := make([]byte, bigChunk)
	for from := int64(0); from < at; {
		n, err := readAt(file, buf[:min(int64(len(buf)), at-from)], from)
		if err != nil || n == 0 {
			return 0, err
		}
		feeds += int64(bytes.Count(buf[:n], []byte{'\n'}))
		from += int64(n)
	}
	return int(feeds) + 1, nil
}

// shownBefore is where the lines before the match begin that are shown.
func shownBefore(before []byte, first bool) int {
	at := len(before)
	for range excerptLines + 1 {
		i := bytes.LastIndexByte(before[:at], '\n')
		if i < 0 {
			if first {
				return 0
			}
			at = 0
			break
		}
		at = i
	}
	if at > 0 || len(before) > 0 && before[0] == '\n' {
		return at + 1
	}
	for at < len(before) && !utf8.RuneStart(before[at]) {
		at++
	}
	return at
}

// shownAfter is where the lines after the match end that are shown.
func shownAfter(after []byte) int {
	at := 0
	for range excerptLines + 1 {
		i := bytes.IndexByte(after[at:], '\n')
		if i < 0 {
			return len(after) - textenc.Unfinished(after)
		}
		at += i + 1
	}
	return at
}

// splice is the one place of the edited excerpt that changes, seen from the file.
func (x excerpt) splice(r *textedit.Result) atomicfile.Splice {
	for span := range r.Spans() {
		return atomicfile.Splice{Start: x.at + int64(span.From), End: x.at + int64(span.To), New: []byte(span.New)}
	}
	return atomicfile.Splice{Start: x.at, End: x.at}
}

func readAt(file *file, buf []byte, at int64) (n int, err error) {
	for n < len(buf) {
		m, err := (atomicfile.Kernel{}).ReadAt(file.fd, buf[n:], at+int64(n))
		if err != nil {
			return n, err
		}
		if m == 0 {
			break
		}
		n += m
	}
	return n, nil
}
