//go:build linux

package cases_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// whileSwapping swaps something without a pause while calls are made, until enough of them
// have succeeded: else nothing was attacked. A call may fail in any way that the tools
// know; what matters is what is outside afterwards.
func (w *world) whileSwapping(swap func() error, calls func() []tool.Result) {
	w.Helper()
	const enough, most = 25, 4000
	var over atomic.Bool
	var swaps atomic.Int64
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for !over.Load() {
			if err := swap(); err != nil {
				w.Error(err)
				return
			}
			swaps.Add(1)
		}
	})
	defer swapper.Wait()
	defer over.Store(true)
	deadline := time.Now().Add(patience)
	successes, refusals := 0, 0
	for range most {
		for _, r := range calls() {
			switch {
			case !r.IsError:
				successes++
			case codeOf(r) == "":
				w.Errorf("it fails without a code: %v", r.Content)
				return
			default:
				refusals++
			}
			if strings.Contains(r.Content[0].Text, "1: secret\n") {
				w.Errorf("it shows the secret: %v", r.Content)
				return
			}
		}
		if successes >= enough && refusals >= enough && swaps.Load() >= enough || time.Now().After(deadline) {
			break
		}
		runtime.Gosched()
	}
	if successes == 0 || refusals == 0 {
		w.Errorf("the test is void: %d successes, %d refusals, %d swaps", successes, refusals, swaps.Load())
	}
}

// exchange makes two names change places.
func exchange(a, b string) func() error {
	return func() error { return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) }
}

// retarget makes a link lead to each of the targets in turn, at no moment to nothing.
func retarget(link string, targets ...string) func() error {
	i := 0
	return func() error {
		i++
		next := link + ".next"
		if err := os.Symlink(targets[i%len(targets)], next); err != nil {
			return err
		}
		return os.Rename(next, link)
	}
}

