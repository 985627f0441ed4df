//go:build linux

package toolfs_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// fact is what a snapshot knows of one name.
type fact struct {
	kind   string
	mode   string
	size   int64
	b64    string // of a small file
	sha256 string // of a larger one
	nlink  uint64
	owner  string
	target string
	inode  [2]uint64
	mtime  int64 // but for directories
}

// snapshot is everything at the places, by its path: relative to the workspace, or
// with a placeholder elsewhere. The empty directories that the places start as are
// left out.
type snapshot map[string]fact

const wholeContent = 1024 // bytes up to which content is recorded as it is

func (p *places) snapshot() (snapshot, error) {
	s := snapshot{}
	for _, top := range []string{p.root, p.tmp} {
		err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
			if err != nil || path == p.root || path == p.ws || path == p.out || path == p.tmp {
				return err
			}
			f, err := p.fact(path)
			name := strings.TrimPrefix(p.hide(path), "{{ws}}/")
			s[strings.ToValidUTF8(name, "\ufffd")] = f
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (p *places) fact(path string) (f fact, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return f, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return f, errors.New("no stat")
	}
	f = fact{
		mode:  fmt.Sprintf("%04o", st.Mode&0o7777),
		owner: fmt.Sprintf("%d:%d", st.Uid, st.Gid),
		inode: [2]uint64{st.Dev, st.Ino},
		mtime: info.ModTime().UnixNano(),
	}
	switch t := info.Mode().Type(); t {
	case 0:
		f.kind, f.size, f.nlink = "file", info.Size(), uint64(st.Nlink)
		data, err := os.ReadFile(path)
		if err != nil {
			return f, err
		}
		if len(data) <= wholeContent {
			f.b64 = base64.StdEncoding.EncodeToString(data)
		} else {
			sum := sha256.Sum256(data)
			f.sha256 = hex.EncodeToString(sum[:])
		}
	case os.ModeDir:
		f.kind, f.mtime = "dir", 0
	case os.ModeSymlink:
		f.kind = "symlink"
		target, err := os.Readlink(path)
		if err != nil {
			return f, err
		}
		f.target = p.hide(target)
	case os.ModeNamedPipe:
		f.kind = "fifo"
	case os.ModeSocket:
		f.kind = "socket"
	default:
		f.kind = t.String()
	}
	return f, nil
}

// describe is a fact as the vectors hold it; actor is whose files need no owner.
func (f fact) describe(actor string) object {
	o := object{{"type", f.kind}}
	if f.kind == "symlink" {
		return append(o, member{"target", f.target})
	}
	o = append(o, member{"mode", f.mode})
	if f.kind == "file" {
		o = append(o, member{"size", number(int(f.size))})
		if f.sha256 != "" {
			o = append(o, member{"sha256", f.sha256})
		} else {
			o = append(o, member{"b64", f.b64})
		}
		if f.nlink > 1 {
			o = append(o, member{"nlink", number(int(f.nlink))})
		}
	}
	if f.owner != actor {
		o = append(o, member{"owner", f.owner})
	}
	return o
}

// changes is what happened from s to after as the vectors hold it, or nil.
func (s snapshot) changes(after snapshot, actor string) any {
	var changed object
	var removed []any
	for _, path := range after.paths() {
		now := after[path]
		was, existed := s[path]
		if existed && was == now {
			continue
		}
		o := object{{"was", "absent"}}
		if existed {
			o = object{{"was", was.kind}, {"new_inode", was.inode != now.inode}}
		}
		changed = append(changed, member{path, append(o, now.describe(actor)...)})
	}
	for _, path := range s.paths() {
		if _, still := after[path]; !still {
			removed = append(removed, path)
		}
	}
	var all object
	if changed != nil {
		all = append(all, member{"changed", changed})
	}
	if removed != nil {
		all = append(all, member{"removed", removed})
	}
	if all == nil {
		return nil
	}
	return all
}

func (s snapshot) tree(actor string) object {
	o := object{}
	for _, path := range s.paths() {
		o = append(o, member{path, s[path].describe(actor)})
	}
	return o
}

func (s snapshot) paths() []string {
	paths := make([]string, 0, len(s))
	for path := range s {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}
