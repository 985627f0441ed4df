//go:build !toolfs_portable

package localfs

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

// killAttacks end a process, or the whole machine, in the middle of a publication.
var killAttacks = map[int]func(*testing.T){
	65: func(t *testing.T) {
		for _, op := range []string{opReplace, opCreate, opInPlace} {
			t.Run(op, func(t *testing.T) { killEverywhere(t, op) })
		}
	},

	// Short: internal/torture kills goes on for thousands.
	66: func(t *testing.T) {
		p := newPlace(t)
		for kill := range 12 {
			last := killWriter(p, 1+kill)
			before, err := os.ReadFile(p.path("f"))
			p.must(err)
			n, err := strconv.Atoi(string(before[:8]))
			if err != nil || string(before) != version(n) {
				t.Fatalf("the file is torn: %.20q, %d bytes", before, len(before))
			}
			if n < last {
				t.Errorf("it holds version %d, and %d was acknowledged", n, last)
			}
			p.collect()
			p.holds("f", string(before))
			p.only("f")
		}
	},

	// Short: internal/torture powercut goes on for a hundred.
	68: func(t *testing.T) {
		t.Run("acknowledged", func(t *testing.T) {
			s := newSmall(t, 16<<20)
			p := placeAt(t, s.dir, Options{})
			_, err := p.create("f", version(0))
			p.must(err)
			for i := 1; i < 5; i++ {
				_, err := p.replace(version(i-1), version(i))
				p.must(err)
			}
			p.fs.Close()
			s.cut()
			s.run("umount", s.dir)
			s.mount()
			p.collect()
			p.holds("f", version(4))
			p.only("f")
		})
		for _, moment := range []string{"write", "link", "rename", "unlink"} {
			t.Run("before "+moment, func(t *testing.T) {
				s := newSmall(t, 16<<20)
				p := placeAt(t, s.dir, Options{})
				_, err := p.create("f", version(0))
				p.must(err)
				p.spy.calls = nil
				p.spy.before = at(moment, 1, func() error { s.cut(); return nil })
				_, err = p.replace(version(0), version(1))
				p.spy.before = nil
				s.run("umount", s.dir)
				s.mount()
				p.collect()
				got, failed := os.ReadFile(p.path("f"))
				p.must(failed)
				if string(got) != version(0) && string(got) != version(1) || err == nil && string(got) != version(1) {
					t.Errorf("it holds %d bytes, beginning with %.8q, and was told %v", len(got), got, err)
				}
				p.only("f")
			})
		}
	},

	// Between two writes into the file, when it is neither old nor new.
	69: func(t *testing.T) {
		p := newPlace(t)
		old, next := publishedBy(opInPlace)
		p.file("f", old)
		// Which call that is, the calls of a whole one tell.
		s := &spy{Sys: atomicfile.Kernel{}}
		middle := 0
		s.before = func(call string, n int) error {
			if call == "writeat" && n == 3 {
				middle = s.all()
			}
			return nil
		}
		p.must(publish(p.again(), p.target("f"), s, opInPlace))
		p.holds("f", next)
		p.file("f", old)
		killed(t, p.another(nil, "kill", opInPlace, strconv.Itoa(middle)), true)
		torn, err := os.ReadFile(p.path("f"))
		p.must(err)
		if string(torn) == old || string(torn) == next {
			t.Fatal("the test is void: the file is whole")
		}
		if entries(p) == 0 {
			t.Error("there is no entry in the journal")
		}
		p.collect()
		p.holds("f", old)
		if left := entries(p); left > 0 {
			t.Errorf("%d entries are left in the journal", left)
		}
		p.only("f")
	},
}

// killed runs a process that ends by being killed, or else by itself.
func killed(t *testing.T, c *exec.Cmd, must bool) bool {
	t.Helper()
	out, err := c.Output()
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == unix.SIGKILL {
		return true
	}
	if err != nil || must || strings.Contains(string(out), "failed") {
		t.Errorf("it was not killed: %s, %v", out, err)
	}
	return false
}

// entries counts those of the journal.
func entries(p *place) int {
	list, _ := os.ReadDir(p.fs.journal.Dir)
	return len(list)
}

