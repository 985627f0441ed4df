//go:build linux

package memfs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

// Memory behaves as the disk does, whatever is done in whatever order. Both worlds have
// the same names.
func TestAsTheDisk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base, err := os.MkdirTemp("", "memfs")
		must(t, err)
		defer os.RemoveAll(base)
		base, err = filepath.EvalSymlinks(base)
		must(t, err, os.Mkdir(base+"/ws", 0o755), os.Mkdir(base+"/out", 0o755))
		disk, err := localfs.Root([]string{base + "/ws"}, localfs.Options{NoSync: true, StateDir: base + "/state"})
		must(t, err)
		defer disk.Close()
		mem := memfs.New(memfs.Options{Roots: []string{base + "/ws"}})
		must(t, mem.Mkdir(base+"/out"))
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			s := drawStep(rt)
			s.place(base)
			if done, err := s.byHand(base, mem); done {
				if err != nil {
					rt.Fatalf("%+v went well on disk; in memory: %v", s, err)
				}
				continue
			}
			if got, want := s.run(mem), s.run(disk); got != want {
				rt.Fatalf("%+v\nin memory: %s\non disk:   %s", s, got, want)
			}
		}
	})
}

// place puts absolute names below base.
func (s *step) place(base string) {
	for _, name := range []*string{&s.base, &s.name, &s.link} {
		if strings.HasPrefix(*name, "/") {
			*name = base + *name
		}
	}
}

// byHand does what is done behind the provider's back, on disk, and where that went
// well also in memory. It never leaves base, wherever the links lead.
func (s step) byHand(base string, mem *memfs.FS) (done bool, err error) {
	if !slices.Contains([]string{"write", "mkdir", "link", "rename", "remove"}, s.op) {
		return false, nil
	}
	if !within(base, filepath.Dir(s.name)) || s.op == "rename" && !within(base, filepath.Dir(s.link)) {
		return true, nil
	}
	if _, err := os.Lstat(s.name); err == nil && s.op == "write" && !within(base, s.name) {
		return true, nil
	}
	switch s.op {
	case "write":
		if err := os.WriteFile(s.name, []byte(s.content), 0o644); err != nil {
			return true, nil
		}
		return true, mem.WriteFile(s.name, s.content)
	case "mkdir":
		if err := os.Mkdir(s.name, 0o755); err != nil {
			return true, nil
		}
		return true, mem.Mkdir(s.name)
	case "link":
		if err := os.Symlink(s.link, s.name); err != nil {
			return true, nil
		}
		return true, mem.Symlink(s.link, s.name)
	case "rename":
		if info, err := os.Lstat(s.link); err == nil && info.IsDir() { // what is there goes, in memory
			return true, nil
		}
		if err := os.Rename(s.name, s.link); err != nil {
			return true, nil
		}
		if _, err := os.Lstat(s.name); err == nil { // both names are one
			return true, nil
		}
		return true, mem.Rename(s.name, s.link)
	case "remove":
		if _, err := os.Lstat(s.name); err != nil {
			return true, nil
		}
		return true, errors.Join(os.RemoveAll(s.name), mem.Remove(s.name))
	}
	return true, nil
}

// within reports whether a name leads to something that exists below base.
func within(base, name string) bool {
	real, err := filepath.EvalSymlinks(name)
	return err == nil && strings.HasPrefix(real, base+"/")
}

// step is one thing that is done to a world.
type step struct {
	op, base, name, content string
	link                    string // where a link leads, or a rename
}

func drawStep(rt *rapid.T) step {
	part := rapid.SampledFrom([]string{"a", "b", "c", "l", "..", ".", ""})
	name := rapid.Custom(func(rt *rapid.T) string {
		name := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(rt, "parts"), "/")
		return rapid.SampledFrom([]string{"", "", "", "/ws/", "/out/", "/"}).Draw(rt, "from") + name
	})
	plain := rapid.Custom(func(rt *rapid.T) string { // for the hand of the world
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "l"}), 1, 3).Draw(rt, "names")
		return rapid.SampledFrom([]string{"/ws/", "/ws/", "/out/"}).Draw(rt, "in") + strings.Join(names, "/")
	})
	s := step{op: rapid.SampledFrom([]string{"write", "mkdir", "link", "link", "rename", "remove", "stat", "lstat", "read", "list", "put", "create", "replace"}).Draw(rt, "op")}
	s.content = rapid.SampledFrom([]string{"", "x", "yy"}).Draw(rt, "content")
	switch s.op {
	case "write", "mkdir", "remove":
		s.name = plain.Draw(rt, "name")
	case "link":
		s.name, s.link = plain.Draw(rt, "name"), name.Draw(rt, "to")
	case "rename":
		s.name, s.link = plain.Draw(rt, "name"), plain.Draw(rt, "to")
	default:
		s.name, s.base = name.Draw(rt, "name"), rapid.SampledFrom([]string{"", "/ws", "/ws/a", "/ws/l"}).Draw(rt, "base")
	}
	return s
}

// run does the step by the provider and says what came of it.
func (s step) run(p vfs.Provider) string {
	ctx := context.Background()
	if s.op == "lstat" {
		info, err := vfs.Lstat(ctx, p, s.base, s.name)
		return fmt.Sprint(info.Type, " ", vfs.CodeOf(err))
	}
	t, err := p.Resolve(ctx, s.base, s.name)
	said := fmt.Sprintf("%+v, %v", t, err)
	if err != nil {
		return said
	}
	put := func(c vfs.Condition) string {
		info, err := p.Put(ctx, t, []byte(s.content), vfs.PutOptions{If: c})
		return fmt.Sprintf("%s: %d %q %v", said, info.Size, info.Version, err)
	}
	switch s.op {
	case "stat":
		info, err := p.Stat(ctx, t)
		return fmt.Sprintf("%s: %q %v", said, info.Type, err)
	case "read":
		data, info, err := vfs.ReadBytes(ctx, p, t, 100)
		return fmt.Sprintf("%s: %q %q %v", said, data, info.Version, err)
	case "list":
		entries, err := vfs.ListDir(ctx, p, t)
		slices.SortFunc(entries, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) })
		return fmt.Sprintf("%s: %v %v", said, entries, err)
	case "create":
		return put(vfs.IfAbsent())
	case "replace":
		return put(vfs.IfVersion(vfs.VersionOf([]byte("x"))))
	}
	return put(vfs.Condition{})
}
