package wall

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// crashing is a worker's provider that ends, hangs or tells of its process as the
// content says.
type crashing struct{ *localfs.FS }

func openCrashing(_ []string, o localfs.Options) (files, error) {
	p, err := localfs.Host(o)
	return crashing{p}, err
}

func (c crashing) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	switch string(data) {
	case "die":
		os.Exit(3)
	case "wait":
		<-ctx.Done()
		return vfs.Info{}, vfs.Aborted("write", context.Cause(ctx))
	case "hang":
		select {}
	case "tell":
		data = fmt.Appendf(nil, "%d\n%q\n%q", os.Getpid(), os.Environ(), descriptors("self"))
	}
	return c.FS.Put(ctx, t, data, o)
}

// descriptors is what a process has open.
func descriptors(pid string) (open []string) {
	entries, _ := os.ReadDir("/proc/" + pid + "/fd")
	for _, e := range entries {
		to, _ := os.Readlink("/proc/" + pid + "/fd/" + e.Name())
		open = append(open, to)
	}
	return open
}

func put(t *testing.T, ctx context.Context, f *FS, name, data string) error {
	t.Helper()
	_, err := f.Put(ctx, target(t, f, name), []byte(data), vfs.PutOptions{})
	return err
}

func crashable(t *testing.T) (f *FS, ws string) {
	ws, _ = places(t)
	return behind(t, ws, Options{Command: []string{os.Args[0], "crashing-worker"}}), ws
}

func TestAWorkerThatEndsIsReplaced(t *testing.T) {
	f, ws := crashable(t)
	for range 3 {
		err := put(t, t.Context(), f, "f", "die")
		if vfs.CodeOf(err) != vfs.CodeIOError || !strings.Contains(err.Error(), "it is not known whether the change was made") {
			t.Errorf("a call that the worker ended in: %v", err)
		}
		if err := put(t, t.Context(), f, "f", "alive"); err != nil {
			t.Errorf("the next call: %v", err)
		}
	}
	if got := content(t, filepath.Join(ws, "f")); got != "alive" {
		t.Errorf("the file holds %q", got)
	}
	pid := f.workers.workers[ws].process.cmd.Process
	pid.Kill()
	if err := put(t, t.Context(), f, "f", "again"); err != nil && !strings.Contains(err.Error(), "not known") {
		t.Errorf("after it was killed: %v", err)
	}
	if err := put(t, t.Context(), f, "f", "again"); err != nil {
		t.Error(err)
	}
}

func TestAWorkerThatAlwaysEndsIsNotStartedForEver(t *testing.T) {
	f, _ := crashable(t)
	put(t, t.Context(), f, "f", "die")
	put(t, t.Context(), f, "f", "die")
	err := put(t, t.Context(), f, "f", "x")
	if vfs.CodeOf(err) != vfs.CodeIOError || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("the third call: %v", err)
	}
	f.workers.mu.Lock()
	f.workers.crashed = time.Now().Add(-crashPause)
	f.workers.mu.Unlock()
	if err := put(t, t.Context(), f, "f", "x"); err != nil {
		t.Errorf("after the pause: %v", err)
	}
}

func TestCancellationReachesTheWorker(t *testing.T) {
	f, _ := crashable(t)
	cause := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	err := put(t, ctx, f, "f", "wait")
	// A worker that was not told would be left behind, with its change in doubt.
	if vfs.CodeOf(err) != vfs.CodeAborted || !errors.Is(err, cause) || strings.Contains(err.Error(), "not known") {
		t.Errorf("it ended with %v", err)
	}
	if err := put(t, t.Context(), f, "f", "x"); err != nil {
		t.Error(err)
	}
}

