// Package vfs is the seam between the file tools and whatever holds the files:
// a local disk, a confined workspace, memory, a remote world.
//
// A provider implements five methods. Everything that a tool does with files is
// a function over them, the way io/fs.ReadFile is a function over io/fs.FS: it
// uses a method of the provider's own when the provider offers one, and else
// composes the five.
//
// The package knows nothing of tools, sessions, policies, protocols or screens.
//
// # Messages
//
// These are the texts with which a provider and the helper functions fail, <p> being the
// path as it is shown. They are part of the interface; contract section 14.
//
//	FS_NOT_FOUND          cannot read "<p>": not found
//	                      cannot list "<p>": not found
//	                      cannot resolve "<p>": a parent path segment is not a directory
//	FS_NOT_DIRECTORY      cannot list "<p>": not a directory
//	FS_NOT_REGULAR_FILE   cannot read "<p>": not a regular file
//	                      cannot write "<p>": not a regular file
//	                      cannot edit "<p>": not a regular file
//	FS_NOT_TEXT           cannot read "<p>": binary file
//	                      cannot read "<p>": invalid UTF-8 text
//	                      cannot edit "<p>": binary file
//	                      cannot edit "<p>": invalid UTF-8 text
//	                      cannot read "<p>": invalid <encoding> text (and edit)
//	                      cannot read "<p>": UTF-32 text, which is not supported (and edit)
//	                      cannot read "<p>": GB18030 text, which is read only where that encoding is named (and edit)
//	                      cannot edit "<p>": "<c>" (U+<n>) cannot be written in <encoding> (and write)
//	                      cannot edit "<p>": text that begins so would be read as <encoding>, not as <encoding> (and write)
//	FS_TOO_LARGE          cannot read "<p>": <size> bytes exceeds the <max>-byte limit
//	                      cannot read "<p>": content exceeds the <max>-byte limit
//	FS_PERMISSION_DENIED  cannot list "<p>": permission denied
//	FS_IO_ERROR           cannot write "<p>": <the system's words>
//	FS_NOT_OBSERVED       cannot overwrite existing "<p>" without reading it first
//	FS_STALE_VERSION      cannot write "<p>": file no longer exists
//	                      cannot write "<p>": file changed since it was read
//	                      cannot edit "<p>": file changed since it was read
//	FS_EDIT_NOT_FOUND     old_string was not found in "<p>"
//	FS_AMBIGUOUS_EDIT     old_string matched <n> times in "<p>"; provide a more specific old_string or set replace_all to true
//	FS_ABORTED            read aborted (and resolve, stat, lstat, list, write, edit)
package vfs

import (
	"context"
	"io"
	"iter"

	"github.com/toolfs/toolfs/sandbox"
)

// Target is one resolved file identity. Key is opaque: equal keys mean the same
// file, through any alias, and the key of a missing file stays the same once the
// file exists. Path is what people and models see. Only a provider makes targets.
type Target struct {
	Key  string `json:"key"`
	Path string `json:"path"`
}

// Type says what kind of thing a name denotes.
type Type string

// The types of a directory entry or target. Everything that is neither a regular
// file nor a directory (a FIFO, a socket, a device, a dangling link) is TypeOther;
// TypeSymlink is only ever reported by Lstat.
const (
	TypeFile      Type = "file"
	TypeDirectory Type = "directory"
	TypeOther     Type = "other"
	TypeSymlink   Type = "symlink"
)

// Info describes a target. Size is in bytes, or -1 when it is not known; a reader
// must then assume that it is arbitrarily large. Version is empty when it is not
// known without reading the content.
type Info struct {
	Type    Type
	Size    int64
	Version Version

	// Publication is set in what Put returns, by a provider that knows.
	Publication Publication

	// Encoding is set in what the functions for text return, when it is not UTF-8:
	// the name of the encoding in the WHATWG's Encoding Standard, in lower case.
	Encoding string
}

// Guarantee says how sure a publication is that it lost no change of others.
type Guarantee string

