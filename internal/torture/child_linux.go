//go:build !toolfs_portable

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// roleVariable names the environment variable that makes this program a child with a
// role instead; its arguments are the role's.
const roleVariable = "TOOLFS_TORTURE_ROLE"

// role is what a child does. It ends by itself or when its parent kills it.
type role func(args []string) error

func roles() map[string]role {
	return map[string]role{
		"publisher":   publishOnce,
		"writer":      writeForEver,
		"inplace":     writeInPlaceForEver,
		"limited":     putLimited,
		"outsider":    updateForEver,
		"incrementer": incrementAll,
		"creator":     createOnCue,
		"flipper":     flipForEver,
		"victim":      beFlipped,
		"rewriter":    rewriteForEver,
		"modes":       watchModes,
	}
}

// asChild plays the role that the environment names, if it names one.
func asChild() (code int, ok bool) {
	name := os.Getenv(roleVariable)
	if name == "" {
		return 0, false
	}
	play, ok := roles()[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such role:", name)
		return 2, true
	}
	if err := play(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1, true
	}
	return 0, true
}

// child is a running process with a role. It dies with its parent.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

func startChild(ctx context.Context, name string, args ...any) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startProgram(ctx, name, append([]string{self}, texts(args)...))
}

func texts(args []any) []string {
	all := make([]string, len(args))
	for i, a := range args {
		all[i] = fmt.Sprint(a)
	}
	return all
}

func startProgram(ctx context.Context, name string, line []string) (*child, error) {
	c := &child{cmd: exec.CommandContext(ctx, line[0], line[1:]...)}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+name)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.cmd.WaitDelay = 10 * time.Second
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdout = bufio.NewReader(out)
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return c, c.cmd.Start()
}

// line is the next line of output, without its end.
func (c *child) line() (string, error) {
	s, err := c.stdout.ReadString('\n')
	if err != nil {
		return "", err
	}
	return s[:len(s)-1], nil
}

// rest is every whole line of output to its end.
func (c *child) rest() []string {
	var all []string
	for {
		s, err := c.line()
		if err != nil {
			return all
		}
		all = append(all, s)
	}
}

func (c *child) kill() { c.cmd.Process.Kill() }

// wait reports whether the child was killed; any other end but success is an error.
func (c *child) wait() (killed bool, err error) {
	c.stdin.Close()
	err = c.cmd.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return false, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGKILL {
		return true, nil
	}
	return false, fmt.Errorf("%s: %w: %s", c.cmd.Args[0], err, bytes.TrimSpace(c.stderr.Bytes()))
}

// stop kills the child and waits for its end.
func (c *child) stop() error {
	c.kill()
	io.Copy(io.Discard, c.stdout)
	_, err := c.wait()
	return err
}
