//go:build !toolfs_portable

package localfs

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

const (
	aclName        = "system.posix_acl_access"
	capabilityName = "security.capability"
)

// acl is an access list that gives one user more than the others: entries of a tag,
// permissions and an id, as the kernel has them.
func acl(user uint32) []byte {
	const (
		version                          = 2
		owner, named, group, mask, other = 0x01, 0x02, 0x04, 0x10, 0x20
		nobody                           = ^uint32(0)
	)
	list := binary.LittleEndian.AppendUint32(nil, version)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{owner, 6, nobody}, {named, 6, user}, {group, 4, nobody}, {mask, 6, nobody}, {other, 0, nobody}} {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.perm)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	return list
}

// capability lets a program use any port.
func capability() []byte {
	const revision2, effective, bindService = 0x02000000, 1, 1 << 10
	var value []byte
	for _, word := range []uint32{revision2 | effective, bindService, 0, 0, 0} {
		value = binary.LittleEndian.AppendUint32(value, word)
	}
	return value
}

func (p *place) attribute(name, attribute string) string {
	buf := make([]byte, 256)
	n, err := unix.Lgetxattr(p.path(name), attribute, buf)
	if err != nil {
		return ""
	}
	return string(buf[:n])
}

// flags are the inode flags of a file, such as chattr shows; with set, they are added.
func (p *place) flags(name string, set int) int {
	p.Helper()
	fd, err := unix.Open(p.path(name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	p.must(err)
	defer unix.Close(fd)
	flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		cannotHere(p.T, "this file system has no inode flags: "+err.Error())
	}
	if set != 0 {
		p.must(unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, int(flags)|set))
	}
	return int(flags)
}