// TestAWorkerThatHangs holds the critical section of the one file, and no more.
func TestAWorkerThatHangs(t *testing.T) {
	f, ws := crashable(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := put(t, ctx, f, "f", "hang"); vfs.CodeOf(err) != vfs.CodeAborted || !strings.Contains(err.Error(), "not known") {
		t.Errorf("a call that hangs: %v", err)
	}
	if err := put(t, t.Context(), f, "g", "x"); err != nil {
		t.Errorf("another file: %v", err)
	}
	short, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if err := put(t, short, f, "f", "x"); vfs.CodeOf(err) != vfs.CodeAborted {
		t.Errorf("the same file meanwhile: %v", err)
	}
	f.workers.workers[ws].process.cmd.Process.Kill()
	if err := put(t, t.Context(), f, "f", "x"); err != nil {
		t.Errorf("the same file once the worker is gone: %v", err)
	}
}

func TestAWorkerThatDoesNotAnswerAtFirst(t *testing.T) {
	needLandlock(t)
	ws, _ := places(t)
	inner, err := localfs.Host(behind(t, ws, Options{}).Options())
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := New(ctx, inner, Options{Command: []string{os.Args[0], "mute-worker"}}); err == nil {
		t.Error("a worker that says nothing is taken for one that is confined")
	}
	if _, err := New(t.Context(), inner, Options{Command: []string{"/bin/false"}}); err == nil {
		t.Error("a program that is no worker is taken for one")
	}
	t.Run("started by a worker", func(t *testing.T) {
		t.Setenv(marker, "1")
		if _, err := New(t.Context(), inner, Options{}); err == nil {
			t.Error("a worker starts a worker")
		}
	})
	if _, err := New(t.Context(), inner, Options{Command: []string{"/no/such/program"}}); err == nil {
		t.Error("a program that is missing is taken for a worker")
	}
}

// TestWhatAWorkerHas is no environment, and nothing open but what it was given; and once
// the provider is closed, the worker is gone without a trace.
func TestWhatAWorkerHas(t *testing.T) {
	secret, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0) // not to be closed when something is executed
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(secret)
	ws, _ := places(t)
	var pid int
	t.Run("while it lives", func(t *testing.T) {
		f := behind(t, ws, Options{Command: []string{os.Args[0], "crashing-worker"}})
		if err := put(t, t.Context(), f, "f", "tell"); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(content(t, filepath.Join(ws, "f")), "\n")
		pid, _ = strconv.Atoi(lines[0])
		if lines[1] != `["TOOLFS_WALL_WORKER=1"]` {
			t.Errorf("its environment is %s", lines[1])
		}
		for _, forbidden := range []string{"passwd", "/toolfs"} {
			if strings.Contains(lines[2], forbidden) {
				t.Errorf("it has %s open", lines[2])
			}
		}
		if n := strings.Count(lines[2], "socket:"); n != 1 {
			t.Errorf("it has %d sockets open, of %s", n, lines[2])
		}
		if slices.Contains(descriptors(lines[0])[:2], descriptors("self")[1]) && descriptors("self")[1] != os.DevNull {
			t.Errorf("it has our standard output open")
		}
	})
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("once it is closed, process %d is still there: %v", pid, err)
	}
}

// TestAWorkerDiesWithItsStarter, also when that is killed and can tell nobody.
func TestAWorkerDiesWithItsStarter(t *testing.T) {
	needLandlock(t)
	ws, _ := places(t)
	for _, data := range []string{"tell", "hang"} {
		starter := exec.Command(os.Args[0], "starter", ws, data)
		starter.Stderr = os.Stderr
		out, err := starter.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := starter.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		if _, err := fmt.Fscanln(out, &pid); err != nil {
			t.Fatal(err)
		}
		starter.Process.Kill()
		starter.Wait()
		for deadline := time.Now().Add(5 * time.Second); running(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("worker %d still runs (%s)", pid, data)
			}
		}
	}
}

func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// starter says which worker it started, has it do something, and waits to be killed.
func starter(ws, data string) error {
	ctx := context.Background()
	inner, err := localfs.Host(localfs.Options{Cwd: ws, StateDir: filepath.Join(filepath.Dir(ws), "state"),
		Sandbox: &localfs.Sandbox{Mode: "workspace-write", NoTemp: true}})
	if err != nil {
		return err
	}
	f, err := New(ctx, inner, Options{Command: []string{os.Args[0], "crashing-worker"}})
	if err != nil {
		return err
	}
	to, err := f.Resolve(ctx, "", "f")
	if err != nil {
		return err
	}
	for workspace := range f.workers.workers {
		fmt.Println(f.workers.workers[workspace].process.cmd.Process.Pid)
	}
	f.Put(ctx, to, []byte(data), vfs.PutOptions{})
	select {}
}
