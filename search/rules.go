package search

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/toolfs/toolfs/internal/ignore"
	"github.com/toolfs/toolfs/vfs"
)

// rules is what a content search leaves out by the files that say so: as git does,
// .gitignore below a directory with .git, its info/exclude and the person's own file;
// everywhere .ignore, and before that .rgignore.
type rules struct {
	prefix string        // where the search starts, from the topmost directory looked at; ends in a slash
	global *ignore.Rules // the person's own
	start  *layers       // what the directories above say
}

// layers is what counts in a directory: of each kind, the last one first.
type layers struct {
	prefix          string
	repository      bool
	git, plain, own []ignore.Layer
}

type verdict uint8

const (
	undecided verdict = iota
	ignored
	included
)

// maxIgnoreFile is how many bytes of an ignore file are read.
const maxIgnoreFile = 1 << 20

// maxParents is how many directories above the start are looked at.
const maxParents = 64

// newRules looks at the directories above the start, as far as they can be reached.
func newRules(w *walker, q vfs.GrepQuery) *rules {
	r := &rules{}
	if q.GlobalIgnore != nil {
		r.global = ignore.Parse(q.GlobalIgnore, ignore.Options{})
	}
	at, err := vfs.ProcessPath(w.provider, q.Dir)
	if err != nil {
		at = q.Dir.Path
	}
	at = path.Clean(filepath.ToSlash(at))
	var above []vfs.Target
	for dir := path.Dir(at); len(above) < maxParents; dir = path.Dir(dir) {
		t, err := w.provider.Resolve(w.ctx, "", dir)
		if err != nil || dir == at {
			break
		}
		above = append(above, t)
		if dir == path.Dir(dir) {
			break
		}
	}
	parts := strings.Split(strings.Trim(at, "/"), "/")
	parts = parts[max(0, len(parts)-len(above)):]
	if len(above) > 0 {
		r.prefix = strings.Join(parts, "/") + "/"
	}
	r.start = &layers{prefix: r.prefix}
	for i := len(above) - 1; i >= 0; i-- {
		dir := strings.Join(parts[:len(above)-1-i], "/")
		files := aboveFiles{w, above[i]}
		r.start = r.with(r.start, dir, files)
	}
	return r
}

func (r *rules) top() *layers { return r.start }

// ignoreFiles reads files of one directory that say what is ignored: nil for those that
// are not there.
type ignoreFiles interface {
	has(name string) bool
	read(name string) []byte
}

// with adds what a directory says. dir is its path from the topmost one.
func (r *rules) with(up *layers, dir string, files ignoreFiles) *layers {
	l := *up
	changed := false
	if files.has(".git") {
		changed, l.repository = true, true
		l.git = []ignore.Layer{{Rules: r.global, Dir: dir}}
		if data := files.read(".git/info/exclude"); data != nil {
			l.git = append(l.git, ignore.Layer{Rules: ignore.Parse(data, ignore.Options{}), Dir: dir})
		}
	}
	add := func(to []ignore.Layer, name string) []ignore.Layer {
		if !files.has(name) {
			return to
		}
		data := files.read(name)
		if data == nil {
			return to
		}
		changed = true
		return append(to[:len(to):len(to)], ignore.Layer{Rules: ignore.Parse(data, ignore.Options{}), Dir: dir})
	}
	if l.repository {
		l.git = add(l.git, ".gitignore")
	}
	l.plain = add(l.plain, ".ignore")
	l.own = add(l.own, ".rgignore")
	if !changed {
		return up
	}
	return &l
}

// enter gives what counts in a directory of the walk.
func (r *rules) enter(w *walker, d *openDir, at place, list *listing) *layers {
	return r.with(at.rules, strings.TrimSuffix(r.prefix+at.path, "/"), walkedFiles{w, d, list})
}

// decide says what the rules say about a name, whose directory they do not leave out.
func (l *layers) decide(at place, name string, dir bool) verdict {
	if l == nil || len(l.git)+len(l.plain)+len(l.own) == 0 {
		return undecided
	}
	full := l.prefix + at.child(name)
	for _, kind := range [][]ignore.Layer{l.own, l.plain, l.git} {
		switch ignore.DecideBelow(kind, full, dir).Verdict {
		case ignore.Ignored:
			return ignored
		case ignore.Included:
			return included
		}
	}
	return undecided
}

// walkedFiles is the ignore files of a directory that is walked.
type walkedFiles struct {
	w    *walker
	d    *openDir
	list *listing
}

func (f walkedFiles) has(name string) bool { return f.list.has(name) }

func (f walkedFiles) read(name string) []byte {
	dir, names := vfs.Dir(f.d), strings.Split(name, "/")
	for _, parent := range names[:len(names)-1] {
		child, err := dir.OpenDir(f.w.ctx, parent)
		if err != nil {
			return nil
		}
		defer child.Close()
		dir = child
	}
	buf := make([]byte, 16<<10)
	n, rest, err := dir.Load(f.w.ctx, names[len(names)-1], buf)
	if err != nil {
		return nil
	}
	if rest == nil {
		return buf[:n]
	}
	more, err := readAll(rest, maxIgnoreFile)
	if err != nil {
		return nil
	}
	return append(buf[:n], more...)
}

// aboveFiles is the ignore files of a directory above the walk.
type aboveFiles struct {
	w   *walker
	dir vfs.Target
}

func (f aboveFiles) has(name string) bool {
	info, err := vfs.Lstat(f.w.ctx, f.w.provider, f.dir.Path, "./"+name)
	return err == nil && (info.Type == vfs.TypeFile || info.Type == vfs.TypeDirectory)
}

func (f aboveFiles) read(name string) []byte {
	t, err := f.w.provider.Resolve(f.w.ctx, f.dir.Path, "./"+name)
	if err != nil {
		return nil
	}
	file, err := f.w.provider.Open(f.w.ctx, t)
	if err != nil {
		return nil
	}
	data, err := readAll(file, maxIgnoreFile)
	if err != nil {
		return nil
	}
	return data
}
