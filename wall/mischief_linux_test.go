package wall

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mischief is what a broken fence would let through, by name: each returns what came of
// the attempt to change something in outside, from ws.
func mischief(ws, outside string) map[string]func() error {
	in, out := func(n string) string { return filepath.Join(ws, n) }, func(n string) string { return filepath.Join(outside, n) }
	open := func(name string, flags int) error {
		fd, err := unix.Open(name, flags|unix.O_CLOEXEC, 0o666)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
	return map[string]func() error{
		"create":        func() error { return open(out("new"), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY) },
		"open to write": func() error { return open(out("f"), unix.O_RDWR) },
		"truncate":      func() error { return unix.Truncate(out("f"), 0) },
		"unnamed":       func() error { return open(outside, unix.O_TMPFILE|unix.O_RDWR) },
		"mkdir":         func() error { return unix.Mkdir(out("dir"), 0o777) },
		"rmdir":         func() error { return unix.Rmdir(out("empty")) },
		"unlink":        func() error { return unix.Unlink(out("f")) },
		"symlink":       func() error { return unix.Symlink("x", out("link")) },
		"fifo":          func() error { return unix.Mkfifo(out("fifo"), 0o666) },
		"link out":      func() error { return unix.Link(in("f"), out("linked")) },
		"link in":       func() error { return unix.Link(out("f"), in("linked")) },
		"rename into":   func() error { return unix.Rename(in("f"), out("moved")) },
		"rename over":   func() error { return unix.Rename(in("f"), out("f")) },
		"rename out of": func() error { return unix.Rename(out("f"), in("taken")) },
		"exchange": func() error {
			return unix.Renameat2(unix.AT_FDCWD, in("f"), unix.AT_FDCWD, out("f"), unix.RENAME_EXCHANGE)
		},
		"through a link": func() error { return open(in("to-f"), unix.O_WRONLY) },
		"through a descriptor": func() error {
			dir, err := unix.Open(outside, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err
			}
			defer unix.Close(dir)
			return unix.Mkdirat(dir, "dir", 0o777)
		},
		"unnamed, named outside": func() error {
			fd, err := unix.Open(ws, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
			if err != nil {
				return err // as it must be in read-only mode
			}
			defer unix.Close(fd)
			return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, out("linked"), unix.AT_SYMLINK_FOLLOW)
		},
	}
}
