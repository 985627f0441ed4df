package search

import (
	"strings"
	"time"

	"github.com/toolfs/toolfs/internal/glob"
	"github.com/toolfs/toolfs/vfs"
)

// glob walks from the directory that every match lies in.
func (w *walker) glob(q vfs.GlobQuery, pattern *glob.Pattern, found func(vfs.FoundFile) bool) error {
	info, err := w.provider.Stat(w.ctx, q.Dir)
	if err != nil {
		return err
	}
	if info.Type == vfs.TypeFile {
		found(vfs.FoundFile{ModTime: w.modTime(q.Dir)})
		return nil
	}
	prefix, literal := pattern.Prefix()
	start := q.Dir
	path := strings.Join(prefix, "/")
	if path != "" {
		if InVCS(path) {
			return nil
		}
		// What the pattern names literally is gone to as any path is, through links.
		start, err = w.provider.Resolve(w.ctx, q.Dir.Path, "./"+path)
		if err == nil {
			info, err = w.provider.Stat(w.ctx, start)
		}
		if err != nil {
			w.counts.failed(path, err)
			return nil
		}
	}
	if literal {
		if info.Type == vfs.TypeFile {
			found(vfs.FoundFile{Path: path, ModTime: w.modTime(start)})
		}
		return nil
	}
	if info.Type != vfs.TypeDirectory && path != "" {
		return nil
	}
	return w.globFrom(start, place{path: path, depth: len(prefix)}, pattern, found)
}

func (w *walker) globFrom(start vfs.Target, at place, pattern *glob.Pattern, found func(vfs.FoundFile) bool) error {
	w.enter = func(at place, name string) bool {
		if vcs(name) || pattern.Depth() > 0 && at.depth+1 >= pattern.Depth() {
			return false
		}
		return !pattern.Negated() || w.matches(pattern, at, name)
	}
	w.wants = func(at place, name string) bool { return !vcs(name) && w.matches(pattern, at, name) }
	w.files = func(d *openDir, at place, names []string) {
		for _, name := range names {
			when, err := d.ModTime(w.ctx, name)
			if err != nil {
				w.counts.failed(at.child(name), err)
				if vfs.CodeOf(err) != vfs.CodePermissionDenied && vfs.CodeOf(err) != vfs.CodeIOError {
					continue
				}
			}
			if w.ended() {
				return
			}
			if !found(vfs.FoundFile{Path: at.child(name), ModTime: nanoseconds(when)}) {
				w.enough()
				return
			}
		}
	}
	d, err := vfs.OpenDir(w.ctx, w.provider, start)
	if err != nil {
		return err
	}
	w.walk(opened(d), at)
	return nil
}

func (w *walker) matches(pattern *glob.Pattern, at place, name string) bool {
	path := at.child(name)
	return pattern.Match(path, len(path)-len(name))
}

func (w *walker) modTime(t vfs.Target) int64 {
	dater, ok := vfs.As[vfs.Dater](w.provider)
	if !ok {
		return 0
	}
	when, err := dater.ModTime(w.ctx, t)
	if err != nil {
		return 0
	}
	return nanoseconds(when)
}

func nanoseconds(when time.Time) int64 {
	if when.IsZero() {
		return 0
	}
	return when.UnixNano()
}