// keepAttacks are about what a file has beside its content, and about places where no
// other file can be given its name.
var keepAttacks = map[int]func(*testing.T){
	48: func(t *testing.T) {
		rootOnly(t)
		p := newPlace(t)
		path := p.file("f", oldText)
		p.must(os.Chmod(path, 0o640), os.Chown(path, somebody, 100), unix.Setxattr(path, aclName, acl(1234), 0),
			unix.Setxattr(path, "user.tag", []byte("kept"), 0), unix.Setxattr(path, "trusted.tag", []byte("kept too"), 0))
		before := p.stat("f")
		list := p.attribute("f", aclName)
		for name, replace := range map[string]func() error{
			"replaced": func() error { _, err := p.replace(oldText, newText); return err },
			"written":  func() error { _, err := p.put(t.Context(), "f", theirText, vfs.Condition{}); return err },
		} {
			p.file("f", oldText)
			p.must(replace())
			after := p.stat("f")
			if after.Mode != before.Mode || after.Uid != somebody || after.Gid != 100 {
				t.Errorf("%s: it has mode %o and belongs to %d:%d", name, after.Mode, after.Uid, after.Gid)
			}
			if got := p.attribute("f", aclName); list == "" || got != list {
				t.Errorf("%s: the access list is %x, not %x", name, got, list)
			}
			if a, b := p.attribute("f", "user.tag"), p.attribute("f", "trusted.tag"); a != "kept" || b != "kept too" {
				t.Errorf("%s: the attributes are %q and %q", name, a, b)
			}
		}
		p.only("f")

		// A list that the directory gives to what is new in it is not the file's.
		p = newPlace(t)
		p.must(os.Chmod(p.file("f", oldText), 0o600), unix.Setxattr(p.dir, "system.posix_acl_default", acl(1234), 0))
		_, err := p.replace(oldText, newText)
		p.must(err)
		if got, st := p.attribute("f", aclName), p.stat("f"); got != "" || st.Mode&0o7777 != 0o600 {
			t.Errorf("it has mode %o and the list %x", st.Mode, got)
		}

		t.Run("flags", func(t *testing.T) {
			const nodump = 0x40
			p := newPlace(t)
			p.file("f", oldText)
			p.flags("f", nodump)
			_, err := p.replace(oldText, newText)
			p.must(err)
			if p.flags("f", 0)&nodump == 0 {
				t.Error("the flag is lost")
			}
		})
	},

	// What a write by the same user would take from a program is taken from it.
	49: func(t *testing.T) {
		rootOnly(t)
		set := func(p *place, mode uint32, uid int) {
			path := p.file("f", oldText)
			p.must(os.Chown(path, uid, uid), unix.Chmod(path, mode), unix.Setxattr(path, capabilityName, capability(), 0))
		}
		check := func(p *place, mode uint32) {
			p.Helper()
			if got := p.attribute("f", capabilityName); got != "" {
				p.Errorf("it has the capability %x", got)
			}
			if st := p.stat("f"); st.Mode&0o7777 != mode {
				p.Errorf("its mode is %o, not %o", st.Mode&0o7777, mode)
			}
			p.holds("f", newText)
		}
		t.Run("root", func(t *testing.T) {
			p := newPlace(t)
			set(p, 0o6755, 0)
			_, err := p.replace(oldText, newText)
			p.must(err)
			check(p, 0o6755)
		})
		t.Run("somebody", func(t *testing.T) {
			p := newPlace(t)
			p.must(os.Chown(p.dir, somebody, somebody))
			set(p, 0o6777, somebody)
			p.asSomebody(func() {
				_, err := p.put(context.Background(), "f", newText, vfs.IfVersion(vfs.VersionOf([]byte(oldText))))
				p.must(err)
			})
			check(p, 0o777)
		})
	},

	50: func(t *testing.T) {
		p := newPlace(t)
		p.must(os.Link(p.file("f", oldText), p.path("g")))
		info, err := p.replace(oldText, newText)
		p.must(err)
		if info.Publication.LinkCount != 2 {
			t.Errorf("it says that it had %d names", info.Publication.LinkCount)
		}
		p.holds("f", newText)
		p.holds("g", oldText)
		p.only("f", "g")
	},

	52: func(t *testing.T) {
		rootOnly(t)
		p := newPlace(t)
		source := newPlace(t)
		from, to := source.file("source", oldText), p.file("f", "hidden")
		p.must(unix.Mount(from, to, "", unix.MS_BIND, ""))
		t.Cleanup(func() { unmount(t, to) })
		before := source.stat("source")
		kept := 0
		p.spy.before = func(call string, n int) error {
			if call == "writeat" {
				kept = max(kept, entries(p))
			}
			return nil
		}
		info, err := p.replace(oldText, newText)
		p.must(err)
		if info.Publication.Guarantee != vfs.GuaranteeInPlace || kept != 1 || entries(p) != 0 {
			t.Errorf("the guarantee is %q, with %d entries in the journal, %d afterwards", info.Publication.Guarantee, kept, entries(p))
		}
		if after := source.stat("source"); after.Ino != before.Ino {
			t.Error("another file has the name")
		}
		source.holds("source", newText)
		_, err = p.replace(oldText, theirText)
		p.code(err, vfs.CodeStaleVersion)
		p.only("f")
		source.only("source")
		p.must(os.Link(from, source.path("other")))
		_, err = p.replace(newText, theirText)
		p.code(err, vfs.CodeBusy)
		source.holds("other", newText)
	},

	53: func(t *testing.T) {
		rootOnly(t)
		p := newPlace(t)
		p.must(os.Chmod(p.dir, 0o777|os.ModeSticky), os.Chmod(p.file("f", oldText), 0o666))
		before := p.stat("f")
		p.asSomebody(func() {
			info, err := p.put(context.Background(), "f", newText, vfs.IfVersion(vfs.VersionOf([]byte(oldText))))
			p.must(err)
			if info.Publication.Guarantee != vfs.GuaranteeInPlace {
				t.Errorf("the guarantee is %q", info.Publication.Guarantee)
			}
		})
		if after := p.stat("f"); after.Ino != before.Ino || after.Uid != 0 || after.Mode != before.Mode {
			t.Errorf("it was %+v and is %+v", before, after)
		}
		p.holds("f", newText)
		p.only("f")
	},

	54: func(t *testing.T) {
		rootOnly(t)
		p := newPlace(t)
		p.must(os.Chmod(p.dir, 0o555), os.Chown(p.file("f", oldText), somebody, somebody))
		p.asSomebody(func() {
			_, err := p.put(context.Background(), "f", newText, vfs.IfVersion(vfs.VersionOf([]byte(oldText))))
			p.must(err)
			_, err = p.put(context.Background(), "g", newText, vfs.IfAbsent())
			p.code(err, vfs.CodePermissionDenied)
		})
		p.holds("f", newText)
		p.only("f")
		if entries(p) != 0 {
			t.Error("the journal is not empty")
		}
	},

	// To rename over a file takes no right to write it, and must not give one.
	55: func(t *testing.T) { denied(t, 0o444) },

	// What cannot be read cannot be verified.
	56: func(t *testing.T) { denied(t, 0o200) },

	// A directory that cannot be read cannot be locked either.
	58: func(t *testing.T) {
		rootOnly(t)
		p := newPlace(t)
		p.must(os.Chmod(p.dir, 0o333), os.Chown(p.dir, somebody, somebody))
		p.asSomebody(func() {
			_, err := p.put(context.Background(), "f", newText, vfs.IfAbsent())
			p.code(err, "", vfs.CodePermissionDenied)
			if err == nil {
				p.holds("f", newText)
				_, err = p.put(context.Background(), "f", oldText, vfs.IfVersion(vfs.VersionOf([]byte(newText))))
				p.code(err, "", vfs.CodePermissionDenied)
			}
		})
		p.must(os.Chmod(p.dir, 0o755))
		if left := p.leftovers(); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
	},

	59: func(t *testing.T) {
		p := newPlace(t)
		p.file("f", oldText)
		links := map[string]string{"a": "b", "b": p.path("f")}
		for name, target := range links {
			p.must(os.Symlink(target, p.path(name)))
		}
		_, err := p.put(t.Context(), "a", newText, vfs.IfVersion(vfs.VersionOf([]byte(oldText))))
		p.must(err)
		p.holds("f", newText)
		for name, target := range links {
			if got, err := os.Readlink(p.path(name)); err != nil || got != target {
				t.Errorf("%s leads to %q, %v", name, got, err)
			}
		}
		p.only("a", "b", "f")
	},
}

