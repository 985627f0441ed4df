package vfs

import (
	"context"

	"github.com/toolfs/toolfs/internal/textenc"
)

// Unwrapper is implemented by a wrapper that hides nothing of what it wraps. A
// provider that enforces anything must not implement it.
type Unwrapper interface{ Unwrap() Provider }

// As finds a capability: p itself, or what it unwraps to, as a T.
func As[T any](p Provider) (T, bool) {
	for p != nil {
		if t, ok := p.(T); ok {
			return t, true
		}
		u, ok := p.(Unwrapper)
		if !ok {
			break
		}
		p = u.Unwrap()
	}
	var none T
	return none, false
}

// Locator knows a path that a process in the same world can open.
type Locator interface {
	ProcessPath(t Target) (string, error)
}

// Lstater describes a name itself, without following a link in its last component.
type Lstater interface {
	Lstat(ctx context.Context, base, name string) (Info, error)
}

// Container tells whether child is parent or lies below it. Both targets are the
// provider's own.
type Container interface {
	Contains(parent, child Target) bool
}

// TextLoader holds decoded text already (an editor buffer, a cache) and gives it
// whole, cheaper than through Open.
type TextLoader interface {
	ReadText(ctx context.Context, t Target) (string, Info, error)
}

// TextWriter replaces text in a critical section of its own.
type TextWriter interface {
	WriteText(ctx context.Context, t Target, content string, o WriteOptions) (WriteOutcome, error)
}

// TextEditor edits text in a critical section of its own. What it cannot do it leaves to
// EditText by errors.ErrUnsupported.
type TextEditor interface {
	EditText(ctx context.Context, t Target, e Edit, o EditOptions) (EditOutcome, error)
}

// LargeEdit is the size in bytes above which EditText asks a LargeEditor.
const LargeEdit = 8 << 20

// LargeEditor edits a large file without loading it. EditText asks it in the critical
// section of Exclusive, with the file as Open gave it and nobody has read it yet, which
// EditText closes; it starts again where that is right, as after an edit of its own. What
// cannot be done so is left to it by errors.ErrUnsupported: then it loads the file.
type LargeEditor interface {
	EditLarge(ctx context.Context, t Target, opened File, e Edit, o EditOptions) (EditOutcome, error)
}

// Exclusive lets a read-modify-write run without another mutation of the same
// target in this process in between. Until release is called, mutations of t go
// through the Provider that it returns; everyone else waits, first come first
// served. The version check at publication stays, for other processes.
type Exclusive interface {
	Exclusive(ctx context.Context, t Target) (held Provider, release func(), err error)
}

// Guard says up to how many bytes content is hashed into a version that can
// authorise a change; DefaultMaxGuardedBytes for a provider without it.
type Guard interface {
	MaxGuardedBytes() int64
}

// Encoded says in what encoding text files without a byte order mark are, by a name of
// the WHATWG's Encoding Standard: every one of them, whatever its bytes look like, and
// new ones. "", as for a provider without it, is UTF-8. A byte order mark, of UTF-8 or
// UTF-16, always says more.
type Encoded interface {
	TextEncoding() string
}

func unmarkedEncoding(p Provider, op string, t Target) (*textenc.Encoding, error) {
	x, ok := As[Encoded](p)
	if !ok {
		return textenc.UTF8, nil
	}
	e, err := textenc.Lookup(x.TextEncoding())
	if err != nil {
		return nil, notText(op, t, err.Error())
	}
	return e, nil
}

func maxGuardedBytes(p Provider) int64 {
	if g, ok := As[Guard](p); ok {
		return g.MaxGuardedBytes()
	}
	return DefaultMaxGuardedBytes
}

func exclusive(ctx context.Context, p Provider, t Target) (Provider, func(), error) {
	if x, ok := As[Exclusive](p); ok {
		return x.Exclusive(ctx, t)
	}
	return p, func() {}, nil
}
