//go:build linux

package toolfs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Some vectors are about what somebody without privileges may do. Their calls run in
// this test binary, started once more as that user; setup and snapshots stay here.

const (
	childVariable = "TOOLFS_CONFORMANCE_CHILD"
	nobody        = 65534
)

// child is the other process. Settings and calls go down one pipe as JSON, and
// outcomes come up another.
type child struct {
	cmd  *exec.Cmd
	down *json.Encoder
	up   *json.Decoder
	ends []io.Closer
}

func startChild(binary string, s setting) (*child, error) {
	requests, down, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer requests.Close()
	up, replies, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, down.Close())
	}
	defer replies.Close()
	cmd := exec.Command(binary, "-test.run=^TestConformanceChild$", "-test.timeout=5m")
	cmd.Dir = s.Cwd
	cmd.Env = []string{childVariable + "=1"}
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{requests, replies}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, down.Close(), up.Close())
	}
	c := &child{cmd, json.NewEncoder(down), json.NewDecoder(up), []io.Closer{down, up}}
	return c, c.down.Encode(s)
}

type reply struct {
	Outcome json.RawMessage
	Problem string
}

func (c *child) call(request call) (object, error) {
	if err := c.down.Encode(request); err != nil {
		return nil, err
	}
	var r reply
	if err := c.up.Decode(&r); err != nil {
		return nil, err
	}
	if r.Problem != "" {
		return nil, errors.New(r.Problem)
	}
	v, err := parseJSON(r.Outcome)
	if err != nil {
		return nil, err
	}
	return v.(object), nil
}

func (c *child) close() error {
	var err error
	for _, e := range c.ends {
		err = errors.Join(err, e.Close())
	}
	return errors.Join(err, c.cmd.Wait())
}

// TestConformanceChild is that other process; in any other it does nothing.
func TestConformanceChild(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		return
	}
	syscall.Umask(0o022)
	requests, replies := json.NewDecoder(os.NewFile(3, "requests")), json.NewEncoder(os.NewFile(4, "replies"))
	var s setting
	if err := requests.Decode(&s); err != nil {
		t.Fatal(err)
	}
	tools, err := openToolset(s)
	for {
		var c call
		if e := requests.Decode(&c); errors.Is(e, io.EOF) {
			break
		} else if e != nil {
			t.Fatal(e)
		}
		var r reply
		if err == nil {
			var o object
			o, err = tools.call(c)
			r.Outcome = []byte(stringify(o))
		}
		if err != nil {
			r.Problem = err.Error()
		}
		if err := replies.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err == nil {
		err = tools.close()
	}
	if err != nil {
		t.Error(err)
	}
}

// publicBinary puts a copy of this binary where everybody may run it.
func publicBinary(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	in, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer in.Close()
	path := filepath.Join(dir, "conformance.test")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, in); err != nil {
		return "", fmt.Errorf("copying the test binary: %w", errors.Join(err, out.Close()))
	}
	return path, out.Close()
}
