//go:build !toolfs_portable

package localfs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

// childTask names the environment variable that makes this program be another process
// of ours. It is one program with the tests outside the package, and their TestMain is
// not to see it: so that is done before.
const childTask = "TOOLFS_ATTACK_CHILD"

func init() {
	task := strings.Fields(os.Getenv(childTask))
	if len(task) == 0 {
		return
	}
	if err := children[task[0]](task[1], task[2], task[3:]); err != nil {
		fmt.Println("failed", vfs.CodeOf(err), err)
	}
	os.Exit(0)
}

// another starts this program as another process; wrap is a program to start it with.
func (p *place) another(wrap []string, task ...string) *exec.Cmd {
	p.Helper()
	self, err := os.Executable()
	p.must(err)
	c := exec.Command(self)
	if len(wrap) > 0 {
		c = exec.Command(wrap[0], append(wrap[1:], self)...)
	}
	// A program that looks for races waits for a second before it ends.
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"), childTask+"="+strings.Join(append([]string{task[0], p.dir, p.state}, task[1:]...), " "))
	c.Stderr = os.Stderr
	return c
}

// children are what another process may do with the file f.
var children = map[string]func(dir, state string, arguments []string) error{
	"kill":      childKilled,
	"write":     childWrites,
	"replace":   childReplaces,
	"increment": childIncrements,
	"limited":   childLimited,
	"text":      childText,
}

func childFS(dir, state string) (*FS, vfs.Target, error) {
	f, err := Host(Options{Cwd: dir, StateDir: state, NoSync: true})
	if err != nil {
		return nil, vfs.Target{}, err
	}
	t, err := f.Resolve(context.Background(), "", "f")
	return f, t, err
}

// The ways to publish that a child can be killed in.
const (
	opReplace = "replace"
	opCreate  = "create"
	opInPlace = "in-place"
)

// published is what f holds before and after a child's publication: more than is
// written at once.
func publishedBy(op string) (old, next string) {
	if op == opCreate {
		return "", strings.Repeat("n", 5000)
	}
	return strings.Repeat("o", 4000), strings.Repeat("n", 5000)
}

// publish publishes in one of the ways. Where a name can be given to another file,
// nothing is written in place: so it cannot.
func publish(f *FS, t vfs.Target, s *spy, op string) error {
	s.Sys = piecemeal{s.Sys}
	if op == opInPlace {
		s.Sys = unrenamable{s.Sys}
	}
	f.publisher.Sys = s
	old, next := publishedBy(op)
	c := vfs.IfVersion(vfs.VersionOf([]byte(old)))
	if op == opCreate {
		c = vfs.IfAbsent()
	}
	_, err := f.Put(context.Background(), t, []byte(next), vfs.PutOptions{If: c})
	return err
}

// piecemeal takes a thousand bytes at a time.
type piecemeal struct{ atomicfile.Sys }

func (s piecemeal) Write(fd int, p []byte) (int, error) {
	return s.Sys.Write(fd, p[:min(len(p), 1000)])
}

func (s piecemeal) WriteAt(fd int, p []byte, offset int64) (int, error) {
	return s.Sys.WriteAt(fd, p[:min(len(p), 1000)], offset)
}

// unrenamable gives no name to another file, as where the name is a mount point.
type unrenamable struct{ atomicfile.Sys }

func (unrenamable) Rename(int, string, string, uint) error { return unix.EBUSY }

// childKilled is killed at the system call of a publication that it is told.
func childKilled(dir, state string, arguments []string) error {
	last, err := strconv.Atoi(arguments[1])
	if err != nil {
		return err
	}
	f, t, err := childFS(dir, state)
	if err != nil {
		return err
	}
	s := &spy{Sys: atomicfile.Kernel{}}
	s.before = func(string, int) error {
		if s.all() == last {
			unix.Kill(unix.Getpid(), unix.SIGKILL)
			select {} // it takes effect on this thread at any moment
		}
		return nil
	}
	return publish(f, t, s, arguments[0])
}

// childWrites writes whole versions of f until it is killed, and says so of each.
func childWrites(dir, state string, _ []string) error {
	f, t, err := childFS(dir, state)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		if _, err := f.Put(context.Background(), t, []byte(version(i)), vfs.PutOptions{}); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// version is the i-th content that childWrites writes.
func version(i int) string { return strings.Repeat(fmt.Sprintf("%08d\n", i), 2000) }

// childReplaces replaces f when it is told to, from the content that it is told.
func childReplaces(dir, state string, arguments []string) error {
	f, t, err := childFS(dir, state)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadString('\n')
	_, err = f.Put(context.Background(), t, []byte(arguments[1]), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf([]byte(arguments[0])))})
	if err == nil {
		fmt.Println("done")
	}
	return err
}

// childIncrements increments the number in f so many times in each of four goroutines,
// with a read before each and after each that came too late, and prints the results.
func childIncrements(dir, state string, arguments []string) error {
	times, err := strconv.Atoi(arguments[0])
	if err != nil {
		return err
	}
	f, t, err := childFS(dir, state)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make([]error, 4)
	for i := range failed {
		all.Go(func() {
			for range times {
				n, err := increment(f, t)
				if err != nil {
					failed[i] = err
					return
				}
				fmt.Println(n)
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func increment(f *FS, t vfs.Target) (int, error) {
	for {
		data, info, err := vfs.ReadBytes(context.Background(), f, t, 100)
		if err != nil {
			return 0, err
		}
		n, err := strconv.Atoi(string(data))
		if err != nil {
			return 0, err
		}
		_, err = vfs.EditText(context.Background(), f, t, vfs.Edit{Old: string(data), New: strconv.Itoa(n + 1)}, vfs.EditOptions{If: info.Version})
		if vfs.CodeOf(err) != vfs.CodeStaleVersion {
			return n + 1, err
		}
	}
}

// childLimited may write no more than 1000 bytes into any file.
func childLimited(dir, state string, arguments []string) error {
	f, t, err := childFS(dir, state)
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1000, Max: 1000}); err != nil {
		return err
	}
	s := &spy{Sys: atomicfile.Kernel{}}
	err = publish(f, t, s, arguments[0])
	fmt.Println("alive")
	return err
}

// childText replaces f, for whoever watches its system calls.
func childText(dir, state string, _ []string) error {
	f, t, err := childFS(dir, state)
	if err != nil {
		return err
	}
	s := &spy{Sys: atomicfile.Kernel{}}
	if err := publish(f, t, s, opReplace); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}
