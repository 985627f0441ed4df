package vfs

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/toolfs/toolfs/internal/quote"
)

// Code is a stable, closed, append-only error code. Contract section 14.
type Code string

// The codes. NotObserved and StaleVersion are the two that a guarded change can
// meet; Busy means that another process has the file open for writing or holds
// its lock, that nothing changed, and that the call can be tried again.
const (
	CodeNotFound         Code = "FS_NOT_FOUND"
	CodeNotDirectory     Code = "FS_NOT_DIRECTORY"
	CodeNotText          Code = "FS_NOT_TEXT"
	CodeNotRegularFile   Code = "FS_NOT_REGULAR_FILE"
	CodeTooLarge         Code = "FS_TOO_LARGE"
	CodePermissionDenied Code = "FS_PERMISSION_DENIED"
	CodeSandboxDenied    Code = "FS_SANDBOX_DENIED"
	CodeIOError          Code = "FS_IO_ERROR"
	CodeStaleVersion     Code = "FS_STALE_VERSION"
	CodeNotObserved      Code = "FS_NOT_OBSERVED"
	CodeAmbiguousEdit    Code = "FS_AMBIGUOUS_EDIT"
	CodeEditNotFound     Code = "FS_EDIT_NOT_FOUND"
	CodeAborted          Code = "FS_ABORTED"
	CodeBusy             Code = "FS_BUSY"
)

// Error is the only error type that crosses the seam. With an Op the text is
// `cannot <Op> "<Path>": <Msg>`; without, Msg is the whole text. Err is the cause
// for errors.Is and logs; its text never shows unless Msg repeats it.
type Error struct {
	Op   string
	Path string
	Code Code
	Msg  string
	Err  error
}

// Error is the text for the model or the person.
func (e *Error) Error() string {
	if e.Op == "" {
		return e.Msg
	}
	return "cannot " + e.Op + " " + QuotePath(e.Path) + ": " + e.Msg
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches the io/fs sentinels and context.Canceled by code.
func (e *Error) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return e.Code == CodeNotFound
	case fs.ErrPermission:
		return e.Code == CodePermissionDenied || e.Code == CodeSandboxDenied
	case fs.ErrExist:
		return e.Code == CodeNotObserved
	}
	return false
}

// ErrorInfo is the name and code that a tool result carries. Contract section 3.7.
func (e *Error) ErrorInfo() (name, code string) { return "FsError", string(e.Code) }

// CodeOf is the code of the first *Error in err's chain, or "" when there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// QuotePath puts a path between double quotes for a message. A path that could
// forge the text around it is written as a JSON string instead.
func QuotePath(path string) string {
	if quote.Forges(path) {
		return quote.JSON(path)
	}
	return `"` + path + `"`
}

// aborted is the error of a cancelled operation, or nil while ctx is live.
func aborted(ctx context.Context, verb string) error {
	if ctx.Err() == nil {
		return nil
	}
	return Aborted(verb, context.Cause(ctx))
}

// Aborted is the FS_ABORTED error of verb: one of resolve, stat, lstat, read,
// list, write, edit.
func Aborted(verb string, cause error) *Error {
	return &Error{Code: CodeAborted, Msg: verb + " aborted", Err: cause}
}

// WithOp rewords an error of one operation as that of another: a Put inside an
// edit fails as an edit.
func WithOp(err error, op string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	switch {
	case e.Code == CodeAborted:
		return Aborted(op, e.Err)
	case e.Op == "" || e.Op == op:
		return err
	}
	c := *e
	c.Op = op
	return &c
}

// Stale says that the target is not what the caller saw.
func Stale(op string, t Target) *Error {
	return &Error{Op: op, Path: t.Path, Code: CodeStaleVersion, Msg: "file changed since it was read"}
}

// Gone says that the target that the caller saw no longer exists.
func Gone(op string, t Target) *Error {
	return &Error{Op: op, Path: t.Path, Code: CodeStaleVersion, Msg: "file no longer exists", Err: fs.ErrNotExist}
}

// Exists says that a target that was to be created is there already.
func Exists(t Target) *Error {
	return &Error{Path: t.Path, Code: CodeNotObserved,
		Msg: "cannot overwrite existing " + QuotePath(t.Path) + " without reading it first"}
}

// NotFound says that there is nothing at the target.
func NotFound(op string, t Target) *Error {
	return &Error{Op: op, Path: t.Path, Code: CodeNotFound, Msg: "not found", Err: fs.ErrNotExist}
}

// NotRegular says that the target is no regular file.
func NotRegular(op string, t Target) *Error {
	return &Error{Op: op, Path: t.Path, Code: CodeNotRegularFile, Msg: "not a regular file"}
}

// EditNotFound says that the text to replace does not occur in the target.
func EditNotFound(t Target) *Error {
	return &Error{Path: t.Path, Code: CodeEditNotFound, Msg: "old_string was not found in " + QuotePath(t.Path)}
}

// AmbiguousEdit says that the text to replace occurs count times in the target.
func AmbiguousEdit(t Target, count int64) *Error {
	return &Error{Path: t.Path, Code: CodeAmbiguousEdit,
		Msg: "old_string matched " + strconv.FormatInt(count, 10) + " times in " + QuotePath(t.Path) +
			"; provide a more specific old_string or set replace_all to true"}
}

// TooLarge says that the target has more bytes than the limit allows.
func TooLarge(op string, t Target, size, limit int64) *Error {
	return &Error{Op: op, Path: t.Path, Code: CodeTooLarge, Msg: exceeds(size, limit)}
}
