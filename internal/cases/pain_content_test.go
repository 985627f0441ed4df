//go:build linux

package cases_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

var contentCases = cases{
	// The beginning of the line, and that there is more.
	"59": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", strings.Repeat("x", 1_700_000))
		lines, footer := w.shown(w.ok("read", path("f")))
		if len(lines) != 1 || lines[0] != strings.Repeat("x", 2000)+"... (line truncated to 2000 chars)" || footer != "(End of file - total 1 lines)" {
			t.Errorf("%d lines, the first %s, and %s", len(lines), brief(lines[0]), footer)
		}
	},

	// The first page, how much there is, and where to go on.
	"61": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", strings.Repeat("x\n", 20_010))
		lines, footer := w.shown(w.ok("read", path("f")))
		if len(lines) != 2000 || footer != "(Showing lines 1-2000 of 20010. Use offset=2001 to continue.)" {
			t.Errorf("%d lines and %s", len(lines), footer)
		}
		lines, footer = w.shown(w.ok("read", args{"file_path": "f", "offset": 20_001}))
		if len(lines) != 10 || footer != "(End of file - total 20010 lines)" {
			t.Errorf("%d lines and %s", len(lines), footer)
		}
	},

	// Two lines of a long file are corrected without reading all of it.
	"62": func(t *testing.T) {
		w := newWorld(t)
		var all []string
		for i := range 700 {
			all = append(all, fmt.Sprintf("%3d %s", i+1, strings.Repeat("word ", 17)))
		}
		w.file("f.md", strings.Join(all, "\n")+"\n")
		for _, n := range []int{2, 46} {
			lines, _ := w.shown(w.ok("read", args{"file_path": "f.md", "offset": n, "limit": 1}))
			all[n-1] = fmt.Sprintf("%d corrected", n)
			w.ok("edit", edit("f.md", lines[0], all[n-1]))
		}
		w.holds("f.md", strings.Join(all, "\n")+"\n")
	},

	// The name of a file does not say what is in it.
	"64": func(t *testing.T) {
		w := newWorld(t)
		w.file("x.png", "<svg/>\n")
		w.file("y.jpg", "<html>\n404\n</html>\n")
		w.wantLines("x.png", "<svg/>")
		w.wantLines("y.jpg", "<html>", "404", "</html>")
	},
	"66": func(t *testing.T) {
		w := newWorld(t)
		w.file("p.jpeg", "")
		w.says(w.ok("read", path("p.jpeg")), "<path>"+w.path("p.jpeg")+"</path>\n<type>file</type>\n<content>\n(End of file - total 0 lines)\n</content>")
	},
	"67": func(t *testing.T) {
		w := newWorld(t)
		w.file("doc.pdf", "%PDF-1.4\nplain enough\n")
		w.wantLines("doc.pdf", "%PDF-1.4", "plain enough")
		w.file("doc.pdf", "%PDF-1.4\n\x00\x01\x02")
		w.says(w.refused("read", path("doc.pdf"), vfs.CodeNotText), `cannot read "`+w.path("doc.pdf")+`": binary file`)
	},

	// What is no regular file is refused at once, by every tool, and never opened.
	"68": func(t *testing.T) {
		for _, guard := range []bool{true, false} {
			w := newWorld(t)
			if !guard {
				w = newWorld(t, unguarded)
			}
			w.must(syscall.Mkfifo(w.path("fifo"), 0o644), os.Symlink("/dev/zero", w.path("device")))
			l, err := net.Listen("unix", w.path("socket"))
			w.must(err)
			within(t, func(context.Context) {
				for _, name := range []string{"fifo", "socket", "device"} {
					p := w.path(name)
					w.says(w.refused("read", path(name), vfs.CodeNotRegularFile), `cannot read "`+p+`": not a regular file`)
					w.says(w.refused("write", write(name, "x"), vfs.CodeNotRegularFile), `cannot write "`+p+`": not a regular file`)
					if !guard {
						w.says(w.refused("edit", edit(name, "x", "y"), vfs.CodeNotRegularFile), `cannot edit "`+p+`": not a regular file`)
					}
				}
				w.ok("list", args{})
			})
			w.must(l.Close())
		}
	},

	// Nor does one that comes in place of a file, after the file was looked at.
	"69": func(t *testing.T) {
		host, root := newWorld(t), confined(t)
		for _, w := range []*world{host, root} {
			p := w.file("f", "a")
			target, err := w.disk.Resolve(t.Context(), w.ws, "f")
			w.must(err, os.Remove(p), syscall.Mkfifo(p, 0o644))
			within(t, func(ctx context.Context) {
				if _, err := w.disk.Open(ctx, target); vfs.CodeOf(err) != vfs.CodeNotRegularFile {
					t.Errorf("open gives %v", err)
				}
				if _, err := w.disk.Put(ctx, target, []byte("x"), vfs.PutOptions{}); vfs.CodeOf(err) != vfs.CodeNotRegularFile {
					t.Errorf("put gives %v", err)
				}
				if _, err := w.disk.Put(ctx, target, []byte("x"), vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("a")))}); err == nil {
					t.Error("a guarded put takes place")
				}
			})
		}
	},

	// A file that never answers ends with the call's context, and holds up no other.
	// (A body that was started is awaited, so the provider has to look at the context.)
	"71": func(t *testing.T) {
		w := newWorld(t)
		w.file("stuck", "a")
		w.file("f", "b\n")
		entered := make(chan struct{})
		disk := w.disk
		w.open(over(&double{Provider: disk, open: func(ctx context.Context, target vfs.Target) (vfs.File, error) {
			if !strings.HasSuffix(target.Path, "stuck") {
				return disk.Open(ctx, target)
			}
			close(entered)
			<-ctx.Done()
			return nil, vfs.Aborted("read", context.Cause(ctx))
		}}))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan string)
		go func() { done <- w.set.Execute(ctx, w.call("read", path("stuck"))).Content[0].Text }()
		<-entered
		w.wantLines("f", "b")
		w.ok("edit", edit("f", "b", "c"))
		cancel()
		w.says(<-done, "Error: read aborted")
	},
}

