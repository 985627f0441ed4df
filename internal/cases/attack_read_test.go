//go:build linux

package cases_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

var readAttacks = cases{
	// A reader of the tools' is nobody that the other end of a FIFO could meet: its
	// writer goes on waiting, and the next real reader gets what it writes.
	"96": func(t *testing.T) {
		w := newWorld(t)
		fifo := w.path("fifo")
		w.must(syscall.Mkfifo(fifo, 0o600))
		within(t, func(context.Context) { w.refused("read", path("fifo"), vfs.CodeNotRegularFile) })
		thread, written := make(chan int), make(chan error, 1)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			thread <- syscall.Gettid()
			fd, err := syscall.Open(fifo, syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
			if err == nil {
				_, err = syscall.Write(fd, []byte("for the real reader"))
				syscall.Close(fd)
			}
			written <- err
		}()
		opening(t, <-thread)
		within(t, func(context.Context) { w.refused("read", path("fifo"), vfs.CodeNotRegularFile) })
		within(t, func(context.Context) { w.refused("write", write("fifo", "x"), vfs.CodeNotRegularFile) })
		reader, err := syscall.Open(fifo, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		w.must(err, <-written)
		defer syscall.Close(reader)
		got := make([]byte, 64)
		n, err := syscall.Read(reader, got)
		w.must(err)
		w.says(string(got[:n]), "for the real reader")
	},

	"97": func(t *testing.T) {
		w := newWorld(t)
		l, err := net.Listen("unix", w.path("socket"))
		w.must(err)
		defer l.Close()
		names := []string{w.path("socket"), "/dev/zero", "/dev/null"}
		for _, device := range []string{"/dev/tty", "/dev/vda", "/dev/sda", "/dev/loop0"} {
			if _, err := os.Lstat(device); err == nil {
				names = append(names, device)
			}
		}
		for _, name := range names {
			within(t, func(context.Context) {
				w.says(w.refused("read", path(name), vfs.CodeNotRegularFile), `cannot read "`+name+`": not a regular file`)
			})
		}
	},

	// The kernel's files say that they are empty, or of one page, and are not. Secrets
	// of a process are no text for a model. (The kernel's log is left out: reading it
	// takes it from others.)
	"98": func(t *testing.T) {
		w := newWorld(t)
		version, err := os.ReadFile("/proc/version")
		if err != nil {
			cannot(t, err.Error())
		}
		w.wantLines("/proc/version", strings.TrimSuffix(string(version), "\n"))
		if size, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"); err == nil {
			w.wantLines("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", strings.TrimSuffix(string(size), "\n"))
		}
		for _, secrets := range []string{"/proc/self/environ", fmt.Sprintf("/proc/%d/environ", os.Getpid())} {
			if r := w.run("read", path(secrets)); !r.IsError {
				t.Errorf("%s is shown: %s", secrets, brief(r.Content[0].Text))
			}
		}
	},

	// That a file is no text is seen at its beginning, however long it is.
	"99": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "")
		if err := os.Truncate(p, 1<<40); err != nil {
			cannot(t, "no file can be so long here: "+err.Error())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		r := w.set.Execute(ctx, w.call("read", path("f")))
		w.says(w.failed(r, vfs.CodeNotText), `cannot read "`+p+`": binary file`)
	},

	// A file that changes while it is read: what was seen is read again, or said to be
	// unstable, and then it authorises nothing.
	"101": func(t *testing.T) {
		const size = 1 << 20
		shrunk := newWorld(t)
		shrunk.file("f", strings.Repeat("a line of the long file\n", size/24))
		once := true
		r := shrunk.meanwhile(func(name string) {
			if once {
				shrunk.must(os.Truncate(name, 24))
			}
			once = false
		})
		if !r.IsError {
			lines, footer := shrunk.shown(shrunk.text(r))
			if read := len(lines) == 1 && footer == "(End of file - total 1 lines)"; !read && !strings.Contains(metaJSON(t, r), `"unstable":true`) {
				t.Errorf("%d lines and %s are shown as if they were the file's, which has 1", len(lines), footer)
			}
		}
		shrunk.holds("f", "a line of the long file\n")

		// This one changes in every pass, and never is what was seen.
		rewritten := newWorld(t)
		rewritten.file("f", strings.Repeat("a", size))
		letter := 'b'
		r = rewritten.meanwhile(func(name string) {
			rewritten.inPlace(name, strings.Repeat(string(letter), size))
			letter++
		})
		if !r.IsError && !strings.Contains(metaJSON(t, r), `"unstable":true`) {
			t.Error("a mixture is shown as if it were the file's")
		}
		if r := rewritten.run("write", write("f", "x")); !r.IsError {
			t.Error("what was never there authorises a write")
		}
		if r := rewritten.run("edit", editAll("f", "a", "x")); !r.IsError {
			t.Error("what was never there authorises an edit")
		}
		rewritten.holds("f", strings.Repeat(string(letter-1), size))
	},

	// A line is cut while it is read, not after; and a cancelled read reads no more.
	"102": func(t *testing.T) {
		const size = 32 << 20
		w := newWorld(t)
		disk := w.disk
		d := &double{Provider: disk}
		d.stat, d.open = oneLine(size, nil)
		w.open(over(d))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lines, footer := w.shown(w.ok("read", path("f")))
		runtime.ReadMemStats(&after)
		if len(lines) != 1 || lines[0] != strings.Repeat("a", 2000)+"... (line truncated to 2000 chars)" || footer != "(End of file - total 1 lines)" {
			t.Errorf("%d lines and %s", len(lines), footer)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 10<<20 {
			t.Errorf("%d bytes were allocated", used)
		}

		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		d.stat, d.open = oneLine(size, func() {
			if reads++; reads == 3 {
				cancel()
			}
		})
		w.says(w.failed(w.set.Execute(ctx, w.call("read", path("f"))), vfs.CodeAborted), "read aborted")
		if reads != 3 {
			t.Errorf("%d pieces were read after the third, in which it was cancelled", reads-3)
		}
	},

	// Children that lead nowhere, or where one may not look, are in the listing.
	"105": func(t *testing.T) {
		w := newWorld(t)
		w.file("a", "")
		w.file("closed", "")
		w.file("locked/x", "")
		w.must(os.Chmod(w.path("closed"), 0), os.Symlink("nowhere", w.path("dangling")), os.Symlink("locked/x", w.path("hidden")),
			os.Symlink("vanishing", w.path("gone")), os.Chmod(w.path("locked"), 0))
		t.Cleanup(func() { w.must(os.Chmod(w.path("locked"), 0o755)) })
		var text string
		asOther(t, w, func() { text = w.ok("list", args{}) })
		w.says(text, "<path>"+w.ws+"</path>\n<type>directory</type>\n<content>\nlocked/\na\nclosed\ndangling@\ngone@\nhidden@\n\n(6 entries: 1 directory, 2 files, 3 other)\n</content>")
	},

	// A path longer than the kernel takes at once.
	"107": func(t *testing.T) {
		w := newWorld(t)
		dir, err := syscall.Open(w.ws, syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
		w.must(err)
		name, long := strings.Repeat("d", 250), ""
		for range 24 {
			w.must(syscall.Mkdirat(dir, name, 0o755))
			next, err := syscall.Openat(dir, name, syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
			w.must(err, syscall.Close(dir))
			dir, long = next, long+name+"/"
		}
		fd, err := syscall.Openat(dir, "f", syscall.O_CREAT|syscall.O_WRONLY, 0o644)
		w.must(err)
		_, err = syscall.Write(fd, []byte("deep\n"))
		w.must(err, syscall.Close(fd), syscall.Close(dir))
		for _, c := range []request{{"read", path(long + "f")}, {"list", args{"path": long}}, {"edit", edit(long+"f", "deep", "x")}, {"write", write(long+"new", "x")}} {
			r := w.run(c.name, c.args)
			switch code := codeOf(r); {
			case !r.IsError:
			case code != vfs.CodeNotFound && code != vfs.CodeIOError:
				t.Errorf("%s gives %s", c.name, code)
			}
		}
	},

	"109": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "secret\n")
		w.must(os.Chmod(p, 0))
		asOther(t, w, func() {
			w.says(w.refused("read", path("f"), vfs.CodePermissionDenied), `cannot read "`+p+`": permission denied`)
			w.refused("edit", edit("f", "secret", "x"), vfs.CodeNotObserved)
			w.refused("write", write("f", "x"), vfs.CodeNotObserved)
			w.open(unguarded)
			w.says(w.refused("edit", edit("f", "secret", "x"), vfs.CodePermissionDenied), `cannot edit "`+p+`": permission denied`)
			w.says(w.refused("write", write("f", "x"), vfs.CodePermissionDenied), `cannot write "`+p+`": permission denied`)
		})
		w.must(os.Chmod(p, 0o600))
		w.holds("f", "secret\n")
		w.only(w.ws, "f")
	},
}

