//go:build !toolfs_portable

package localfs

import (
	"context"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

const (
	oldText   = "the old content"
	newText   = "the new content, which is longer"
	theirText = "somebody else's"
)

// windowAttacks are what others do at the one moment that matters.
var windowAttacks = map[int]func(*testing.T){
	// The name is free when it is looked at, and taken when it is to be given, on each
	// of the ways to give it.
	20: func(t *testing.T) {
		for name, tt := range map[string]struct {
			call   string
			unable map[string]error
		}{
			"unnamed":     {"link", nil},
			"no unnamed":  {"rename", map[string]error{"opentemp": unix.EOPNOTSUPP}},
			"only linked": {"link", map[string]error{"opentemp": unix.EOPNOTSUPP, "rename": unix.EINVAL}},
		} {
			t.Run(name, func(t *testing.T) {
				p := newPlace(t)
				p.spy.before = func(call string, n int) error {
					if call == tt.call && n == 1 {
						p.file("f", theirText)
					}
					return tt.unable[call]
				}
				_, err := p.create("f", newText)
				p.code(err, vfs.CodeNotObserved)
				p.holds("f", theirText)
				p.only("f")
			})
		}
	},

	31: func(t *testing.T) {
		p := newPlace(t)
		path := p.file("f", oldText)
		p.spy.before = at("rename", 1, func() error { return renameOver(theirText)(path) })
		_, err := p.replace(oldText, newText)
		p.code(err, vfs.CodeStaleVersion)
		p.holds("f", theirText)
		p.only("f")
	},

	// Who opens the file for writing waits, and then writes to the file that has the
	// name.
	32: func(t *testing.T) {
		p := newPlace(t)
		p.file("f", oldText)
		t.Run("the window", func(t *testing.T) {
			q := *p
			q.T = t
			q.spy.before = at("rename", 1, func() error { q.meddle("f", writeInto(theirText)); return nil })
			_, err := q.replace(oldText, newText)
			q.code(err, vfs.CodeBusy, vfs.CodeStaleVersion)
		})
		p.holds("f", theirText)
		p.only("f")
	},

	33: func(t *testing.T) {
		p := newPlace(t)
		path := p.file("f", oldText)
		p.spy.after = func(call string, n int) {
			if call == "rename" && n == 1 {
				p.must(renameOver(theirText)(path))
			}
		}
		_, err := p.replace(oldText, newText)
		p.must(err)
		p.holds("f", theirText)
		p.only("f")
	},

	34: func(t *testing.T) {
		p := newPlace(t)
		path := p.file("f", oldText)
		p.spy.before = at("rename", 1, func() error { return os.Remove(path) })
		_, err := p.replace(oldText, newText)
		p.code(err, vfs.CodeStaleVersion)
		p.only()
	},

	// It is a program that logs: its next line is not lost to a file without a name.
	36: func(t *testing.T) {
		p := newPlace(t)
		logger, err := os.OpenFile(p.file("f", "line 1\n"), os.O_WRONLY|os.O_APPEND, 0)
		p.must(err)
		_, err = p.replace("line 1\n", newText)
		p.code(err, vfs.CodeBusy)
		_, err = logger.WriteString("line 2\n")
		p.must(err)
		p.holds("f", "line 1\nline 2\n")
		p.only("f")
		p.must(logger.Close())
		_, err = p.replace("line 1\nline 2\n", newText)
		p.must(err)
	},

	37: func(t *testing.T) {
		p := newPlace(t)
		view := mapped(t, p.file("f", oldText))
		_, err := p.replace(oldText, newText)
		p.code(err, vfs.CodeBusy)
		view[0] = 'T'
		p.holds("f", "T"+oldText[1:])
		p.only("f")

		// There a mapping is not seen once its file is closed: then the content decides.
		t.Run("over a layer", func(t *testing.T) {
			p := placeAt(t, layered(t, map[string]string{"f": oldText}).merged, Options{NoSync: true})
			view := mapped(t, p.path("f"))
			view[0] = 'T'
			_, err := p.replace(oldText, newText)
			p.code(err, vfs.CodeBusy, vfs.CodeStaleVersion)
			p.holds("f", "T"+oldText[1:])
			p.only("f")
		})
	},

	// The mode is the one that the file has when it is replaced.
	42: func(t *testing.T) {
		for _, call := range []string{"opentemp", "chmod", "openread", "lock", "readat", "link", "rename"} {
			t.Run("before "+call, func(t *testing.T) {
				p := newPlace(t)
				path := p.file("f", oldText)
				p.fs.collected.first(openDir(t, p.dir)) // which makes calls of its own
				p.spy.before = at(call, 1, func() error { return os.Chmod(path, 0o600) })
				_, err := p.replace(oldText, newText)
				p.must(err)
				if st := p.stat("f"); st.Mode&0o7777 != 0o600 {
					t.Errorf("the mode is %o", st.Mode&0o7777)
				}
				p.holds("f", newText)
				p.only("f")
			})
		}
		for name, c := range map[string]vfs.Condition{"of any content": {}, "without an exchange": vfs.IfVersion(vfs.VersionOf([]byte(oldText)))} {
			t.Run(name, func(t *testing.T) {
				p := newPlace(t)
				path := p.file("f", oldText)
				p.spy.before = at("rename", 1, func() error {
					p.must(os.Chmod(path, 0o600))
					if c.Always() {
						return nil
					}
					return unix.EINVAL
				})
				_, err := p.put(t.Context(), "f", newText, c)
				p.must(err)
				if st := p.stat("f"); st.Mode&0o7777 != 0o600 {
					t.Errorf("the mode is %o", st.Mode&0o7777)
				}
				p.only("f")
			})
		}
	},

	// Somebody else holds the directory's lock for longer than anybody waits for it.
	43: func(t *testing.T) {
		p := newPlace(t)
		p.file("f", oldText)
		dir := openDir(t, p.dir)
		p.must(unix.Flock(dir, unix.LOCK_EX))
		_, err := p.replace(oldText, newText)
		p.code(err, vfs.CodeBusy)
		ctx, cancel := context.WithCancel(t.Context())
		waits := 0
		p.spy.before = func(call string, _ int) error {
			if call == "lock" {
				if waits++; waits == 3 {
					cancel()
				}
			}
			return nil
		}
		_, err = p.put(ctx, "f", newText, vfs.IfVersion(vfs.VersionOf([]byte(oldText))))
		p.code(err, vfs.CodeBusy, vfs.CodeAborted)
		p.holds("f", oldText)
		p.only("f")
		p.must(unix.Flock(dir, unix.LOCK_UN))
		_, err = p.replace(oldText, newText)
		p.must(err)
	},

	47: func(t *testing.T) {
		check := func(t *testing.T, p *place) {
			t.Helper()
			p.file("f", oldText)
			info, err := p.replace(oldText, newText)
			p.must(err)
			if info.Publication.Guarantee != vfs.GuaranteeChecked {
				t.Errorf("the guarantee is %q", info.Publication.Guarantee)
			}
			_, err = p.replace(oldText, theirText)
			p.code(err, vfs.CodeStaleVersion)
			p.holds("f", newText)
			p.only("f")
		}
		p := newPlace(t)
		p.spy.before = func(call string, n int) error {
			if call == "rename" && n%2 == 1 {
				return unix.EINVAL
			}
			return nil
		}
		check(t, p)
		t.Run("mounted", func(t *testing.T) {
			mount, _ := mountPlain(t, 0)
			check(t, placeAt(t, mount, Options{NoSync: true}))
		})
	},

	71: func(t *testing.T) {
		p := newPlace(t)
		p.spy.Sys = stingy{p.spy.Sys}
		p.file("f", oldText)
		text := strings.Repeat(newText, 100)
		_, err := p.replace(oldText, text)
		p.must(err)
		p.holds("f", text)
		_, err = p.create("g", text)
		p.must(err)
		p.holds("g", text)
		p.only("f", "g")
		t.Run("interrupted", func(t *testing.T) { interrupted(t) })
	},

	72: func(t *testing.T) {
		for name, tt := range map[string]struct {
			call    string
			nth     int
			after   bool
			success bool
		}{
			"before it begins":       {"openpath", 1, false, false},
			"before it is staged":    {"opentemp", 1, false, false},
			"while it is staged":     {"write", 2, false, false},
			"once it is staged":      {"openread", 1, false, false},
			"while it waits":         {"lock", 1, false, false},
			"once it is published":   {"rename", 1, true, true},
			"before what was is let": {"unlink", 1, false, true},
		} {
			t.Run(name, func(t *testing.T) {
				p := newPlace(t)
				p.file("f", oldText)
				p.fs.collected.first(openDir(t, p.dir))
				p.spy.Sys = stingy{p.spy.Sys}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.after {
					p.spy.after = func(call string, n int) { at(tt.call, tt.nth, func() error { cancel(); return nil })(call, n) }
				} else {
					p.spy.before = at(tt.call, tt.nth, func() error { cancel(); return nil })
				}
				_, err := p.put(ctx, "f", newText, vfs.IfVersion(vfs.VersionOf([]byte(oldText))))
				if ctx.Err() == nil {
					t.Fatal("it made no such call")
				}
				want := oldText
				if tt.success {
					p.must(err)
					want = newText
				} else {
					p.code(err, vfs.CodeAborted)
				}
				p.holds("f", want)
				p.only("f")
			})
		}
	},
}
