//go:build !toolfs_portable

package main

import (
	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

// hooked is a Sys that something happens in: enter is asked before every call and may
// make it fail, leave is told after it. Writes are short, as the kernel's may be.
type hooked struct {
	sys   atomicfile.Sys
	enter func(call string) error
	leave func(call string)
	short int // most bytes of one write
}

// calls are the names of all methods of Sys, as enter and leave get them.
func calls() []string {
	return []string{"OpenTemp", "OpenNew", "OpenPath", "OpenRead", "OpenWrite", "Flags", "SetFlags", "Writable", "Close", "Stat", "StatAt",
		"ReadAt", "Write", "WriteAt", "CopyRange", "Reserve", "Truncate", "Chmod", "Chown", "Listxattr", "Getxattr", "Setxattr",
		"Removexattr", "Sync", "Names", "Link", "Rename", "Unlink", "SetLease", "Lease", "Lock", "Unlock"}
}

func (h *hooked) do(call string, f func() error) error {
	if err := h.enter(call); err != nil {
		return err
	}
	err := f()
	h.leave(call)
	return err
}

func result[T any](h *hooked, call string, failed T, f func() (T, error)) (v T, err error) {
	if err := h.enter(call); err != nil {
		return failed, err
	}
	v, err = f()
	h.leave(call)
	return v, err
}

// piece is as much of a write as is done at once.
func (h *hooked) piece(p []byte) []byte { return p[:min(len(p), h.short)] }

func (h *hooked) OpenTemp(dir int, mode uint32) (int, error) {
	return result(h, "OpenTemp", -1, func() (int, error) { return h.sys.OpenTemp(dir, mode) })
}

func (h *hooked) OpenNew(dir int, name string, mode uint32) (int, error) {
	return result(h, "OpenNew", -1, func() (int, error) { return h.sys.OpenNew(dir, name, mode) })
}

func (h *hooked) OpenPath(dir int, name string) (int, error) {
	return result(h, "OpenPath", -1, func() (int, error) { return h.sys.OpenPath(dir, name) })
}

func (h *hooked) OpenRead(handle int) (int, error) {
	return result(h, "OpenRead", -1, func() (int, error) { return h.sys.OpenRead(handle) })
}

func (h *hooked) OpenWrite(handle int) (int, error) {
	return result(h, "OpenWrite", -1, func() (int, error) { return h.sys.OpenWrite(handle) })
}

func (h *hooked) Flags(fd int) (int, error) {
	return result(h, "Flags", 0, func() (int, error) { return h.sys.Flags(fd) })
}

func (h *hooked) SetFlags(fd, flags int) error {
	return h.do("SetFlags", func() error { return h.sys.SetFlags(fd, flags) })
}

func (h *hooked) Writable(handle int) error {
	return h.do("Writable", func() error { return h.sys.Writable(handle) })
}

// Close closes even where it fails, as the kernel's does.
func (h *hooked) Close(fd int) error {
	if err := h.enter("Close"); err != nil {
		h.sys.Close(fd)
		return err
	}
	err := h.sys.Close(fd)
	h.leave("Close")
	return err
}

func (h *hooked) Stat(fd int, st *unix.Stat_t) error {
	return h.do("Stat", func() error { return h.sys.Stat(fd, st) })
}

func (h *hooked) StatAt(dir int, name string, st *unix.Stat_t) error {
	return h.do("StatAt", func() error { return h.sys.StatAt(dir, name, st) })
}

func (h *hooked) ReadAt(fd int, p []byte, offset int64) (int, error) {
	return result(h, "ReadAt", 0, func() (int, error) { return h.sys.ReadAt(fd, p, offset) })
}

func (h *hooked) Write(fd int, p []byte) (int, error) {
	return result(h, "Write", 0, func() (int, error) { return h.sys.Write(fd, h.piece(p)) })
}

func (h *hooked) WriteAt(fd int, p []byte, offset int64) (int, error) {
	return result(h, "WriteAt", 0, func() (int, error) { return h.sys.WriteAt(fd, h.piece(p), offset) })
}

func (h *hooked) CopyRange(from int, offset int64, to, n int) (int, error) {
	return result(h, "CopyRange", 0, func() (int, error) { return h.sys.CopyRange(from, offset, to, min(n, h.short)) })
}

func (h *hooked) Reserve(fd int, size int64) error {
	return h.do("Reserve", func() error { return h.sys.Reserve(fd, size) })
}

func (h *hooked) Truncate(fd int, size int64) error {
	return h.do("Truncate", func() error { return h.sys.Truncate(fd, size) })
}

func (h *hooked) Chmod(fd int, mode uint32) error {
	return h.do("Chmod", func() error { return h.sys.Chmod(fd, mode) })
}

func (h *hooked) Chown(fd, uid, gid int) error {
	return h.do("Chown", func() error { return h.sys.Chown(fd, uid, gid) })
}

func (h *hooked) Listxattr(fd int, dest []byte) (int, error) {
	return result(h, "Listxattr", -1, func() (int, error) { return h.sys.Listxattr(fd, dest) })
}

func (h *hooked) Getxattr(fd int, name string, dest []byte) (int, error) {
	return result(h, "Getxattr", -1, func() (int, error) { return h.sys.Getxattr(fd, name, dest) })
}

func (h *hooked) Setxattr(fd int, name string, value []byte) error {
	return h.do("Setxattr", func() error { return h.sys.Setxattr(fd, name, value) })
}

func (h *hooked) Removexattr(fd int, name string) error {
	return h.do("Removexattr", func() error { return h.sys.Removexattr(fd, name) })
}

func (h *hooked) Sync(fd int) error {
	return h.do("Sync", func() error { return h.sys.Sync(fd) })
}

func (h *hooked) Names(dir int) ([]string, error) {
	return result(h, "Names", nil, func() ([]string, error) { return h.sys.Names(dir) })
}

func (h *hooked) Link(fd, dir int, name string) error {
	return h.do("Link", func() error { return h.sys.Link(fd, dir, name) })
}

func (h *hooked) Rename(dir int, from, to string, flags uint) error {
	return h.do("Rename", func() error { return h.sys.Rename(dir, from, to, flags) })
}

func (h *hooked) Unlink(dir int, name string) error {
	return h.do("Unlink", func() error { return h.sys.Unlink(dir, name) })
}

func (h *hooked) SetLease(fd, kind int) error {
	return h.do("SetLease", func() error { return h.sys.SetLease(fd, kind) })
}

func (h *hooked) Lease(fd int) (int, error) {
	return result(h, "Lease", -1, func() (int, error) { return h.sys.Lease(fd) })
}

func (h *hooked) Lock(dir int) error {
	return h.do("Lock", func() error { return h.sys.Lock(dir) })
}

func (h *hooked) Unlock(dir int) error {
	return h.do("Unlock", func() error { return h.sys.Unlock(dir) })
}
