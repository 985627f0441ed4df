package search

import (
	"runtime"
	"strings"
	"sync"

	"github.com/toolfs/toolfs/internal/glob"
	"github.com/toolfs/toolfs/internal/linepattern"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// grep walks and lets others look through the files, whose results it passes on in
// order.
func (w *walker) grep(q vfs.GrepQuery, pattern *linepattern.Pattern, include *glob.Pattern, found func(vfs.FoundLines) bool) error {
	info, err := w.provider.Stat(w.ctx, q.Dir)
	if err != nil {
		return err
	}
	unmarked := textenc.UTF8
	if x, ok := vfs.As[vfs.Encoded](w.provider); ok {
		if unmarked, err = textenc.Lookup(x.TextEncoding()); err != nil {
			return err
		}
	}
	if info.Type == vfs.TypeFile {
		return w.grepFile(q.Dir, newReader(w, pattern, unmarked), found)
	}
	d, err := vfs.OpenDir(w.ctx, w.provider, q.Dir)
	if err != nil {
		return err
	}
	w.rules = newRules(w, q)
	w.choose(include)
	w.grepTree(opened(d), func() *reader { return newReader(w, pattern, unmarked) }, found)
	return nil
}

// choose decides what is searched: what include matches, whatever the rules say of it, in
// directories that it matches or begins with, and in all that are neither hidden nor
// ignored. Without include, it is what is neither hidden nor ignored.
func (w *walker) choose(include *glob.Pattern) {
	var prefix []string
	depth := 0
	if include != nil {
		prefix, _ = include.Prefix()
		depth = include.Depth()
	}
	named := strings.Join(prefix, "/") + "/"
	w.enter = func(at place, name string) bool {
		if depth > 0 && at.depth+1 >= depth {
			return false
		}
		if path := at.child(name); len(path) < len(named) && len(prefix) > 0 {
			return strings.HasPrefix(named, path+"/")
		}
		if include != nil && !vcs(name) && w.matches(include, at, name) {
			return true
		}
		return w.passes(at, name, true)
	}
	w.wants = func(at place, name string) bool {
		if include == nil {
			return w.passes(at, name, false)
		}
		return w.matches(include, at, name)
	}
}

// passes asks the rules about a name. One that they include by name is not hidden.
func (w *walker) passes(at place, name string, dir bool) bool {
	switch at.rules.decide(at, name, dir) {
	case ignored:
		w.counts.ignored.Add(1)
		return false
	case included:
		return true
	}
	if name[0] != '.' {
		return true
	}
	if !vcs(name) {
		w.counts.hidden.Add(1)
	}
	return false
}

// job is some files of one directory, to be looked through by one reader.
type job struct {
	dir   *openDir
	at    place
	names []string
	found chan vfs.FoundLines // closed when the job is done
}

// queued is how many jobs may be waiting or done: their results wait for their turn.
const queued = 128

func (w *walker) grepTree(root *openDir, newReader func() *reader, found func(vfs.FoundLines) bool) {
	jobs, ordered := make(chan *job, queued), make(chan *job, queued)
	w.files = func(d *openDir, at place, names []string) {
		d.keep()
		j := &job{dir: d, at: at, names: names, found: make(chan vfs.FoundLines, 1)}
		ordered <- j
		jobs <- j
	}
	var running sync.WaitGroup
	running.Go(func() {
		defer close(ordered)
		defer close(jobs)
		w.walk(root, place{rules: w.rules.top()})
	})
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			r := newReader()
			for j := range jobs {
				r.run(j)
			}
		})
	}
	for j := range ordered {
		for f := range j.found {
			if !w.ended() && !found(f) {
				w.enough()
			}
		}
	}
	running.Wait()
}

// run looks through the files of a job. After the end of the search it only lets go.
func (r *reader) run(j *job) {
	defer j.dir.release()
	defer close(j.found)
	for _, name := range j.names {
		if r.walker.ended() {
			return
		}
		path := j.at.child(name)
		if sieve := r.walker.sieve; sieve != nil && sieve(r.walker.ctx, path) {
			continue
		}
		r.pass = func(lines []vfs.FoundLine) { j.found <- vfs.FoundLines{Path: path, Lines: lines} }
		n, rest, err := j.dir.Load(r.walker.ctx, name, r.buf)
		if err != nil {
			r.walker.counts.failed(path, err)
			continue
		}
		if err := r.file(n, rest, false); err != nil {
			r.walker.counts.failed(path, err)
		}
	}
}

// grepFile looks through the file that was asked for, whatever it holds.
func (w *walker) grepFile(t vfs.Target, r *reader, found func(vfs.FoundLines) bool) error {
	f, err := w.provider.Open(w.ctx, t)
	if err != nil {
		return err
	}
	r.pass = func(lines []vfs.FoundLine) {
		if !w.ended() && !found(vfs.FoundLines{Lines: lines}) {
			w.enough()
		}
	}
	return r.file(0, f, true)
}
