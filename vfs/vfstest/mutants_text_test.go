package vfstest_test

import (
	"context"
	"regexp"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

// The three capabilities with which a provider does text itself.

type ownTextLoader struct {
	*broken
	load func(ctx context.Context, t vfs.Target) (string, vfs.Info, error)
}

func (o ownTextLoader) ReadText(ctx context.Context, t vfs.Target) (string, vfs.Info, error) {
	return o.load(ctx, t)
}

type ownTextWriter struct {
	*broken
	write func(ctx context.Context, t vfs.Target, content string, o vfs.WriteOptions) (vfs.WriteOutcome, error)
}

func (o ownTextWriter) WriteText(ctx context.Context, t vfs.Target, content string, w vfs.WriteOptions) (vfs.WriteOutcome, error) {
	return o.write(ctx, t, content, w)
}

type ownTextEditor struct {
	*broken
	edit func(ctx context.Context, t vfs.Target, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error)
}

func (o ownTextEditor) EditText(ctx context.Context, t vfs.Target, e vfs.Edit, w vfs.EditOptions) (vfs.EditOutcome, error) {
	return o.edit(ctx, t, e, w)
}

// onLoad changes what a sound ReadText gives; raw is what the file holds.
func onLoad(change func(raw, text string, info vfs.Info, err error) (string, vfs.Info, error)) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		return ownTextLoader{b, func(ctx context.Context, t vfs.Target) (string, vfs.Info, error) {
			text, info, err := vfs.ReadText(ctx, b, t)
			return change(b.content(t.Key), text, info, err)
		}}
	}
}

// onWrite replaces WriteText; next is the sound one.
func onWrite(write func(b *broken, t vfs.Target, content string, o vfs.WriteOptions, next func(string, vfs.WriteOptions) (vfs.WriteOutcome, error)) (vfs.WriteOutcome, error)) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		return ownTextWriter{b, func(ctx context.Context, t vfs.Target, content string, o vfs.WriteOptions) (vfs.WriteOutcome, error) {
			return write(b, t, content, o, func(content string, o vfs.WriteOptions) (vfs.WriteOutcome, error) {
				return vfs.WriteText(ctx, b, t, content, o)
			})
		}}
	}
}

type nextWrite = func(string, vfs.WriteOptions) (vfs.WriteOutcome, error)

