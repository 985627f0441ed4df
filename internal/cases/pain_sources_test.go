//go:build linux

package cases_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// sourceCases are faults found by reading how such tools were written before.
var sourceCases = cases{
	"s1": func(t *testing.T) { newWorld(t).edited("\ufeffa\n", "a", "b", "\ufeffb\n") },

	// The beginning of a file does not decide about the rest.
	"s2": func(t *testing.T) {
		head, tail := strings.Repeat("unix\n", 1000)+"here\n", strings.Repeat("dos\r\n", 1000)+"there\r\n"
		newWorld(t).edited(head+tail, "here\ndos", "HERE\nDOS", strings.Replace(head, "here", "HERE", 1)+strings.Replace(tail, "dos", "DOS", 1))
		newWorld(t).edited(head+tail, "there\n", "end\nof\n", head+strings.Replace(tail, "there\r\n", "end\r\nof\r\n", 1))
		newWorld(t).edited(tail+head, "there\n", "THERE\n", strings.Replace(tail, "there", "THERE", 1)+head)
	},

	// A new file is made as any program makes one; a changed one keeps what it has.
	"s3": func(t *testing.T) {
		w := newWorld(t)
		w.must(os.Mkdir(w.path("shared"), 0o775), os.Chmod(w.path("shared"), 0o775|os.ModeSetgid))
		if os.Geteuid() == 0 {
			w.must(os.Chown(w.path("shared"), -1, 1001))
		}
		plain, err := os.OpenFile(w.path("shared/plain"), os.O_CREATE|os.O_WRONLY, 0o666)
		w.must(err, plain.Close())
		w.ok("write", write("shared/made", "x"))
		if got, want := w.mode("shared/made"), w.mode("shared/plain"); got != want {
			t.Errorf("a new file is %v, not %v", got, want)
		}
		if got, want := w.stat("shared/made").Gid, w.stat("shared/plain").Gid; got != want {
			t.Errorf("a new file belongs to group %d, not %d", got, want)
		}

		p := w.file("f", "a")
		w.must(os.Chmod(p, 0o755|os.ModeSetgid))
		w.attribute("f", "user.note", "kept")
		w.ok("read", path("f"))
		w.ok("edit", edit("f", "a", "b"))
		if value := w.attributeOf("f", "user.note"); value != "kept" {
			t.Errorf("the attribute is %q", value)
		}
		if os.Geteuid() == 0 && w.mode("f") != 0o755|os.ModeSetgid {
			t.Errorf("the mode is %v", w.mode("f"))
		}
		w.only("shared", "made", "plain")
	},

	// One child that cannot be looked at takes no other with it.
	"s5": func(t *testing.T) {
		w := newWorld(t)
		w.file("locked/f", "")
		w.file("f", "")
		w.must(os.Symlink("locked/f", w.path("into")), os.Symlink("circle", w.path("circle")), os.Symlink("f/x", w.path("below-file")),
			os.Chmod(w.path("locked"), 0))
		t.Cleanup(func() { w.must(os.Chmod(w.path("locked"), 0o755)) })
		var text string
		asOther(t, w, func() { text = w.ok("list", args{}) })
		w.says(text, "<path>"+w.ws+"</path>\n<type>directory</type>\n<content>\nlocked/\nf\nbelow-file@\ncircle@\ninto@\n\n(5 entries: 1 directory, 1 file, 3 other)\n</content>")
	},

	// Two changes within one tick of whatever clock are two changes.
	"s6": func(t *testing.T) {
		w := newWorld(t)
		at := time.Now().Truncate(time.Second)
		for range 50 {
			p := w.file("f", "a")
			w.must(os.Chtimes(p, at, at))
			w.ok("read", path("f"))
			w.file("f", "x")
			w.must(os.Chtimes(p, at, at))
			w.refused("write", write("f", "b"), vfs.CodeStaleVersion)
			w.holds("f", "x")
		}
	},

	// Being inside is no matter of spelling: a name may begin with two dots, and a
	// link may lead out.
	"s7": func(t *testing.T) {
		w := confined(t)
		w.file(w.out+"/secret", "secret\n")
		w.must(os.Symlink(w.out, w.path("l")))
		w.ok("write", write("..x", "inside\n"))
		w.ok("write", write("...", "inside\n"))
		w.wantLines("..x", "inside")
		w.refused("read", path("l/secret"), vfs.CodeSandboxDenied)
		w.refused("list", args{"path": "l"}, vfs.CodeSandboxDenied)
		w.refused("write", write("l/secret", "x"), vfs.CodeSandboxDenied)
		w.refused("edit", edit("l/secret", "secret", "x"), vfs.CodeSandboxDenied)
		w.holds(w.out+"/secret", "secret\n")
	},

	// New text takes the endings of the lines that it replaces, whichever it brings.
	"s9": func(t *testing.T) {
		newWorld(t).edited("a\r\nb\r\nc\r\n", "b", "x\r\ny", "a\r\nx\r\ny\r\nc\r\n")
		newWorld(t).edited("a\r\nb\r\nc\r\n", "b\r\n", "x\ny\n", "a\r\nx\r\ny\r\nc\r\n")
		newWorld(t).edited("a\nb\nc\n", "b\n", "x\r\ny\r\n", "a\nx\ny\nc\n")
		newWorld(t).edited("a\r\nb\nc\n", "b", "x\ny", "a\r\nx\ny\nc\n")
	},

	"s11": func(t *testing.T) {
		w := newWorld(t)
		w.must(os.Chmod(w.file("f", "one\r\n two\r\n two\r\n"), 0o755))
		w.ok("read", path("f"))
		w.refused("edit", edit("f", " two", "2"), vfs.CodeAmbiguousEdit)
		w.refused("edit", edit("f", "one\n\ttwo", "2"), vfs.CodeEditNotFound)
		w.refused("edit", edit("f", "one \n", "2"), vfs.CodeEditNotFound)
		w.refused("edit", edit("f", "", "2"), "")
		w.ok("edit", edit("f", "one\n two", "1\n 2"))
		w.holds("f", "1\r\n 2\r\n two\r\n")
		if w.mode("f") != 0o755 {
			t.Errorf("the mode is %v", w.mode("f"))
		}
	},

	// A character may lie across the border of any two pieces that are read.
	"s12": func(t *testing.T) {
		w := newWorld(t)
		for _, border := range []int{1024, 4096, 8192, 32 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20} {
			for _, char := range []string{"é", "日", "😀"} {
				for before := 1; before < len(char); before++ {
					filling := border - before
					content := strings.Repeat("123456789abcdef\n", filling/16) + strings.Repeat("\n", filling%16) + char + "!\n"
					w.file("f", content)
					lines, _ := w.shown(w.ok("read", args{"file_path": "f", "offset": strings.Count(content, "\n")}))
					if len(lines) != 1 || lines[0] != char+"!" {
						t.Errorf("across %d there is %q", border, lines)
					}
				}
			}
		}
	},

	// One place unless it is said otherwise, no place for nothing, and no write when
	// nothing was replaced.
	"s13": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a a")
		w.ok("read", path("f"))
		same := w.untouched("f")
		w.refused("edit", edit("f", "a", "b"), vfs.CodeAmbiguousEdit)
		w.refused("edit", args{"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": false}, vfs.CodeAmbiguousEdit)
		w.refused("edit", editAll("f", "", "b"), "")
		w.refused("edit", editAll("f", "(a)", "b"), vfs.CodeEditNotFound)
		same()
	},

	// A long line is cut, and what comes after it is there.
	"s14": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "first\n"+strings.Repeat("é", 35_000)+"\nlast\n")
		w.wantLines("f", "first", strings.Repeat("é", 2000)+"... (line truncated to 2000 chars)", "last")
		w.ok("edit", edit("f", "last", "end"))
		w.holds("f", "first\n"+strings.Repeat("é", 35_000)+"\nend\n")
	},

	// A root that is named by a link is what the link leads to.
	"s15": func(t *testing.T) {
		w := newPlaces(t)
		link := filepath.Join(w.base, "link")
		w.must(os.Symlink("ws", link))
		disk, err := localfs.Root([]string{link}, localfs.Options{StateDir: w.state, NoSync: true})
		w.must(err)
		t.Cleanup(func() { w.must(disk.Close()) })
		w.disk = disk
		w.open()
		w.ok("write", write(link+"/f", "a\n"))
		w.wantLines(w.ws+"/f", "a")
		w.ok("edit", edit("f", "a", "b"))
		w.holds("f", "b\n")
		w.refused("read", path(link+"/../out/f"), vfs.CodeSandboxDenied)
	},

	// Where names differ in case, directories do.
	"s16": func(t *testing.T) {
		w := confined(t)
		other := filepath.Join(w.base, "WS")
		if err := os.Mkdir(other, 0o755); err != nil {
			cannot(t, "this file system folds case")
		}
		w.file(other+"/secret", "secret")
		w.refused("read", path(other+"/secret"), vfs.CodeSandboxDenied)
		w.refused("write", write(other+"/new", "x"), vfs.CodeSandboxDenied)
		w.only(other, "secret")
	},

	// Nothing that a model can call changes what it may do.
	"s17": func(t *testing.T) {
		w := confined(t)
		suspicious := regexp.MustCompile(`config|allow|root|cwd|chdir|mode|policy|limit_`)
		for _, d := range w.set.Registry().Schemas(nil) {
			var schema struct{ Properties map[string]any }
			w.must(json.Unmarshal(d.Parameters, &schema))
			for field := range schema.Properties {
				if suspicious.MatchString(field) {
					t.Errorf("%s takes %s", d.Name, field)
				}
			}
			if suspicious.MatchString(d.Name) {
				t.Errorf("there is a tool %s", d.Name)
			}
		}
	},

	// A line feed at the end that was put in or taken out on purpose stays so.
	"s18": func(t *testing.T) {
		newWorld(t).edited("a\nlast", "last", "last\n", "a\nlast\n")
		newWorld(t).edited("a\nlast\n", "last\n", "last", "a\nlast")
		newWorld(t).edited("a\r\nlast", "last", "last\n", "a\r\nlast\r\n")
	},

	"s19": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "\xff\xfea\x00=\x00x\x00\n\x00")
		w.wantLines("f", "a=x")
		w.ok("edit", edit("f", "=x", "=ý"))
		w.holds("f", "\xff\xfea\x00=\x00\xfd\x00\n\x00")
	},
	"s20": func(t *testing.T) { newWorld(t).edited("a\r\nb\r\n", "a", "c", "c\r\nb\r\n") },

	"s21": func(t *testing.T) {
		for _, w := range []*world{newWorld(t), confined(t)} {
			for _, name := range []string{"v1..v2.diff", "..x", "x..", "a..b/c..d", "..."} {
				w.ok("write", write(name, "a\n"))
				w.ok("edit", edit(name, "a", "b"))
				w.wantLines(name, "b")
				w.holds(name, "b\n")
			}
		}
	},

	// No name is ever given to a shell.
	"s22": func(t *testing.T) {
		w := newWorld(t)
		for _, name := range []string{"a b", "a;touch hit", "$(touch hit)", "`touch hit`", "a'b", "-rf", "*", "~", "a&b|c>hit"} {
			w.file(name+"/f", "a\n")
			w.wantLines(name+"/f", "a")
			w.says(w.ok("list", args{"path": name}), "<path>"+w.path(name)+"</path>\n<type>directory</type>\n<content>\nf\n\n(1 entry: 0 directories, 1 file)\n</content>")
			w.must(os.RemoveAll(w.path(name)))
		}
		w.only(w.ws)
	},

	// Nothing to look for is refused before anybody asks what was read.
	"s23": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "precious")
		w.says(w.refused("edit", edit("f", "", "new content"), ""), "old_string must be a non-empty string")
		w.ok("read", path("f"))
		w.says(w.refused("edit", edit("f", "", "new content"), ""), "old_string must be a non-empty string")
		w.refused("edit", edit("f", "prec1ous", "x"), vfs.CodeEditNotFound)
		w.holds("f", "precious")
	},

	// What a name led to when it was resolved is not what it leads to now: whatever
	// is opened is proven where it is opened. And a file is shown to its end.
	"s24": func(t *testing.T) {
		for _, w := range []*world{confined(t), newWorld(t)} {
			w.file("d/f", "inside")
			w.file(w.out+"/f", "secret")
			target, err := w.disk.Resolve(t.Context(), w.ws, "d/f")
			w.must(err, os.Rename(w.path("d"), w.path("moved")), os.Symlink(w.out, w.path("d")))
			if f, err := w.disk.Open(t.Context(), target); err == nil {
				f.Close()
				t.Error("it is opened")
			}
			for _, condition := range []vfs.Condition{{}, vfs.IfAbsent(), vfs.IfVersion(vfs.VersionOf([]byte("secret")))} {
				if _, err := w.disk.Put(t.Context(), target, []byte("x"), vfs.PutOptions{If: condition}); err == nil {
					t.Errorf("it is written (%s)", condition)
				}
			}
			w.holds(w.out+"/f", "secret")
			w.only(w.out, "f")
		}
		w := newWorld(t)
		w.file("big", "short\n"+strings.Repeat("x", 1<<20)+"\nneedle\n")
		if lines := w.lines("big"); len(lines) != 3 || lines[2] != "needle" {
			t.Errorf("%d lines", len(lines))
		}
	},

	// Nothing is a result like any other.
	"s25": func(t *testing.T) {
		newWorld(t).edited("all\nof\nit\n", "all\nof\nit\n", "", "")
		w := newWorld(t)
		w.file("f", "x")
		w.file("g", "x")
		w.ok("read", path("f"))
		w.says(w.ok("edit", edit("f", "x", "")), fmt.Sprintf("The file %s has been updated successfully.", w.path("f")))
		w.holds("f", "")
		w.holds("g", "x")
		w.ok("write", write("f", ""))
		w.holds("f", "")
	},
}

// attribute sets an extended attribute.
func (w *world) attribute(name, attribute, value string) {
	w.Helper()
	if err := syscall.Setxattr(w.path(name), attribute, []byte(value), 0); err != nil {
		cannot(w.T, "this file system has no extended attributes: "+err.Error())
	}
}

func (w *world) attributeOf(name, attribute string) string {
	w.Helper()
	buf := make([]byte, 256)
	n, err := syscall.Getxattr(w.path(name), attribute, buf)
	w.must(err)
	return string(buf[:n])
}
