package localfs

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/toolfs/toolfs/internal/ignore"
	"github.com/toolfs/toolfs/vfs"
)

// withholding knows which files a user keeps from the tools: by patterns given to the
// provider, and by ignore files in the tree. It is asked about canonical paths, so that
// no link and no other spelling leads past it. A pattern counts in any case of its
// letters, an exception only as it is written.
type withholding struct {
	file string        // name of an ignore file; "" is none
	deny *ignore.Rules // nothing makes an exception from these
	all  *ignore.Rules // of a file whose rules are not known: everything is withheld
	// exact are patterns to deny that name one path each: what lies there is withheld
	// under its other names, too.
	exact []string

	mu    sync.Mutex
	known map[string]knownRules
}

// knownRules is the rules of a file as it was.
type knownRules struct {
	info  fs.FileInfo
	rules *ignore.Rules
}

const (
	// maxIgnoreFile is how many bytes of rules are read; a larger file withholds all.
	maxIgnoreFile = 1 << 20
	// maxKnown bounds how many ignore files are remembered.
	maxKnown = 1024
	// youngest is the age below which a file can change again without its times or its
	// size showing it.
	youngest = 2 * time.Second
)

// What a refusal names as its source, besides a file.
const (
	denyPattern = "a pattern to deny"
	unreadable  = ", which is no file that can be read"
)

func newWithholding(file string, deny []string) (*withholding, error) {
	if file == "" && len(deny) == 0 {
		return nil, nil
	}
	if strings.ContainsAny(file, `/\`) {
		return nil, fmt.Errorf("IgnoreFile must be the name of a file, not a path: %q", file)
	}
	rules := ignore.Parse([]byte(strings.Join(deny, "\n")), ignore.Options{FoldCase: true})
	if broken := rules.Broken(); len(broken) > 0 {
		return nil, fmt.Errorf("the pattern %q to deny is not valid and would match nothing", broken[0].Text)
	}
	var exact []string
	for _, pattern := range deny {
		if strings.Contains(strings.TrimSuffix(pattern, "/"), "/") && !strings.ContainsAny(pattern, `*?[\!#`) {
			exact = append(exact, strings.TrimSpace(pattern))
		}
	}
	return &withholding{exact: exact, file: file, deny: rules, all: ignore.Parse([]byte("*"), ignore.Options{}), known: map[string]knownRules{}}, nil
}

// withheldError is the refusal of what is withheld; rule says by what.
type withheldError struct{ rule string }

// Error is for logs alone: the provider words it for the target.
func (e *withheldError) Error() string { return "withheld by " + e.rule }

// withheld gives the refusal of a canonical path, nil when it is not withheld.
func (f *FS) withheld(path string, isDir bool) error {
	if f.withhold == nil {
		return nil
	}
	return f.withhold.decide(f.topOf(path), path, isDir)
}

// topOf is the directory from which on a path is looked at: the root that it lies in,
// or the top of the file system.
func (f *FS) topOf(path string) string {
	if r, _, ok := f.rootOf(path); ok {
		if current := r.current(); within(current, path) {
			return current
		}
		return r.path
	}
	return filepath.VolumeName(path) + string(os.PathSeparator)
}

func (w *withholding) decide(top, path string, isDir bool) error {
	rel := below(top, path)
	if err := w.denied(rel, path, isDir); err != nil || rel == "" {
		return err
	}
	return refusal(ignore.Decide(w.layers(top, filepath.Dir(path)), rel, isDir))
}

// denied looks at the patterns given to the provider: below the root, and, for a pattern
// that is an absolute path, below the top of the file system.
func (w *withholding) denied(rel, path string, isDir bool) error {
	if w.deny.Len() == 0 {
		return nil
	}
	layers := []ignore.Layer{{Rules: w.deny, Source: denyPattern}}
	if err := refusal(ignore.Decide(layers, rel, isDir)); err != nil {
		return err
	}
	return refusal(ignore.Decide(layers, below(filepath.VolumeName(path)+string(os.PathSeparator), path), isDir))
}

// deniedElsewhere refuses a file with several names of which one is denied by its path.
func (f *FS) deniedElsewhere(info fs.FileInfo) error {
	if f.withhold == nil {
		return nil
	}
	for _, pattern := range f.withhold.exact {
		names := []string{pattern}
		for _, r := range f.roots {
			names = append(names, filepath.Join(r.path, pattern))
		}
		for _, name := range names {
			if denied, err := os.Stat(name); filepath.IsAbs(name) && err == nil && os.SameFile(denied, info) {
				return &withheldError{denyPattern + ": " + pattern}
			}
		}
	}
	return nil
}

