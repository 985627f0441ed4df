// Package search finds files by their paths and lines by their content, on any
// provider, by walking over the seam. A provider that can search by itself
// (vfs.Searcher) does, and gives the same.
//
// Whatever cannot be looked into is counted and never ends a search. No link is followed
// but where the search starts and in what a pattern names literally. It never knows a
// tool, a session, a budget or a text for a model.
package search

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/toolfs/toolfs/internal/glob"
	"github.com/toolfs/toolfs/vfs"
)

// PatternError is a pattern or an include glob that is none. Its text says what to write
// instead.
type PatternError struct{ Err error }

// Error is the reason.
func (e *PatternError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *PatternError) Unwrap() error { return e.Err }

// Glob calls found with every file that matches, in no particular order, until it is
// false. The error is about the start or the pattern: a *PatternError or a *vfs.Error;
// all else is in the report. The end of ctx is no error either.
func Glob(ctx context.Context, p vfs.Provider, q vfs.GlobQuery, found func(vfs.FoundFile) bool) (vfs.SearchReport, error) {
	pattern, err := glob.Compile(q.Pattern)
	if err != nil {
		return vfs.SearchReport{}, &PatternError{err}
	}
	if s, ok := vfs.As[vfs.Searcher](p); ok {
		report, err := s.Glob(ctx, q, found)
		if !errors.Is(err, errors.ErrUnsupported) {
			return report, err
		}
	}
	w := newWalker(ctx, p, q.Seen)
	defer w.cancel()
	err = w.glob(q, pattern, found)
	return w.finish(ctx, err)
}

// Grep calls found with the lines that match, in the order of paths (name by name) and
// lines, until it is false. Errors are as for Glob.
func Grep(ctx context.Context, p vfs.Provider, q vfs.GrepQuery, found func(vfs.FoundLines) bool) (vfs.SearchReport, error) {
	pattern, include, err := compile(q)
	if err != nil {
		return vfs.SearchReport{}, err
	}
	if s, ok := vfs.As[vfs.Searcher](p); ok {
		report, err := s.Grep(ctx, q, found)
		if !errors.Is(err, errors.ErrUnsupported) {
			return report, err
		}
	}
	return grepByWalk(ctx, p, q, pattern, include, nil, found)
}

// finish makes the report. Whatever failed because the search was ended is no failure.
func (w *walker) finish(caller context.Context, err error) (vfs.SearchReport, error) {
	report := w.counts.report()
	switch cause := context.Cause(w.ctx); {
	case errors.Is(cause, errEnough):
		report.Stopped = vfs.StoppedByBudget
	case errors.Is(caller.Err(), context.DeadlineExceeded):
		report.Stopped = vfs.StoppedByDeadline
	case caller.Err() != nil:
		report.Stopped = vfs.StoppedByCaller
	}
	if vfs.CodeOf(err) == vfs.CodeAborted && report.Stopped != "" {
		err = nil
	}
	return report, err
}

var errEnough = errors.New("enough was found")

// vcs reports a directory in which a version control system keeps its own files.
func vcs(name string) bool {
	switch name {
	case ".git", ".svn", ".hg", ".bzr", ".jj", ".sl":
		return true
	}
	return false
}

// InVCS reports a path that lies in a directory where a version control system keeps
// its own files: no glob lists those.
func InVCS(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if vcs(name) {
			return true
		}
	}
	return false
}

// readAll reads a small file whole; a larger one is cut off at limit bytes.
func readAll(f vfs.File, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)))
	return data, errors.Join(err, f.Close())
}