// request is a call to be made.
type request struct {
	name string
	args args
}

// meanwhile reads the file f while something happens to it: each time that it is opened,
// before its second piece is read.
func (w *world) meanwhile(happens func(name string)) tool.Result {
	w.Helper()
	disk := w.disk
	w.open(over(&double{Provider: disk, open: func(ctx context.Context, target vfs.Target) (vfs.File, error) {
		f, err := disk.Open(ctx, target)
		return &disturbed{File: f, before: func() { happens(target.Key) }}, err
	}}))
	r := w.run("read", path("f"))
	w.disk = disk
	return r
}

// disturbed is an open file to which something happens before its second read.
type disturbed struct {
	vfs.File
	reads  int
	before func()
}

func (d *disturbed) Read(p []byte) (int, error) {
	if d.reads++; d.reads == 2 {
		d.before()
	}
	return d.File.Read(p)
}

// Proof is what the disk says of the file.
func (d *disturbed) Proof() vfs.Proof {
	if p, ok := d.File.(vfs.Prover); ok {
		return p.Proof()
	}
	return vfs.Disturbed
}

// opening waits until a thread of this process is in the system call that opens files.
func opening(t *testing.T, thread int) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
		call, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", thread))
		if err != nil {
			return // this kernel does not say; the rest holds all the same
		}
		if strings.HasPrefix(string(call), fmt.Sprint(syscall.SYS_OPENAT, " ")) {
			return
		}
	}
	t.Fatal("the writer does not wait")
}
