package ripgrep

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// marks is the byte order marks: what begins with one is read by whoever asks, in the
// encoding that it says.
const marks = `|(?-u:\xFE\xFF|\xFF\xFE|\xEF\xBB\xBF|\x84\x31\x95\x33)`

// Start lets ripgrep look through a directory. The sieve must be closed.
//
// The program gets half of the time that ctx has left, so that some remains to use what
// it said by then. It sees nothing of the environment and no configuration. Its messages
// go nowhere: they could name files that nobody asked for.
func Start(ctx context.Context, q Query) (*Sieve, error) {
	var stop context.CancelFunc
	if deadline, ok := ctx.Deadline(); ok {
		ctx, stop = context.WithTimeout(ctx, time.Until(deadline)/2)
	} else {
		ctx, stop = context.WithCancel(ctx)
	}
	cmd := exec.CommandContext(ctx, q.Program, arguments(q)...)
	cmd.Env = []string{}
	cmd.Stderr = io.Discard // and not /dev/null, which a sandbox may not let be written
	cmd.WaitDelay = time.Second
	// The open directory itself, whatever its path leads to by now. The child goes there
	// while it still has the descriptor.
	cmd.Dir = fmt.Sprintf("/proc/self/fd/%d", q.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := start(cmd)
	if err != nil {
		stop()
		return nil, err
	}
	s := &Sieve{stop: stop, done: make(chan struct{}), seed: maphash.MakeSeed(), known: map[uint64]struct{}{}}
	go func() {
		defer close(s.done)
		defer out.Close()
		s.collect(&calm{out})
		stop() // it may have more to say than anybody keeps
		_ = cmd.Wait()
	}()
	return s, nil
}

// start starts the program, and gives what it says. It says it a file at a time, so its
// pipe is a large one that nobody waits at: to be woken each time would take longer than
// the search.
func start(cmd *exec.Cmd) (*os.File, error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, err
	}
	out, in := os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1")
	defer in.Close()
	// Not every process may have one that large, and then it waits more often.
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, uintptr(ends[1]), syscall.F_SETPIPE_SZ, pipeSize)
	cmd.Stdout = in
	if err := cmd.Start(); err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

const (
	pipeSize = 1 << 20
	// pause is how long what was said may lie there.
	pause = 2 * time.Millisecond
)

// calm reads a pipe now and then.
type calm struct{ pipe *os.File }

// Read implements io.Reader.
func (c *calm) Read(p []byte) (int, error) {
	n, err := c.pipe.Read(p)
	if n > 0 && n < len(p) {
		time.Sleep(pause)
	}
	return n, err
}

// arguments ask for the files without a match. Each of those is one that was read from
// start to end as bytes, in which there is no NUL: ripgrep drops a file at its first.
func arguments(q Query) []string {
	args := []string{
		"--no-config", "--files-without-match", "--null", "--encoding=none", "--no-mmap", "--no-messages", "--color=never",
		// Another file system may give its files a meaning of its own.
		"--one-file-system", "--no-ignore-global",
	}
	// What it skips is read by whoever asks, so that nothing depends on how it takes the
	// glob: as one that leaves files out it would only be of no use.
	if q.Include != "" && !strings.HasPrefix(q.Include, "!") {
		args = append(args, "--glob="+q.Include)
	}
	return append(args, "--regexp="+q.Expr+marks, "--", "./")
}