func textMutants() []mutant {
	return []mutant{
		{name: "ReadText turns CRLF into LF", kills: []string{"Text/as-it-is"}, breaks: onLoad(func(_, text string, i vfs.Info, err error) (string, vfs.Info, error) {
			return strings.ReplaceAll(text, "\r\n", "\n"), i, err
		})},
		{name: "ReadText shows the byte order mark", kills: []string{"Text/mark-hidden"}, breaks: onLoad(func(raw, text string, i vfs.Info, err error) (string, vfs.Info, error) {
			if err == nil {
				text = raw
			}
			return text, i, err
		})},
		{name: "ReadText mends what is no UTF-8", kills: []string{"Text/not-text"}, breaks: onLoad(func(raw, text string, i vfs.Info, err error) (string, vfs.Info, error) {
			if vfs.CodeOf(err) == vfs.CodeNotText {
				return strings.ToValidUTF8(raw, "\ufffd"), i, nil
			}
			return text, i, err
		})},
		{name: "ReadText tells the version of the text", kills: []string{"Text/read-version"}, breaks: onLoad(func(_, text string, i vfs.Info, err error) (string, vfs.Info, error) {
			i.Version = vfs.VersionOf([]byte(text))
			return text, i, err
		})},
		{name: "ReadText does not tell the encoding", kills: []string{"Text/encoding"}, breaks: onLoad(func(_, text string, i vfs.Info, err error) (string, vfs.Info, error) {
			i.Encoding = ""
			return text, i, err
		})},
		{name: "WriteText turns UTF-16 into UTF-8", kills: []string{"Text/write-keeps-the-encoding"}, breaks: onWrite(func(b *broken, t vfs.Target, content string, o vfs.WriteOptions, next nextWrite) (vfs.WriteOutcome, error) {
			out, err := next(content, o)
			if err == nil && out.Info.Encoding != "" {
				out.Info, err = b.Put(b.ctx, t, []byte(content), vfs.PutOptions{})
			}
			return out, err
		})},
		{name: "WriteText keeps the line endings of the file", kills: []string{"Text/write-exact"}, breaks: onWrite(func(b *broken, t vfs.Target, content string, o vfs.WriteOptions, next nextWrite) (vfs.WriteOutcome, error) {
			if strings.Contains(b.content(t.Key), "\r\n") {
				content = strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\n", "\r\n")
			}
			return next(content, o)
		})},
		{name: "WriteText loses the byte order mark", kills: []string{"Text/write-keeps-the-mark"}, breaks: onWrite(func(b *broken, t vfs.Target, content string, o vfs.WriteOptions, _ nextWrite) (vfs.WriteOutcome, error) {
			info, err := b.Put(b.ctx, t, []byte(strings.TrimPrefix(content, "\ufeff")), vfs.PutOptions{If: o.If})
			return vfs.WriteOutcome{Operation: vfs.Updated, Info: info, After: content}, err
		})},
		{name: "WriteText tells the bytes and not the text", kills: []string{"Text/write-outcome"}, breaks: onWrite(func(b *broken, t vfs.Target, content string, o vfs.WriteOptions, next nextWrite) (vfs.WriteOutcome, error) {
			out, err := next(content, o)
			out.After = content
			return out, err
		})},
		{name: "WriteText publishes what is there already", kills: []string{"Text/write-unchanged"}, breaks: onWrite(func(b *broken, t vfs.Target, content string, o vfs.WriteOptions, next nextWrite) (vfs.WriteOutcome, error) {
			out, err := next(content, o)
			if out.Unchanged {
				out.Unchanged = false
				out.Info, err = b.Put(b.ctx, t, []byte(content), vfs.PutOptions{If: o.If})
			}
			return out, err
		})},
		{name: "WriteText ignores its condition", kills: []string{"Text/write-conditions", "Text/write-one-winner"}, breaks: onWrite(func(_ *broken, _ vfs.Target, content string, o vfs.WriteOptions, next nextWrite) (vfs.WriteOutcome, error) {
			o.If = vfs.Condition{}
			return next(content, o)
		})},
		{name: "WriteText compares versions and then writes", kills: []string{"Text/write-one-winner"}, breaks: onWrite(func(b *broken, t vfs.Target, content string, o vfs.WriteOptions, next nextWrite) (vfs.WriteOutcome, error) {
			if v, guarded := o.If.Version(); guarded && b.isFile(t.Key) && v == vfs.VersionOf([]byte(b.content(t.Key))) {
				b.meet()
				o.If = vfs.Condition{}
			}
			return next(content, o)
		})},
	}
}

// onEdit replaces EditText; next is the sound one.
func onEdit(edit func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error)) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		return ownTextEditor{b, func(ctx context.Context, t vfs.Target, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
			return edit(b, t, e, o, func(e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
				return vfs.EditText(ctx, b, t, e, o)
			})
		}}
	}
}

type nextEdit = func(vfs.Edit, vfs.EditOptions) (vfs.EditOutcome, error)

// rewrite changes what a sound edit left in the file.
func rewrite(change func(string) string) func(*broken) vfs.Provider {
	return onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
		out, err := next(e, o)
		if err == nil {
			out.Info, err = b.Put(b.ctx, t, []byte(change(b.content(t.Key))), vfs.PutOptions{})
		}
		return out, err
	})
}

