package localfs

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/toolfs/toolfs/vfs"
)

// ioError gives every failure of the system a code and a message without inner paths.
func ioError(op, path string, err error) *vfs.Error {
	e := &vfs.Error{Op: op, Path: path, Code: vfs.CodeIOError, Msg: reason(err), Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Msg = vfs.CodeNotFound, "not found"
	case errors.Is(err, syscall.ENOTDIR):
		e.Code, e.Msg = vfs.CodeNotFound, "a parent path segment is not a directory"
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Msg = vfs.CodePermissionDenied, "permission denied"
	case errors.Is(err, syscall.EBUSY):
		e.Code, e.Msg = vfs.CodeBusy, "it is in use by the system or another process"
	}
	return e
}

// reason is the system's own words for an error, without the names in it.
func reason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		if errno == syscall.ELOOP {
			return "too many symbolic links, or one that is not followed"
		}
		return errno.Error()
	}
	return "the operation failed"
}