// refusal is the decision as an error.
func refusal(d ignore.Decision) error {
	switch {
	case d.Verdict != ignore.Ignored:
		return nil
	case d.Source == denyPattern:
		return &withheldError{d.Source + ": " + d.Pattern.Text}
	case strings.HasSuffix(d.Source, unreadable):
		return &withheldError{vfs.QuotePath(strings.TrimSuffix(d.Source, unreadable)) + unreadable}
	}
	return &withheldError{fmt.Sprintf("line %d of %s: %s", d.Pattern.Line, vfs.QuotePath(d.Source), d.Pattern.Text)}
}

// layers are the ignore files of a directory and of those above it, from the top on.
func (w *withholding) layers(top, dir string) []ignore.Layer {
	if w.file == "" {
		return nil
	}
	var dirs []string
	for ; within(top, dir); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == top || isTop(dir) {
			break
		}
	}
	var layers []ignore.Layer
	for i := len(dirs) - 1; i >= 0; i-- {
		source := filepath.Join(dirs[i], w.file)
		rules := w.rules(source)
		if rules == w.all {
			source += unreadable
		}
		if rules != nil {
			layers = append(layers, ignore.Layer{Rules: rules, Dir: below(top, dirs[i]), Source: source})
		}
	}
	return layers
}

// below is the slash-separated path from a directory on.
func below(dir, path string) string {
	rel := strings.TrimPrefix(path, strings.TrimSuffix(dir, string(os.PathSeparator)))
	return strings.TrimPrefix(filepath.ToSlash(rel), "/")
}

// rules reads an ignore file, nil when there is none. One that is there and cannot be
// read withholds everything: what it says is not known.
func (w *withholding) rules(name string) *ignore.Rules {
	info, err := os.Stat(name)
	if err != nil {
		if _, err := os.Lstat(name); err == nil {
			return w.all // a link to nowhere, or to where nobody may look
		}
		return nil
	}
	w.mu.Lock()
	k, ok := w.known[name]
	w.mu.Unlock()
	if ok && os.SameFile(k.info, info) && k.info.Size() == info.Size() && k.info.ModTime().Equal(info.ModTime()) {
		return k.rules
	}
	rules, info := w.read(name, info)
	if info != nil && time.Since(info.ModTime()) > youngest {
		w.mu.Lock()
		if len(w.known) >= maxKnown {
			clear(w.known)
		}
		w.known[name] = knownRules{info, rules}
		w.mu.Unlock()
	}
	return rules
}

// read reads the rules, and describes the very file that they are from.
func (w *withholding) read(name string, info fs.FileInfo) (*ignore.Rules, fs.FileInfo) {
	if !info.Mode().IsRegular() {
		return w.all, nil
	}
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return w.all, nil
	}
	defer file.Close()
	info, err = file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return w.all, nil
	}
	data, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile+1))
	if err != nil || len(data) > maxIgnoreFile {
		return w.all, nil
	}
	return ignore.Parse(data, ignore.Options{FoldCase: true}), info
}

// childFilter tells which entries of an open directory are withheld.
type childFilter struct {
	layers []ignore.Layer
	deny   func(rel, path string, isDir bool) error
	rel    string
	path   string
	count  atomic.Int64 // of those that were
}

// childrenOf is nil when nothing can be withheld.
func (f *FS) childrenOf(path string) *childFilter {
	if f.withhold == nil {
		return nil
	}
	top := f.topOf(path)
	return &childFilter{layers: f.withhold.layers(top, path), deny: f.withhold.denied, rel: below(top, path), path: path}
}

// withheld reports, and counts, an entry that is not shown.
func (c *childFilter) withheld(name string, isDir bool) bool {
	if c == nil || c.refuses(name, isDir) == nil {
		return false
	}
	c.count.Add(1)
	return true
}

// refuses gives the refusal of an entry, nil when it is not withheld. It counts nothing.
func (c *childFilter) refuses(name string, isDir bool) error {
	if c == nil {
		return nil
	}
	rel := name
	if c.rel != "" {
		rel = c.rel + "/" + name
	}
	path := filepath.Join(c.path, name)
	if err := refusal(ignore.DecideBelow(c.layers, rel, isDir)); err != nil {
		return err
	}
	return c.deny(rel, path, isDir)
}

// counted is how many entries were withheld so far.
func (c *childFilter) counted() int64 {
	if c == nil {
		return 0
	}
	return c.count.Load()
}
