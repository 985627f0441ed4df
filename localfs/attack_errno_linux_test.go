//go:build !toolfs_portable

package localfs

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// errorAttacks are about a system that fails.
var errorAttacks = map[int]func(*testing.T){
	60: func(t *testing.T) {
		for errno, says := range map[error]string{
			unix.ENOSPC: "no space left on device", unix.EDQUOT: "disk quota exceeded",
			unix.EIO: "input/output error", unix.EFBIG: "file too large",
		} {
			for nth := 1; nth <= 3; nth++ {
				p := newPlace(t)
				path := p.file("f", oldText)
				p.spy.Sys = stingy{p.spy.Sys}
				p.spy.before = failing("write", nth, errno)
				_, err := p.replace(oldText, newText)
				p.code(err, vfs.CodeIOError)
				if want := `cannot write "` + path + `": ` + says; err == nil || err.Error() != want {
					t.Errorf("it says %v, not %s", err, want)
				}
				p.holds("f", oldText)
				p.only("f")
			}
		}
	},

	62: func(t *testing.T) {
		p := placeAt(t, t.TempDir(), Options{})
		p.file("f", oldText)
		p.spy.before = failing("sync", 2, unix.EIO)
		info, err := p.replace(oldText, newText)
		p.must(err)
		if !info.Publication.NotDurable {
			t.Error("it says that it is on the disk")
		}
		p.holds("f", newText)
		p.spy.calls = nil
		info, err = p.create("g", newText)
		p.must(err)
		if !info.Publication.NotDurable {
			t.Error("it says that the new one is on the disk")
		}
		p.only("f", "g")
	},

	63: func(t *testing.T) {
		p := newPlace(t)
		p.file("f", oldText)
		p.spy.before = failing("unlink", 1, unix.EIO)
		_, err := p.replace(oldText, newText)
		p.must(err)
		p.holds("f", newText)
		if left := p.leftovers(); len(left) != 1 {
			t.Errorf("%q are left", left)
		}
		t.Run("after a restart", func(t *testing.T) {
			q := newPlace(t)
			q.file("f", oldText)
			q.spy.before = failing("unlink", 1, unix.EIO)
			_, err := q.replace(oldText, newText)
			q.must(err)
			q.fs = q.again()
			_, err = q.create("g", newText)
			q.must(err)
			q.only("f", "g")
		})
		t.Run("at the next call", func(t *testing.T) {
			q := *p
			q.T = t
			_, err := q.create("g", newText)
			q.must(err)
			q.only("f", "g")
		})
	},

	// A disk that is really full, and other ways in which a file system ends.
	64: func(t *testing.T) {
		refused := func(p *place, size int) {
			p.Helper()
			data := make([]byte, size)
			for i := range data {
				data[i] = 'n'
			}
			_, err := p.replace(oldText, string(data))
			p.code(err, vfs.CodeIOError)
			_, err = p.create("new/dir/g", string(data))
			p.code(err, vfs.CodeIOError)
			p.holds("f", oldText)
			if left := p.leftovers(); len(left) > 0 || !absent(p.path("new")) {
				p.Errorf("%q are left", left)
			}
		}
		t.Run("space", func(t *testing.T) {
			s := newSmall(t, 8<<20)
			p := placeAt(t, s.dir, Options{})
			p.file("f", oldText)
			refused(p, 9<<20)
			_, err := p.replace(oldText, newText)
			p.must(err)
		})
		t.Run("inodes", func(t *testing.T) {
			s := newSmall(t, 8<<20, "-N", "16")
			p := placeAt(t, s.dir, Options{})
			p.file("f", oldText)
			var full error
			for i := 0; full == nil && i < 100; i++ {
				full = os.WriteFile(p.path("x"+string(rune('a'+i))), nil, 0o644)
			}
			if full == nil {
				t.Fatal("the test is void: it is not full")
			}
			refused(p, 10)
		})
		t.Run("read only", func(t *testing.T) {
			s := newSmall(t, 8<<20)
			p := placeAt(t, s.dir, Options{})
			p.file("f", oldText)
			s.run("mount", "-o", "remount,ro", s.dir)
			refused(p, 10)
		})
		t.Run("the limit of a process", func(t *testing.T) {
			for _, op := range []string{opReplace, opCreate, opInPlace} {
				p := newPlace(t)
				old, _ := publishedBy(op)
				names := []string{}
				if op != opCreate {
					p.file("f", old)
					names = append(names, "f")
				}
				out, err := p.another(nil, "limited", op).Output()
				p.must(err)
				if got, want := string(out), "alive\nfailed "+string(vfs.CodeIOError)+` cannot write "`+p.path("f")+`": file too large`+"\n"; got != want {
					t.Errorf("%s: it says %q, not %q", op, got, want)
				}
				if op != opCreate {
					p.holds("f", old)
				}
				p.only(names...)
			}
		})
	},

	// Names that begin as ours do, and are none.
	73: func(t *testing.T) {
		p := newPlace(t)
		p.file("f", oldText)
		names := []string{".dshtx-x", ".dshtx-", ".dshtx-stage-", ".dshtx-stage-notes", ".dshtx-01234567-89abcdef-0123456789abcdef", "f"}
		for _, name := range names[:5] {
			p.file(name, "theirs")
		}
		dir := ".dshtx-01234567-89abcdef-0123456789abcdef-0123456789abcdef"
		p.must(os.Mkdir(p.path(dir), 0o755), os.Symlink("f", p.path(".dshtx-stage-0123abcd")))
		names = append(names, dir, ".dshtx-stage-0123abcd")
		if c := p.collect(); c != (Collected{}) {
			t.Errorf("it collected %+v", c)
		}
		p.only(slices.Clone(names)...)
		_, err := p.replace(oldText, newText)
		p.must(err)
		p.only(names...)
		p.holds(".dshtx-x", "theirs")

		// They are files like any other to whoever works on them.
		_, err = p.put(t.Context(), ".dshtx-x", "ours", vfs.IfVersion(vfs.VersionOf([]byte("theirs"))))
		p.must(err)
		p.holds(".dshtx-x", "ours")
	},
}
