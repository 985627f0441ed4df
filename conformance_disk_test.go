//go:build linux

package toolfs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// places is where one vector plays: root holds only the workspace and its sibling.
type places struct{ root, ws, out, tmp string }

func newPlaces(dir string) (*places, error) {
	root, err := os.MkdirTemp(dir, "conformance")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	p := &places{root: root, ws: filepath.Join(root, "ws"), out: filepath.Join(root, "out")}
	if p.tmp, err = os.MkdirTemp("/tmp", "conformance"); err != nil {
		return nil, err
	}
	return p, errors.Join(os.Mkdir(p.ws, 0o755), os.Mkdir(p.out, 0o755), os.Chmod(root, 0o755), os.Chmod(p.tmp, 0o755))
}

func (p *places) remove() error { return errors.Join(os.RemoveAll(p.root), os.RemoveAll(p.tmp)) }

// fill puts real paths for the placeholders, hide does the reverse.
func (p *places) fill(s string) string {
	return strings.NewReplacer("{{ws}}", p.ws, "{{out}}", p.out, "{{root}}", p.root, "{{tmp}}", p.tmp).Replace(s)
}

func (p *places) hide(s string) string {
	return strings.NewReplacer(p.ws, "{{ws}}", p.out, "{{out}}", p.root, "{{root}}", p.tmp, "{{tmp}}").Replace(s)
}

// path is where an operation works; a path without placeholder is in the workspace.
func (p *places) path(name string) string {
	if strings.HasPrefix(name, "{{") {
		return p.fill(name)
	}
	return p.ws + "/" + name
}

func (p *places) do(ops []diskOp) error {
	for _, o := range ops {
		if err := p.doOne(&o); err != nil {
			return fmt.Errorf("%s %s: %w", o.Op, o.Path, err)
		}
	}
	return nil
}

func (p *places) doOne(o *diskOp) error {
	path := p.path(string(o.Path))
	data, err := o.data()
	if err != nil {
		return err
	}
	switch o.Op {
	case "file":
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644))
	case "replace":
		err = replace(path, data)
	case "append":
		err = appendTo(path, data)
	case "mkdir":
		err = os.MkdirAll(path, 0o755)
	case "symlink":
		err = os.Symlink(p.fill(o.Target), path)
	case "link":
		err = os.Link(p.path(o.Target), path)
	case "fifo":
		err = syscall.Mkfifo(path, 0o644)
	case "socket":
		err = leaveSocket(path)
	case "remove":
		err = os.RemoveAll(path)
	case "rename":
		var from, to string
		if err := errors.Join(json.Unmarshal(o.From, &from), json.Unmarshal(o.To, &to)); err != nil {
			return err
		}
		err = os.Rename(p.path(from), p.path(to))
	case "keep_mtime_rewrite":
		err = rewriteUnseen(path, data)
	case "files_seq", "dirs_seq":
		err = p.sequence(o, data)
	case "chmod", "utime": // the extras below
	default:
		err = fmt.Errorf("unknown operation")
	}
	return errors.Join(err, o.extras(path))
}

func (o *diskOp) data() ([]byte, error) {
	if o.Content == nil {
		return nil, nil
	}
	return o.Content.bytes()
}

// extras are what any operation may ask for besides.
func (o *diskOp) extras(path string) error {
	if o.Owner != "" {
		var uid, gid int
		if _, err := fmt.Sscanf(o.Owner, "%d:%d", &uid, &gid); err != nil {
			return err
		}
		if err := os.Lchown(path, uid, gid); err != nil {
			return err
		}
	}
	if o.Mode != "" {
		bits, err := strconv.ParseUint(o.Mode, 8, 32)
		if err != nil {
			return err
		}
		if err := syscall.Chmod(path, uint32(bits)); err != nil {
			return err
		}
	}
	if o.Mtime != nil {
		at := time.Unix(*o.Mtime, 0)
		return os.Chtimes(path, at, at)
	}
	return nil
}

func replace(path string, data []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	tmp := path + ".replacement"
	return errors.Join(os.WriteFile(tmp, data, 0o644), os.Chmod(tmp, info.Mode()), os.Rename(tmp, path))
}

func appendTo(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func leaveSocket(path string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

func rewriteUnseen(path string, data []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, data, 0o644), os.Chtimes(path, info.ModTime(), info.ModTime()))
}

func (p *places) sequence(o *diskOp, data []byte) error {
	var from, to int
	if err := errors.Join(json.Unmarshal(o.From, &from), json.Unmarshal(o.To, &to)); err != nil {
		return err
	}
	dir := p.path(o.Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := from; i <= to; i++ {
		path := filepath.Join(dir, fmt.Sprintf("%s%0*d%s", o.Prefix, o.Pad, i, o.Suffix))
		var err error
		if o.Op == "dirs_seq" {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// giveAway makes everything in the workspace somebody else's.
func (p *places) giveAway(uid, gid int) error {
	return filepath.WalkDir(p.ws, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, uid, gid))
	})
}