var pathCases = cases{
	// A path into the tree beside the one worked on is refused, however right it is.
	"75": func(t *testing.T) {
		w := newPlaces(t)
		main := w.file("f.go", "main checkout")
		w.file(".wt/a/f.go", "worktree")
		disk, err := localfs.Root([]string{w.path(".wt/a")}, localfs.Options{StateDir: w.state, NoSync: true})
		w.must(err)
		t.Cleanup(func() { w.must(disk.Close()) })
		w.disk, w.ws = disk, w.path(".wt/a")
		for _, change := range []func(*world){func(w *world) { w.open() }, func(w *world) { w.open(unguarded) }} {
			change(w)
			if said := w.refused("edit", edit(main, "main", "x"), vfs.CodeSandboxDenied); !strings.Contains(said, w.ws) {
				t.Errorf("it does not say where one may: %s", said)
			}
			w.refused("write", write(main, "x"), vfs.CodeSandboxDenied)
			w.refused("read", path("../../f.go"), vfs.CodeSandboxDenied)
		}
		w.holds(main, "main checkout")
		w.ok("edit", edit("f.go", "worktree", "mine"))
	},

	// A relative name means one below the first root, wherever the process runs, and
	// the result says which file it was.
	"77": func(t *testing.T) {
		w := newPlaces(t)
		w.file("a.txt", "in the root\n")
		disk, err := localfs.Root([]string{w.ws, w.cache}, localfs.Options{StateDir: w.state, NoSync: true})
		w.must(err)
		t.Cleanup(func() { w.must(disk.Close()) })
		w.disk = disk
		w.open()
		call := w.call("read", path("a.txt"))
		call.Session.Cwd = ""
		w.says(w.text(w.set.Execute(t.Context(), call)),
			"<path>"+w.path("a.txt")+"</path>\n<type>file</type>\n<content>\n1: in the root\n\n(End of file - total 1 lines)\n</content>")
	},
}