// killEverywhere kills a process at every system call of a publication, and looks at
// what a restart makes of what it left.
func killEverywhere(t *testing.T, op string) {
	whole := newPlace(t)
	old, next := publishedBy(op)
	begin := func(p *place) {
		if op != opCreate {
			p.file("f", old)
		}
	}
	begin(whole)
	s := &spy{Sys: atomicfile.Kernel{}}
	whole.must(publish(whole.fs, whole.target("f"), s, op))
	whole.holds("f", next)
	calls := s.all()
	var olds, news, torn atomic.Int32
	var all sync.WaitGroup
	turns := make(chan struct{}, 4)
	places := make([]*place, calls)
	for i := range places {
		places[i] = newPlace(t)
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			p := places[i]
			begin(p)
			killed(t, p.another(nil, "kill", op, strconv.Itoa(i+1)), true)
			before, _ := os.ReadFile(p.path("f"))
			p.collect()
			after, _ := os.ReadFile(p.path("f"))
			switch {
			case string(after) == old:
				olds.Add(1)
			case string(after) == next:
				news.Add(1)
			default:
				t.Errorf("call %d of %d: it holds %d bytes, %.20q", i+1, calls, len(after), after)
			}
			if string(before) != string(after) {
				if op != opInPlace {
					t.Errorf("call %d of %d: cleaning up changed the file from %.20q to %.20q", i+1, calls, before, after)
				}
				torn.Add(1)
			}
			if entries(p) > 0 {
				t.Errorf("call %d of %d: the journal is not empty", i+1, calls)
			}
			if string(after) == "" {
				p.only()
			} else {
				p.only("f")
			}
		})
	}
	all.Wait()
	t.Logf("%d calls: %d old, %d new, %d torn before the restart", calls, olds.Load(), news.Load(), torn.Load())
	if olds.Load() == 0 || news.Load() == 0 || op == opInPlace && torn.Load() == 0 {
		t.Error("the test is void: some outcome never came about")
	}
}

// killWriter kills a process that writes for ever, at some moment after so many writes,
// and gives the last that it acknowledged.
func killWriter(p *place, writes int) (last int) {
	p.Helper()
	c := p.another(nil, "write")
	out, err := c.StdoutPipe()
	p.must(err, c.Start())
	seen := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			p.Error(lines.Text())
			continue
		}
		last = n
		if seen++; seen == writes {
			p.must(c.Process.Kill())
		}
	}
	c.Wait() // killed: the error says no more
	if seen < writes {
		p.Fatalf("it ended by itself after %d writes", seen)
	}
	return last
}

// interrupted makes the system calls that write be interrupted by signals, for which it
// takes another program.
func interrupted(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		cannotHere(t, "strace is not installed")
	}
	p := newPlace(t)
	old, next := publishedBy(opReplace)
	p.file("f", old)
	log := p.state + "/trace"
	c := p.another([]string{strace, "-f", "-o", log, "-e", "trace=write", "-e", "inject=write:error=EINTR:when=1+2"}, "text")
	out, err := c.Output()
	if err != nil || string(out) != "done\n" {
		t.Errorf("it says %q, %v", out, err)
	}
	trace, err := os.ReadFile(log)
	p.must(err)
	if !strings.Contains(string(trace), "EINTR") {
		t.Error("the test is void: nothing was interrupted")
	}
	p.holds("f", next)
	p.only("f")
}

// ready reads until a process says that it is.
func ready(t *testing.T, out *bufio.Reader) {
	t.Helper()
	if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
}

// bothReplace lets two processes replace f from the same version, and gives what came
// of each.
func bothReplace(p *place, old string, contents [2]string) (said [2]string) {
	p.Helper()
	var outs [2]*bufio.Reader
	var starts [2]func()
	var procs [2]*exec.Cmd
	for i := range procs {
		c := p.another(nil, "replace", old, contents[i])
		in, err := c.StdinPipe()
		p.must(err)
		out, err := c.StdoutPipe()
		p.must(err, c.Start())
		procs[i], outs[i] = c, bufio.NewReader(out)
		starts[i] = func() { fmt.Fprintln(in) }
	}
	for _, out := range outs {
		ready(p.T, out)
	}
	for _, start := range starts {
		start()
	}
	for i, out := range outs {
		line, err := out.ReadString('\n')
		p.must(err, procs[i].Wait())
		said[i], _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "failed "), " ")
	}
	return said
}
