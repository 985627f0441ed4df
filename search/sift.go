package search

import (
	"context"

	"github.com/toolfs/toolfs/internal/glob"
	"github.com/toolfs/toolfs/internal/linepattern"
	"github.com/toolfs/toolfs/vfs"
)

// Sieve reports a file of which somebody who has read it knows that the pattern matches
// nothing there, that it holds no NUL, and that it begins with no byte order mark. Its
// path is as in vfs.FoundLines. It may wait to find out; false always is right.
type Sieve func(ctx context.Context, path string) bool

// GrepSifted is Grep by walking, for a vfs.Searcher that can tell what need not be read.
// It gives what Grep gives.
func GrepSifted(ctx context.Context, p vfs.Provider, q vfs.GrepQuery, sieve Sieve, found func(vfs.FoundLines) bool) (vfs.SearchReport, error) {
	pattern, include, err := compile(q)
	if err != nil {
		return vfs.SearchReport{}, err
	}
	return grepByWalk(ctx, p, q, pattern, include, sieve, found)
}

func compile(q vfs.GrepQuery) (pattern *linepattern.Pattern, include *glob.Pattern, err error) {
	if pattern, err = linepattern.Compile(q.Pattern); err != nil {
		return nil, nil, &PatternError{err}
	}
	if q.Include != "" {
		if include, err = glob.Compile(q.Include); err != nil {
			return nil, nil, &PatternError{err}
		}
	}
	return pattern, include, nil
}

func grepByWalk(ctx context.Context, p vfs.Provider, q vfs.GrepQuery, pattern *linepattern.Pattern, include *glob.Pattern, sieve Sieve, found func(vfs.FoundLines) bool) (vfs.SearchReport, error) {
	w := newWalker(ctx, p, q.Seen)
	defer w.cancel()
	w.sieve = sieve
	err := w.grep(q, pattern, include, found)
	return w.finish(ctx, err)
}
