package toolfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/quote"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// SearchOptions configures glob and grep. The zero value is useful.
type SearchOptions struct {
	// Off leaves the two tools out.
	Off bool

	// HeadOverCap makes a glob that finds more than it shows show the newest files. Else
	// it shows some of every top-level entry.
	HeadOverCap bool

	// ResultsDir is where the complete results of a search are kept that found more than
	// it shows. It is made when it is needed; "" keeps none.
	ResultsDir string

	// GlobalIgnore is the content of the person's own gitignore file, which git calls
	// core.excludesFile.
	GlobalIgnore []byte
}

// The codes of searches. Contract appendix A.5.
const (
	CodeSearchAborted        = "SEARCH_ABORTED"
	CodeSearchInvalidPattern = "SEARCH_INVALID_PATTERN"
	CodeSearchFailed         = "SEARCH_FAILED"
)

// SearchError is a search that gave nothing. Its text is for the model.
type SearchError struct {
	Code string
	Msg  string
	Err  error
}

// Error is the text.
func (e *SearchError) Error() string { return e.Msg }

// Unwrap gives the cause.
func (e *SearchError) Unwrap() error { return e.Err }

// ErrorInfo implements tool.Coded.
func (e *SearchError) ErrorInfo() (name, code string) { return "SearchError", e.Code }

// Search is what a search says beside its results.
type Search struct {
	Report vfs.SearchReport
	// Timeout is how long the search was allowed to take.
	Timeout time.Duration
	// Stored is the file that holds the complete result, or ""; StoredHint says what
	// can be done with it.
	Stored, StoredHint string
}

// Complete reports that the search saw all that it should have seen.
func (s *Search) Complete() bool {
	return s.Report.Stopped == "" && s.Report.Unreadable == 0 && s.Report.Withheld == 0
}

// start is where a search starts: the target, and how its paths are shown.
type start struct {
	target vfs.Target
	root   string // as it is shown
	prefix string // what comes before the paths found
	vcs    bool   // it lies where a version control system keeps its own files
}

// progressEvery is how often somebody who waits is told how a search gets on.
const progressEvery = time.Second

// gettingOn tells whoever wants to know how a search gets on, until stop is called: the
// seconds that it has taken, of those that it may.
func (f *files) gettingOn(e *tool.Exec, seen *atomic.Int64) (stop func()) {
	if e.Progress == nil {
		return func() {}
	}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		began := time.Now()
		every := time.NewTicker(progressEvery)
		defer every.Stop()
		for {
			select {
			case <-over:
				return
			case <-every.C:
			}
			e.Progress(tool.Progress{Done: time.Since(began).Seconds(), Total: f.timeout().Seconds(),
				Message: fmt.Sprintf("%d names looked at", seen.Load())})
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

// begin finds where a search starts, and gives it its time.
func (f *files) begin(ctx context.Context, e *tool.Exec) (context.Context, context.CancelFunc, start, error) {
	asked, given := e.Args.String("path")
	if given && textenc.Blank(asked) {
		return nil, nil, start{}, errors.New("path must be a non-empty string when given")
	}
	if !given {
		asked = "."
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout())
	t, err := f.resolve(ctx, e, "search", asked)
	if err == nil {
		_, err = f.provider.Stat(ctx, t)
	}
	if err != nil {
		cancel()
		return nil, nil, start{}, searchFailed(e.Name, vfs.WithOp(err, "search"))
	}
	s := start{target: t, root: "."}
	if given {
		s.root, s.prefix = f.shown(ctx, e, asked)
	}
	s.vcs = search.InVCS(s.root)
	return ctx, cancel, s, nil
}

func (f *files) timeout() time.Duration {
	return time.Duration(f.limits.SearchTimeoutMS) * time.Millisecond
}

// shown is a path as it was given, but one below the session's directory from there; and
// how what is found below it begins.
func (f *files) shown(ctx context.Context, e *tool.Exec, asked string) (root, prefix string) {
	prefix = strings.TrimRight(asked, "/") + "/"
	if !filepath.IsAbs(asked) {
		return asked, prefix
	}
	cwd := ""
	if e.Session != nil {
		cwd = e.Session.Cwd
	}
	if cwd == "" {
		if here, err := f.provider.Resolve(ctx, "", "."); err == nil {
			cwd = here.Path
		}
	}
	rel, err := filepath.Rel(cwd, asked)
	switch {
	case cwd == "" || err != nil || rel == ".." || strings.HasPrefix(rel, "../"):
		return asked, prefix
	case rel == ".":
		return rel, ""
	}
	return rel, rel + "/"
}

// at is the path shown of something found.
func (s *start) at(path string) string {
	if path == "" {
		return s.root
	}
	if path = s.prefix + path; !utf8.ValidString(path) {
		return escapeBytes(path)
	}
	return path
}

func searchFailed(name string, err error) error {
	if bad, ok := errors.AsType[*search.PatternError](err); ok {
		return &SearchError{CodeSearchInvalidPattern, name + " pattern rejected: " + bad.Error(), err}
	}
	switch vfs.CodeOf(err) {
	case vfs.CodeSandboxDenied, vfs.CodePermissionDenied:
		return err
	case vfs.CodeAborted:
		return &SearchError{CodeSearchAborted, name + " was aborted before completion (tool timeout or caller cancellation)", err}
	}
	return &SearchError{CodeSearchFailed, name + " search failed: " + err.Error(), err}
}

// keep stores a complete result. That it cannot be stored fails nothing.
func (f *files) keep(ctx context.Context, e *tool.Exec, s *Search, base string, write func(io.Writer) error) {
	if f.results == nil || e.Parent != "" {
		return
	}
	path, err := f.results.Write(e.SessionID(), base, write)
	if err != nil {
		return
	}
	s.Stored, s.StoredHint = path, "It lies outside of what these tools may read."
	if t, err := f.provider.Resolve(context.WithoutCancel(ctx), "", path); err == nil {
		if _, err := f.provider.Stat(context.WithoutCancel(ctx), t); err == nil {
			s.StoredHint = "Use read or grep on it to see more."
		}
	}
}

// quoted is a path as an answer shows it: none can be taken for two lines.
func quoted(path string) string { return quote.Path(path) }
