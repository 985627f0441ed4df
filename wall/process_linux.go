package wall

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/sandbox"
)

const (
	// startTime bounds how long a worker may take to be ready.
	startTime = 10 * time.Second
	// endTime is how long a worker may take to finish before it is killed.
	endTime = 2 * time.Second
	// marker is the whole environment of a worker. A program that knows nothing of its
	// command for workers and runs as ever would start another worker, and so on.
	marker = "TOOLFS_WALL_WORKER"
)

// start starts the worker of a policy and waits until it has put up its wall.
func start(ctx context.Context, p *pool, policy sandbox.Policy) (*remote, error) {
	dirs, err := openPlain(writable(p.fs, policy))
	if err != nil {
		return nil, err
	}
	defer closeAll(dirs)
	w := &remote{workspace: policy.WorkspaceRoot, pending: map[uint64]*pendingCall{}, reading: make(chan struct{})}
	for _, d := range dirs {
		info, err := d.Stat()
		if err != nil {
			return nil, err
		}
		w.written = append(w.written, info)
	}
	ours, theirs, err := socketpair()
	if err != nil {
		return nil, fmt.Errorf("wall: %w", err)
	}
	w.link = newLink(ours)
	w.process, err = launch(p.options, append(append([]*os.File{theirs}, p.roots...), dirs...))
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, fmt.Errorf("wall: %w", err)
	}
	if err := w.shakeHands(ctx, setup{Roots: len(p.roots), Writable: len(dirs), Options: p.fs.Options()}); err != nil {
		ours.Close()
		w.process.cmd.Process.Kill() // it has changed nothing yet
		w.process.end()
		return nil, err
	}
	go w.listen()
	return w, nil
}

// shakeHands tells the worker what it serves, and hears whether its wall stands.
func (w *remote) shakeHands(ctx context.Context, s setup) error {
	defer context.AfterFunc(ctx, func() { w.conn.SetDeadline(time.Unix(1, 0)) })()
	timer := time.AfterFunc(startTime, func() { w.conn.SetDeadline(time.Unix(1, 0)) })
	defer timer.Stop()
	if err := w.send(&s, nil); err != nil {
		return fmt.Errorf("wall: %w", err)
	}
	if err := w.receive(&w.status); err != nil {
		return fmt.Errorf("wall: the worker does not answer: %w", err)
	}
	if !w.status.Confined {
		return fmt.Errorf("wall: the worker is not confined: %s", w.status.Why)
	}
	return ctx.Err()
}

// socketpair makes a connection: our end, and the one for the worker.
func socketpair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), ""), os.NewFile(uintptr(fds[1]), "")
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn, theirs, nil
}

// process is a child that is waited for.
type process struct {
	cmd  *exec.Cmd
	over chan struct{} // closed when it has ended and was waited for
}

// launch starts the command with nothing but the files given, in a group of its own so
// that an interrupt from the keyboard does not end it before its starter.
func launch(o Options, files []*os.File) (*process, error) {
	if os.Getenv(marker) != "" {
		return nil, errors.New("a worker starts no worker: does this program call Work first thing in the command for it?")
	}
	if o.Command == nil {
		o.Command = []string{os.Args[0], "worker"}
	}
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	if o.Command[0] == os.Args[0] {
		cmd.Path, cmd.Err = "/proc/self/exe", nil // this very program, even if another one is installed by now
	}
	cmd.Dir, cmd.Env = "/", []string{marker + "=1"}
	cmd.ExtraFiles = files
	if o.Stderr != nil {
		cmd.Stderr = o.Stderr
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p := &process{cmd: cmd, over: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The child dies with the thread that started it, so that thread waits for it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.over)
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
	}()
	return p, <-started
}

// end waits for the process, whose connection is closed, and kills it if it does not end.
func (p *process) end() {
	for _, patience := range []time.Duration{endTime, endTime} {
		timer := time.NewTimer(patience)
		select {
		case <-p.over:
			timer.Stop()
			return
		case <-timer.C:
			p.cmd.Process.Kill() // what hangs in a file system does not notice
		}
	}
}