func editMutants() []mutant {
	return []mutant{
		{name: "an edit makes all line endings one", kills: []string{"Edit/byte-for-byte"}, breaks: rewrite(func(s string) string {
			lf := strings.ReplaceAll(s, "\r\n", "\n")
			if strings.Count(s, "\r\n")*2 > strings.Count(s, "\n") {
				return strings.ReplaceAll(lf, "\n", "\r\n")
			}
			return lf
		})},
		{name: "an edit loses the byte order mark", kills: []string{"Edit/mark-kept"}, breaks: rewrite(func(s string) string { return strings.TrimPrefix(s, "\ufeff") })},
		{name: "an edit turns UTF-16 into UTF-8", kills: []string{"Edit/encoding"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			out, err := next(e, o)
			if err == nil && out.Info.Encoding != "" {
				out.Info, err = b.Put(b.ctx, t, []byte(out.After), vfs.PutOptions{})
			}
			return out, err
		})},
		{name: "an edit matches bytes only", kills: []string{"Edit/line-endings"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			if e.Old != "" && b.isFile(t.Key) && !strings.Contains(b.content(t.Key), e.Old) && o.If == "" {
				return vfs.EditOutcome{}, &vfs.Error{Code: vfs.CodeEditNotFound, Msg: "not found"}
			}
			return next(e, o)
		})},
		{name: "an edit is a pattern", kills: []string{"Edit/literal"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			if re, err := regexp.Compile(e.Old); err == nil && e.Old != "" && len(e.Old) < 100 {
				if found := re.FindString(b.content(t.Key)); found != "" {
					e.New = re.ReplaceAllString(found, e.New)
					e.Old = found
				}
			}
			return next(e, o)
		})},
		{name: "an edit takes the first of many", kills: []string{"Edit/ambiguous"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			out, err := next(e, o)
			if vfs.CodeOf(err) == vfs.CodeAmbiguousEdit {
				out.Info, err = b.Put(b.ctx, t, []byte(strings.Replace(b.content(t.Key), e.Old, e.New, 1)), vfs.PutOptions{})
			}
			return out, err
		})},
		{name: "an edit without a match is a success", kills: []string{"Edit/no-match"}, breaks: onEdit(func(_ *broken, _ vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			out, err := next(e, o)
			if vfs.CodeOf(err) == vfs.CodeEditNotFound {
				err = nil
			}
			return out, err
		})},
		{name: "edits what is no text", kills: []string{"Edit/not-text"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			out, err := next(e, o)
			if vfs.CodeOf(err) == vfs.CodeNotText {
				out.Info, err = b.Put(b.ctx, t, []byte(strings.Replace(b.content(t.Key), e.Old, e.New, 1)), vfs.PutOptions{})
			}
			return out, err
		})},
		{name: "an edit counts one place", kills: []string{"Edit/outcome"}, breaks: onEdit(func(_ *broken, _ vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			out, err := next(e, o)
			out.Count = min(out.Count, 1)
			return out, err
		})},
		{name: "an edit matches before it compares versions", kills: []string{"Edit/stale-first"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			if b.isFile(t.Key) && !strings.Contains(b.content(t.Key), e.Old) {
				o.If = ""
			}
			return next(e, o)
		})},
		{name: "an edit of what is gone is FS_NOT_FOUND", kills: []string{"Edit/missing", "Stale/outside-remove"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			if !b.exists(t.Key) {
				return vfs.EditOutcome{}, vfs.NotFound("edit", t)
			}
			return next(e, o)
		})},
		{name: "an edit of a directory is an I/O error", kills: []string{"Edit/directory", "Errors/texts"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			if b.isDir(t.Key) {
				return vfs.EditOutcome{}, failure("edit", t, vfs.CodeIOError, "is a directory")
			}
			return next(e, o)
		})},
		{name: "an edit overwrites what others did meanwhile", kills: []string{"Edit/all-land"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			text := b.content(t.Key)
			if o.If != "" || strings.Count(text, e.Old) != 1 {
				return next(e, o)
			}
			b.meet()
			info, err := b.Put(b.ctx, t, []byte(strings.Replace(text, e.Old, e.New, 1)), vfs.PutOptions{})
			return vfs.EditOutcome{Info: info, Count: 1}, err
		})},
		{name: "an edit compares versions and then edits", kills: []string{"Edit/one-winner"}, breaks: onEdit(func(b *broken, t vfs.Target, e vfs.Edit, o vfs.EditOptions, next nextEdit) (vfs.EditOutcome, error) {
			text := b.content(t.Key)
			if o.If == "" || o.If != vfs.VersionOf([]byte(text)) || strings.Count(text, e.Old) != 1 {
				return next(e, o)
			}
			b.meet()
			info, err := b.Put(b.ctx, t, []byte(strings.Replace(text, e.Old, e.New, 1)), vfs.PutOptions{})
			return vfs.EditOutcome{Info: info, Count: 1}, err
		})},
	}
}