// The guarantees, strongest first. An empty one is unknown.
const (
	// GuaranteeCreated: the name was free, and nobody else can have taken it.
	GuaranteeCreated Guarantee = "created"
	// GuaranteeExchanged: what was replaced was verified after it was taken out.
	GuaranteeExchanged Guarantee = "exchanged"
	// GuaranteeChecked: it was verified right before it was replaced.
	GuaranteeChecked Guarantee = "checked"
	// GuaranteeInPlace: the file was rewritten in place, under a lease and a journal.
	GuaranteeInPlace Guarantee = "in-place"
)

// Publication says how new content came into a file. NotDurable means that the
// system was asked, and could not assure that it survives a power cut, which is no failure. LinkCount is how
// many names the replaced file had: above 1, the others keep the old content.
type Publication struct {
	Guarantee  Guarantee
	NotDurable bool
	LinkCount  int
}

// Entry is one direct child of a directory. Name holds the raw bytes of the name.
// A link is classified by what it leads to; a broken one is TypeOther.
type Entry struct {
	Name string
	Type Type
}

// File is an open regular file: the raw bytes of one version, in order. Info is of
// the opened file itself, never of whatever the name denotes later. A File belongs
// to one goroutine.
type File interface {
	io.ReadCloser
	Info() Info
}

// Prover is implemented by a File that others can write to while it is read. Once it has
// been read to its end it tells whether that was a content that the file really had: not
// a mixture of what it held before and after. A File without it is one version whatever
// happens, as one in memory or in an object store is.
type Prover interface {
	Proof() Proof
}

// Proof says how sure it is that a read saw one content.
type Proof uint8

// The proofs.
const (
	// Disturbed: somebody may have been writing; what was read may be a mixture.
	Disturbed Proof = iota
	// Quiet: nobody was seen, but the file changed so recently that its times would
	// not show a writer. A second read that sees the same settles it.
	Quiet
	// Proven: it was one content.
	Proven
)

// PutOptions says when a Put may take place. The zero value is unconditional.
type PutOptions struct {
	If Condition

	// Sandbox is the policy of the call, to which a provider that confines holds; the
	// zero Policy is the provider's own.
	Sandbox sandbox.Policy
}

// Provider is the seam. All methods are safe for concurrent use, honour the
// context (FS_ABORTED), and fail with *Error. Contract section 7.
type Provider interface {
	// Resolve gives the identity that name denotes, seen from the directory base
	// when name is relative (the provider's own default when base is empty). It
	// works for a missing file too. Codes: FS_NOT_FOUND, FS_NOT_DIRECTORY,
	// FS_PERMISSION_DENIED, FS_SANDBOX_DENIED, FS_IO_ERROR, FS_ABORTED.
	Resolve(ctx context.Context, base, name string) (Target, error)

	// Stat describes a target without reading it. A missing target is
	// FS_NOT_FOUND and matches fs.ErrNotExist.
	Stat(ctx context.Context, t Target) (Info, error)

	// Open opens a regular file for reading; it never waits for the other end of
	// a FIFO and never opens a device. Codes: FS_NOT_FOUND,
	// FS_NOT_REGULAR_FILE, FS_PERMISSION_DENIED, FS_IO_ERROR, FS_ABORTED.
	Open(ctx context.Context, t Target) (File, error)

	// ReadDir yields the direct children in no particular order. An error ends
	// the sequence; a bad child is an entry of TypeOther, not an error. Codes:
	// FS_NOT_FOUND, FS_NOT_DIRECTORY, FS_PERMISSION_DENIED, FS_IO_ERROR,
	// FS_ABORTED.
	ReadDir(ctx context.Context, t Target) iter.Seq2[Entry, error]

	// Put makes data the whole content of the target, entirely or not at all,
	// and only if o.If holds at the moment of publication. Missing parent
	// directories are created, and removed again when the put fails. The Info
	// returned describes the bytes that were written, as a reader learns it: above
	// the limit of Guard by an UnguardedVersion. Codes: FS_NOT_OBSERVED
	// (IfAbsent, but it exists), FS_STALE_VERSION (IfVersion, but it changed or
	// is gone), FS_TOO_LARGE (the version cannot be verified),
	// FS_NOT_REGULAR_FILE, FS_PERMISSION_DENIED, FS_SANDBOX_DENIED,
	// FS_IO_ERROR, FS_BUSY, FS_ABORTED.
	Put(ctx context.Context, t Target, data []byte, o PutOptions) (Info, error)
}