// denied fails unless a file of this mode is left alone by its owner's publications.
func denied(t *testing.T, mode os.FileMode) {
	t.Helper()
	rootOnly(t)
	p := newPlace(t)
	path := p.file("f", oldText)
	p.must(os.Chmod(path, mode), os.Chown(path, somebody, somebody), os.Chown(p.dir, somebody, somebody))
	before := p.stat("f")
	p.asSomebody(func() {
		for _, c := range []vfs.Condition{vfs.IfVersion(vfs.VersionOf([]byte(oldText))), {}} {
			if mode&0o200 != 0 && c.Always() {
				continue // what is not verified need not be read
			}
			_, err := p.put(context.Background(), "f", newText, c)
			p.code(err, vfs.CodePermissionDenied)
		}
		_, err := vfs.WriteText(context.Background(), p.fs, p.target("f"), newText, vfs.WriteOptions{})
		if mode&0o400 != 0 || err != nil {
			p.code(err, vfs.CodePermissionDenied)
		}
	})
	if after := p.stat("f"); after.Ino != before.Ino || after.Mtim != before.Mtim {
		t.Error("the file was touched")
	}
	p.holds("f", oldText)
	p.only("f")
}

// mountAttacks are about file systems that do not know when a file was changed.
var mountAttacks = map[int]func(*testing.T){
	// Its time stamps are whole seconds.
	5: func(t *testing.T) {
		s := newSmall(t, 8<<20, "-I", "128")
		p := placeAt(t, s.dir, Options{NoSync: true})
		ours, theirs := "aaaaaaaaaaaaaaaa", "xxxxxxxxxxxxxxxx"
		path := p.file("f", ours)
		for range 300 {
			p.must(writeInto(ours)(path))
			_, info, err := vfs.ReadBytes(t.Context(), p.fs, p.target("f"), 100)
			p.must(err, writeInto(theirs)(path))
			_, err = p.put(t.Context(), "f", "b", vfs.IfVersion(info.Version))
			p.code(err, vfs.CodeStaleVersion)
			if t.Failed() {
				break
			}
		}
		p.holds("f", theirs)
		p.only("f")
	},

	// What was told of the file before is believed for an hour.
	15: func(t *testing.T) {
		const hour = 3600_000_000_000
		mount, beneath := mountPlain(t, hour)
		p := placeAt(t, mount, Options{NoSync: true})
		for _, theirs := range []string{"the odd content", "short", "a content that is longer than what was there before"} {
			p.file("f", oldText)
			_, info, err := vfs.ReadBytes(t.Context(), p.fs, p.target("f"), 1000)
			p.must(err, os.WriteFile(beneath+"/f", []byte(theirs), 0o644))
			_, err = p.put(t.Context(), "f", newText, vfs.IfVersion(info.Version))
			p.code(err, vfs.CodeStaleVersion)
			if got, err := os.ReadFile(beneath + "/f"); err != nil || string(got) != theirs {
				t.Errorf("it holds %q, %v", got, err)
			}
		}
		if names, err := os.ReadDir(beneath); err != nil || len(names) != 1 {
			t.Errorf("%v are left, %v", names, err)
		}
	},

	// The file becomes another one when somebody changes its mode.
	18: func(t *testing.T) {
		l := layered(t, map[string]string{"f": "one two\n", "g": "one two\n"})
		p := placeAt(t, l.merged, Options{NoSync: true})
		for _, name := range []string{"f", "g"} {
			_, info, err := vfs.ReadBytes(t.Context(), p.fs, p.target(name), 1000)
			p.must(err)
			if name == "f" {
				p.must(os.Chmod(p.path(name), 0o600))
			}
			_, err = vfs.EditText(t.Context(), p.fs, p.target(name), vfs.Edit{Old: "two", New: "2"}, vfs.EditOptions{If: info.Version})
			p.must(err)
			p.holds(name, "one 2\n")
			if got, err := os.ReadFile(l.lower + "/" + name); err != nil || string(got) != "one two\n" {
				t.Errorf("beneath it holds %q, %v", got, err)
			}
		}
		p.only("f", "g")
	},
}
