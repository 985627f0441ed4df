package vfs

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"github.com/toolfs/toolfs/sandbox"
)

// PreviewWrite tells what WriteText would do, or how it would fail, and changes nothing.
// The Info it returns has the version that the file would have; seen is the condition
// under which WriteText would do exactly that.
func PreviewWrite(ctx context.Context, p Provider, t Target, content string, o WriteOptions) (out WriteOutcome, seen Condition, err error) {
	v := &preview{p: p}
	if out, err = WriteText(ctx, v, t, content, o); out.Unchanged {
		v.seen = IfVersion(out.Info.Version)
	}
	return out, v.seen, err
}

// PreviewEdit tells what EditText would do, or how it would fail, and changes nothing; it
// loads the file. seen is the version that it would change.
func PreviewEdit(ctx context.Context, p Provider, t Target, e Edit, o EditOptions) (out EditOutcome, seen Version, err error) {
	v := &preview{p: p}
	out, err = EditText(ctx, v, t, e, o)
	seen, _ = v.seen.Version()
	return out, seen, err
}

// preview is a provider whose Put publishes nothing. It hides what a provider can do
// better than the helpers, which would not go through that Put.
type preview struct {
	p    Provider
	seen Condition // of the last Put
}

func (v *preview) Resolve(ctx context.Context, base, name string) (Target, error) {
	return v.p.Resolve(ctx, base, name)
}
func (v *preview) Stat(ctx context.Context, t Target) (Info, error) { return v.p.Stat(ctx, t) }
func (v *preview) Open(ctx context.Context, t Target) (File, error) { return v.p.Open(ctx, t) }
func (v *preview) ReadDir(ctx context.Context, t Target) iter.Seq2[Entry, error] {
	return v.p.ReadDir(ctx, t)
}

// MaxGuardedBytes implements Guard.
func (v *preview) MaxGuardedBytes() int64 { return maxGuardedBytes(v.p) }

// TextEncoding implements Encoded.
func (v *preview) TextEncoding() string {
	if e, ok := As[Encoded](v.p); ok {
		return e.TextEncoding()
	}
	return ""
}

// SandboxMode implements Confiner.
func (v *preview) SandboxMode() sandbox.Mode { return SandboxMode(v.p) }

// CheckWrite implements Confiner.
func (v *preview) CheckWrite(ctx context.Context, t Target, p sandbox.Policy) error {
	return CheckWrite(ctx, v.p, t, p)
}

// Put checks what a Put would check, as far as that can be seen.
func (v *preview) Put(ctx context.Context, t Target, data []byte, o PutOptions) (Info, error) {
	v.seen = o.If
	info, err := v.p.Stat(ctx, t)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return Info{}, WithOp(err, "write")
	case !missing && info.Type != TypeFile:
		return Info{}, NotRegular("write", t)
	case !missing && o.If.Absent():
		return Info{}, Exists(t)
	}
	if _, guarded := o.If.Version(); guarded && missing {
		return Info{}, Gone("write", t)
	}
	return Info{Type: TypeFile, Size: int64(len(data)), Version: VersionOf(data)}, nil
}
