//go:build !toolfs_portable

package localfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/internal/textedit"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

const (
	// excerptReach is how far around the match the lines are looked for that are shown
	// and whose endings text put in takes.
	excerptReach = 64 << 10
	// excerptLines is how many lines are shown on either side.
	excerptLines = 3
)

// largeFile is an open file that is looked at again where the match was.
type largeFile interface {
	io.Reader
	io.ReaderAt
}

// EditLarge implements vfs.LargeEditor: one pass finds the match and the version, and a
// splice copies the rest. Where nothing else can take the file's name, it has to be
// loaded: what is rewritten in place is in the journal as a whole, old and new. That is
// done up to vfs.DefaultMaxGuardedBytes; above, the edit is refused as a Put would be
// without a journal.
func (h *held) EditLarge(ctx context.Context, t vfs.Target, opened vfs.File, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
	file, ok := opened.(largeFile)
	if !ok || t.Key != h.key || e.ReplaceAll || e.Old == "" || sameText(e.Old, e.New) || h.options.Encoding != utf8Name {
		return vfs.EditOutcome{}, errors.ErrUnsupported
	}
	s := newSearch(e.Old, h.options.MaxGuardedBytes)
	why, err := s.run(ctx, file)
	found := s.found()
	switch {
	case err != nil:
		return vfs.EditOutcome{}, err
	case o.If != "" && s.hash.Version() != o.If:
		return vfs.EditOutcome{}, vfs.Stale("edit", t)
	case why == marked:
		return vfs.EditOutcome{}, errors.ErrUnsupported
	case why != "":
		return vfs.EditOutcome{}, &vfs.Error{Op: "edit", Path: t.Path, Code: vfs.CodeNotText, Msg: why}
	case found.Count() == 0:
		return vfs.EditOutcome{}, vfs.EditNotFound(t)
	case found.Count() > 1:
		return vfs.EditOutcome{}, vfs.AmbiguousEdit(t, found.Count())
	}
	x, err := excerptOf(ctx, file, found)
	if err != nil {
		return vfs.EditOutcome{}, err
	}
	r, err := textedit.Apply(x.text, e.Old, e.New, false)
	if err != nil {
		return vfs.EditOutcome{}, vfs.Stale("edit", t) // it was there a moment ago
	}
	info, err := h.splice(ctx, t, vfs.PutOptions{If: vfs.IfVersion(s.hash.Version()), Sandbox: o.Sandbox}, x.splice(&r))
	return vfs.EditOutcome{Info: info, Before: r.Before, After: r.After, Count: 1, FirstLine: x.line}, err
}

// splice publishes the edited file as Put does.
func (h *held) splice(ctx context.Context, t vfs.Target, o vfs.PutOptions, c atomicfile.Splice) (vfs.Info, error) {
	info, err := h.publish(ctx, t, func() (vfs.Info, error) {
		return h.putInto(ctx, t, o, func(dir *parent, want *atomicfile.Digest) (atomicfile.Outcome, error) {
			return h.publisher.ReplaceSpliced(ctx, dir.fd, dir.leaf, c, *want)
		})
	})
	v, _ := o.If.Version()
	if size, _, _ := v.Digest(); atomicfile.CannotReplace(err) && size <= vfs.DefaultMaxGuardedBytes {
		return info, errors.ErrUnsupported
	}
	return info, err
}

func sameText(a, b string) bool {
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// excerpt is the part of the file around the match.
type excerpt struct {
	at   int64 // where it stands in the file, in bytes
	line int   // the 1-based line that it begins with
	text string
}

// excerptOf reads the lines around the match.
func excerptOf(ctx context.Context, file io.ReaderAt, found *textedit.Scanner) (x excerpt, err error) {
	start, end := found.First()
	x.at = max(0, start-excerptReach)
	buf := make([]byte, end+excerptReach-x.at)
	n, err := file.ReadAt(buf, x.at)
	if err != nil && err != io.EOF {
		return x, err
	}
	buf = buf[:max(n, int(end-x.at))] // a file that has become shorter is not what was searched
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
	x.line, err = lineAt(ctx, file, x.at)
	return x, err
}

// lineAt is the 1-based number of the line that byte at lies in.
func lineAt(ctx context.Context, file io.ReaderAt, at int64) (int, error) {
	feeds := 0
	buf := make([]byte, bigChunk)
	for from := int64(0); from < at; from += int64(len(buf)) {
		if ctx.Err() != nil {
			return 0, vfs.Aborted("edit", context.Cause(ctx))
		}
		n, err := file.ReadAt(buf[:min(int64(len(buf)), at-from)], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		feeds += bytes.Count(buf[:n], []byte{'\n'})
	}
	return feeds + 1, nil
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
