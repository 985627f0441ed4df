package wall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// Work does the writing for the process at the other end of the connection, which New
// started: it puts up the wall around this process, and then makes the changes that it is
// asked for, until the other end closes the connection or ctx ends. A program calls it
// first thing in the command that Options.Command names, with
// os.NewFile(wall.Connection, "").
func Work(ctx context.Context, connection *os.File) error {
	return work(ctx, connection, openFiles)
}

// files is what a worker writes with.
type files interface {
	vfs.Provider
	io.Closer
}

func openFiles(roots []string, o localfs.Options) (files, error) {
	if len(roots) == 0 {
		return localfs.Host(o)
	}
	return localfs.Root(roots, o)
}

func work(ctx context.Context, connection *os.File, open func([]string, localfs.Options) (files, error)) error {
	if connection == nil {
		return errors.New("wall: this command is started by the program itself")
	}
	conn, err := net.FileConn(connection)
	connection.Close()
	if err != nil {
		return fmt.Errorf("wall: this command is started by the program itself: %w", err)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { conn.Close() })
	w := &worker{link: newLink(conn)}
	var s setup
	if err := w.receive(&s); err != nil {
		return fmt.Errorf("wall: %w", err)
	}
	closeInherited(Connection + s.Roots + s.Writable)
	var status Status
	status, w.files, err = build(s, open)
	if err != nil {
		status.Confined, status.Why = false, err.Error()
		return errors.Join(err, w.send(&status, nil))
	}
	defer w.files.Close()
	if err := w.send(&status, nil); err != nil {
		return fmt.Errorf("wall: %w", err)
	}
	err = w.serve(ctx)
	cancel()
	w.calls.Wait()
	return err
}

// closeInherited closes what whoever started our starter left open for every process, but
// for the standard streams and the descriptors up to last, which are meant for this one.
func closeInherited(last int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= last {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// build puts up the wall, and only then opens the files.
func build(s setup, open func([]string, localfs.Options) (files, error)) (Status, files, error) {
	dirs := make([]*os.File, s.Roots+s.Writable)
	for i := range dirs {
		dirs[i] = os.NewFile(uintptr(Connection+1+i), "")
		unix.CloseOnExec(Connection + 1 + i)
	}
	defer closeAll(dirs)
	status, err := confine(dirs[s.Roots:])
	if err != nil {
		return status, nil, err
	}
	var roots []string
	for _, d := range dirs[:s.Roots] {
		roots = append(roots, procFD(d))
	}
	opened, err := open(roots, s.Options)
	return status, opened, err
}

// worker is the process that writes.
type worker struct {
	*link
	files files
	calls sync.WaitGroup

	running sync.Map // of context.CancelFunc, by request
}

// serve makes changes until the connection ends.
func (w *worker) serve(ctx context.Context) error {
	for {
		var r request
		err := w.receive(&r)
		switch {
		case errors.Is(err, io.EOF), err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("wall: %w", err)
		case r.Cancel:
			if cancel, ok := w.running.Load(r.ID); ok {
				cancel.(context.CancelFunc)()
			}
			continue
		}
		data, err := w.data(r.Size)
		if err != nil {
			return fmt.Errorf("wall: %w", err)
		}
		call, cancel := context.WithCancel(ctx)
		w.running.Store(r.ID, cancel)
		w.calls.Go(func() {
			defer cancel()
			defer w.running.Delete(r.ID)
			answer := reply{ID: r.ID}
			info, err := w.files.Put(call, r.Target, data, r.options())
			if answer.Info = info; err != nil {
				answer.Failed = failureOf(err)
			}
			w.send(&answer, nil) // fails when nobody is there to hear it
		})
	}
}
