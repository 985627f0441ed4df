//go:build linux

package cases_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// fence is a confined world without policy, with one file outside.
func fence(t *testing.T) *world {
	t.Helper()
	w := confined(t, unguarded)
	w.file(w.out+"/secret", "secret\n")
	return w
}

// intact fails unless nothing changed outside.
func (w *world) intact() {
	w.Helper()
	w.holds(w.out+"/secret", "secret\n")
	w.only(w.out, "secret")
	w.only(w.base, "cache", "out", "ws")
}

var fenceAttacks = cases{
	"74": func(t *testing.T) {
		w := fence(t)
		w.must(os.Symlink(w.out, w.path("l")), os.Symlink("../out", w.path("relative")), os.Symlink(w.out+"/secret", w.path("leaf")),
			os.Symlink(w.out+"/new", w.path("dangling")), os.Symlink("l", w.path("chain")))
		for _, dir := range []string{"l", "relative", "chain"} {
			w.refused("write", write(dir+"/x", "x"), vfs.CodeSandboxDenied)
			w.refused("write", write(dir+"/secret", "x"), vfs.CodeSandboxDenied)
			w.refused("write", write(dir+"/new/deep/x", "x"), vfs.CodeSandboxDenied)
			w.refused("edit", edit(dir+"/secret", "secret", "x"), vfs.CodeSandboxDenied)
			w.refused("read", path(dir+"/secret"), vfs.CodeSandboxDenied)
			w.refused("list", args{"path": dir}, vfs.CodeSandboxDenied)
		}
		for _, leaf := range []string{"leaf", "dangling"} {
			w.refused("write", write(leaf, "x"), vfs.CodeSandboxDenied)
			w.refused("edit", edit(leaf, "secret", "x"), vfs.CodeSandboxDenied)
			w.refused("read", path(leaf), vfs.CodeSandboxDenied)
		}
		w.intact()
	},

	// A directory whose name begins like a root's is another directory.
	"75": func(t *testing.T) {
		w := fence(t)
		evil := w.ws + "-evil"
		w.file(evil+"/f", "theirs")
		for _, name := range []string{evil + "/x", evil + "/f", w.ws + "/../ws-evil/x", "../ws-evil/f", w.ws + "-evil"} {
			w.refused("write", write(name, "x"), vfs.CodeSandboxDenied)
			w.refused("read", path(name), vfs.CodeSandboxDenied)
		}
		w.only(evil, "f")
		w.holds(evil+"/f", "theirs")
	},

	// Whatever leads inside in the end is inside.
	"82": func(t *testing.T) {
		w := fence(t)
		w.must(os.MkdirAll(w.path("d/e"), 0o755), os.Symlink(w.path("d"), w.path("absolute")), os.Symlink(w.cache, w.path("x")),
			os.Symlink(w.ws, w.out+"/in"), os.Symlink("../../ws/d", w.path("d/roundabout")))
		for name, real := range map[string]string{
			"absolute/f1":       w.path("d/f1"),
			"x/f2":              w.cache + "/f2",
			"x/new/f3":          w.cache + "/new/f3",
			w.out + "/in/f4":    w.path("f4"),
			w.out + "/in/d/f5":  w.path("d/f5"),
			"d/roundabout/f6":   w.path("d/f6"),
			"../ws/d/f7":        w.path("d/f7"),
			w.cache + "/f8":     w.cache + "/f8",
			"absolute/../g/f9":  w.path("g/f9"),
			"d/e/../../d/./f10": w.path("d/f10"),
		} {
			w.ok("write", write(name, "a\n"))
			w.ok("edit", edit(name, "a", "b"))
			w.wantLines(name, "b")
			w.holds(real, "b\n")
		}
		w.must(os.Remove(w.out + "/in"))
		w.intact()
	},

	// The links that the kernel makes up lead nowhere.
	"83": func(t *testing.T) {
		w := fence(t)
		dir, err := os.Open(w.out)
		w.must(err)
		defer dir.Close()
		for name, target := range map[string]string{
			"root": "/proc/self/root" + w.out, "cwd": "/proc/self/cwd", "fd": fmt.Sprintf("/proc/self/fd/%d", dir.Fd()),
			"dev": fmt.Sprintf("/dev/fd/%d", dir.Fd()), "thread": "/proc/thread-self/root" + w.out,
		} {
			w.must(os.Symlink(target, w.path(name)))
			for _, r := range []tool.Result{
				w.run("read", path(name+"/secret")), w.run("write", write(name+"/secret", "x")), w.run("write", write(name+"/new", "x")),
				w.run("edit", edit(name+"/secret", "secret", "x")), w.run("list", args{"path": name}), w.run("read", path(target+"/secret")),
				w.run("write", write(target+"/new", "x")),
			} {
				if code := codeOf(r); !r.IsError || code != vfs.CodeSandboxDenied && code != vfs.CodeNotFound {
					t.Errorf("%s gives %v", name, r.Content)
				}
			}
		}
		w.intact()
	},

	"84": func(t *testing.T) {
		w := fence(t)
		w.must(os.Mkdir(w.path("a"), 0o755))
		for _, name := range []string{
			"../out/x", "a/../../out/x", w.ws + "/./../out/x", "..//out/x", "a/./.././../out/x", "..", "../", "/..", "/../x", "//x", "/",
			"a/..", "a/../..", ".", "./", "a/.", "a/", "new/", "new/.", "missing/../../out/x", "", " ", "..\\out\\x/../../../out/x",
		} {
			if r := w.run("write", write(name, "x")); !r.IsError {
				t.Errorf("%q is written: %v", name, r.Content)
			}
		}
		w.intact()
		w.only(w.ws, "a")
		w.only("a")
		if _, err := os.Lstat("/x"); err == nil {
			t.Error("there is a file at the top of the machine")
		}
	},

	// What no path can hold, and what no text should: refused, or taken exactly as it
	// is, and never passed on raw.
	"87": func(t *testing.T) {
		for _, w := range []*world{fence(t), newWorld(t, unguarded)} {
			w.file("f", "plain\n")
			for _, name := range []string{"f\x00g", "\x00", "f\ng", "f\x1b[2Jg", "f\rg", "f\tg", "f\u0085g", "f\u202eg", "</path>f"} {
				for _, r := range []tool.Result{
					w.run("read", path(name)), w.run("list", args{"path": name}), w.run("edit", edit(name, "plain", "x")),
					w.run("write", write(name, "plain\n")), w.run("read", path(name)), w.run("edit", edit(name, "plain", "x")), w.run("list", args{}),
				} {
					clean(t, name, r)
				}
				if strings.Contains(name, "\x00") {
					w.refused("write", write(name, "x"), vfs.CodeIOError)
					continue
				}
				w.holds(w.ws+"/"+name, "x\n")
				w.holds("f", "plain\n")
				top, _, _ := strings.Cut(name, "/")
				w.must(os.RemoveAll(w.path(top)))
				w.only(w.ws, "f")
			}
			call := w.call("write", nil)
			call.Arguments = []byte("{\"file_path\":\"f\xff\",\"content\":\"x\"}")
			r := w.set.Execute(t.Context(), call)
			w.failed(r, "INVALID_ARGS")
			clean(t, "no UTF-8", r)
			w.only(w.ws, "f")
			w.file("n\xff", "named oddly\n")
			clean(t, "no UTF-8", w.run("list", args{}))
		}
	},
}

// clean fails if a result's text holds a character that moves a cursor or that ends
// the envelope early.
func clean(t *testing.T, name string, r tool.Result) {
	t.Helper()
	for _, block := range r.Content {
		for _, char := range block.Text {
			if char != '\n' && unicode.In(char, unicode.Cc, unicode.Cf) {
				t.Errorf("%q makes %q", name, block.Text)
				break
			}
		}
		if !utf8.ValidString(block.Text) || strings.Count(block.Text, "</path>") > 1 || r.IsError && strings.Contains(block.Text, "\n") {
			t.Errorf("%q makes %q", name, block.Text)
		}
	}
}