var swapAttacks = cases{
	"76": func(t *testing.T) {
		w := fence(t)
		w.must(os.MkdirAll(w.path("d"), 0o755), os.MkdirAll(w.cache+"/side", 0o755), os.Symlink(w.out, w.cache+"/side/l"))
		w.file("d/secret", "ours\n")
		n := 0
		w.whileSwapping(exchange(w.path("d"), w.cache+"/side/l"), func() []tool.Result {
			n++
			return []tool.Result{
				w.run("write", write("d/f", fmt.Sprint(n))), w.run("write", write(fmt.Sprintf("d/new%d/x", n), "x")),
				w.run("write", write("d/../d/g", fmt.Sprint(n))), w.run("read", path("d/secret")),
				w.run("edit", edit("d/secret", "secret", "x")), w.run("list", args{"path": "d"}),
			}
		})
		w.intact()
	},

	"78": func(t *testing.T) {
		w := fence(t)
		w.file("d/f", "ours\n")
		w.must(os.Symlink(w.out+"/secret", w.path("d/l")))
		n := 0
		w.whileSwapping(exchange(w.path("d/f"), w.path("d/l")), func() []tool.Result {
			n++
			return []tool.Result{
				w.run("write", write("d/f", fmt.Sprintf("ours %d\n", n))), w.run("edit", edit("d/f", "ours", "ours ")),
				w.run("edit", edit("d/f", "secret", "x")), w.run("read", path("d/f")),
			}
		})
		w.intact()
	},

	"79": func(t *testing.T) {
		w := fence(t)
		w.must(os.Mkdir(w.path("d"), 0o755), os.Symlink(w.path("d"), w.path("al")))
		n := 0
		w.whileSwapping(retarget(w.path("al"), w.path("d"), w.out), func() []tool.Result {
			n++
			return []tool.Result{
				w.run("write", write(fmt.Sprintf("al/n%d/x", n), "x")), w.run("write", write("al/../d/f", fmt.Sprint(n))),
				w.run("write", write("al/f", fmt.Sprint(n))), w.run("read", path("al/secret")), w.run("edit", edit("al/secret", "secret", "x")),
			}
		})
		w.intact()
	},

	// The directory that was opened is the root, whatever its name means now.
	"80": func(t *testing.T) {
		w := fence(t)
		decoy := filepath.Join(w.state, "decoy")
		w.must(os.Symlink(w.out, decoy))
		n := 0
		swap := exchange(w.ws, decoy)
		swapped := false
		w.whileSwapping(func() error { swapped = !swapped; return swap() }, func() []tool.Result {
			n++
			return []tool.Result{
				w.run("write", write(w.ws+"/f", fmt.Sprint(n))), w.run("write", write(fmt.Sprintf("%s/n%d/x", w.ws, n), "x")),
				w.run("read", path(w.ws+"/secret")), w.run("edit", edit(w.ws+"/secret", "secret", "x")),
			}
		})
		if swapped {
			w.must(swap())
		}
		w.intact()
	},

	"81": func(t *testing.T) {
		w := fence(t)
		up := filepath.Join(w.state, "up")
		w.must(os.Symlink(w.ws, up))
		n := 0
		w.whileSwapping(retarget(up, w.ws, w.out), func() []tool.Result {
			n++
			return []tool.Result{
				w.run("write", write(up+"/f", fmt.Sprint(n))), w.run("write", write(fmt.Sprintf("%s/n%d/x", up, n), "x")),
				w.run("read", path(up+"/secret")), w.run("edit", edit(up+"/secret", "secret", "x")),
			}
		})
		w.intact()
	},

	// Where relative names start from is no place that one may be in.
	"86": func(t *testing.T) {
		w := fence(t)
		for _, cwd := range []string{"/", w.base, w.out, w.ws + "/..", "..", "../out"} {
			for _, name := range []string{"etc/toolfs-attack", "x", "secret", "./new/x", "out/secret"} {
				for _, c := range []request{{"write", write(name, "x")}, {"edit", edit(name, "secret", "x")}, {"read", path(name)}, {"list", args{"path": name}}} {
					call := w.call(c.name, c.args)
					call.Session.Cwd = cwd
					r := w.set.Execute(t.Context(), call)
					if code := codeOf(r); !r.IsError || code != vfs.CodeSandboxDenied {
						t.Errorf("%s %q from %q gives %v", c.name, name, cwd, r.Content)
					}
				}
			}
			// What is inside is inside from anywhere.
			call := w.call("write", write(w.ws+"/f", cwd))
			call.Session.Cwd = cwd
			w.text(w.set.Execute(t.Context(), call))
			w.holds("f", cwd)
		}
		w.intact()
		if _, err := os.Lstat("/etc/toolfs-attack"); err == nil {
			t.Error("there is a file in /etc")
		}
	},

	// The kernel's own files are no files of a workspace, even where they are in it.
	"92": func(t *testing.T) {
		needRoot(t)
		w := fence(t)
		w.must(os.Mkdir(w.path("proc"), 0o755))
		w.must(unix.Mount("/proc", w.path("proc"), "", unix.MS_BIND, ""))
		defer func() { w.must(unix.Unmount(w.path("proc"), unix.MNT_DETACH)) }()
		name := fmt.Sprintf("proc/%d/comm", os.Getpid())
		before, err := os.ReadFile(w.path(name))
		w.must(err)
		for _, n := range []string{name, "proc/self/comm", fmt.Sprintf("proc/%d/task/%d/comm", os.Getpid(), os.Getpid())} {
			for _, r := range []tool.Result{w.run("write", write(n, "attack")), w.run("edit", edit(n, strings.TrimSpace(string(before)), "attack"))} {
				if code := codeOf(r); !r.IsError || code != vfs.CodePermissionDenied {
					t.Errorf("%s gives %q: %v", n, code, r.Content)
				}
			}
		}
		if after, err := os.ReadFile(w.path(name)); err != nil || string(after) != string(before) {
			t.Errorf("it is called %q now, %v", after, err)
		}
		for _, n := range []string{"proc/self/root" + w.out + "/new", "proc/self/cwd/../../out/new"} {
			r := w.run("write", write(n, "x"))
			if code := codeOf(r); !r.IsError || code != vfs.CodeSandboxDenied {
				t.Errorf("%s gives %q: %v", n, code, r.Content)
			}
		}
		w.intact()
	},

	// The same on a kernel without the call that does most of the work.
	"93": func(t *testing.T) {
		if os.Getenv(noOpenat2) != "" {
			return // this is that run
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		again := exec.Command(self, "-test.run=^TestAttackCases$/^case-(074|075|076|078|079|080|081|082|083|084|086|087|095)$", "-test.v")
		again.Env = append(os.Environ(), noOpenat2+"=1")
		out, err := again.CombinedOutput()
		if err != nil || strings.Count(string(out), "--- PASS: TestAttackCases/") < 13 {
			t.Errorf("%v:\n%s", err, out)
		}
	},

	// Whoever may move a directory out could move the result as well: there it may
	// arrive, and nowhere else.
	"95": func(t *testing.T) {
		w := fence(t)
		inside, outside := w.path("d/m"), filepath.Join(w.state, "m")
		w.must(os.MkdirAll(inside, 0o755))
		moved := false
		n := 0
		w.whileSwapping(func() error {
			from, to := inside, outside
			if moved {
				from, to = outside, inside
			}
			if os.Rename(from, to) == nil {
				moved = !moved
			} else {
				os.RemoveAll(to) // a call made the directory again; it may be doing so now
			}
			return nil
		}, func() []tool.Result {
			n++
			return []tool.Result{w.run("write", write("d/m/f", fmt.Sprint(n))), w.run("edit", edit("d/m/f", fmt.Sprint(n), "x"))}
		})
		w.must(os.RemoveAll(outside))
		w.intact()
		w.only(w.ws, "d")
	},
}
