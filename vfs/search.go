package vfs

import (
	"context"
	"sync/atomic"
)

// Searcher searches with means of its own, such as a search program or an index. What
// it gives must be what package search gives, to the byte: the same files, lines, order
// and counts. What it cannot do it leaves to that package by errors.ErrUnsupported, as
// long as it has found nothing yet.
type Searcher interface {
	// Glob calls found with every file that matches, in no particular order, until it
	// is false.
	Glob(ctx context.Context, q GlobQuery, found func(FoundFile) bool) (SearchReport, error)

	// Grep calls found with the matching lines, in the order of files and lines, until
	// it is false. The lines of one file may come in several calls, one after another.
	Grep(ctx context.Context, q GrepQuery, found func(FoundLines) bool) (SearchReport, error)
}

// GlobQuery asks for files by their paths.
type GlobQuery struct {
	// Dir is where the search starts; the pattern and the paths found are relative to
	// it. Where it is a file, that file alone is searched for.
	Dir Target
	// Pattern is a glob; without a slash it is one of base names.
	Pattern string
	// Seen, if not nil, is raised by the names that were looked at, as the search goes on.
	Seen *atomic.Int64
}

// FoundFile is one file. Path is relative to the query's Dir, its names raw bytes; it
// is empty for the Dir itself. ModTime is in nanoseconds since 1970, 0 when not known.
type FoundFile struct {
	Path    string
	ModTime int64
}

// GrepQuery asks for lines by their content.
type GrepQuery struct {
	// Dir is where the search starts. A file is searched whatever it is called.
	Dir Target
	// Pattern is a regular expression in the syntax of RE2.
	Pattern string
	// Include is a glob of the files to search, or "" for all.
	Include string
	// GlobalIgnore is the content of the person's own gitignore file, or nil.
	GlobalIgnore []byte
	// Seen is as in GlobQuery.
	Seen *atomic.Int64
}

// FoundLines is matching lines of one file. Path is as in FoundFile.
type FoundLines struct {
	Path  string
	Lines []FoundLine
}

// FoundLine is a line that matches, without its line ending. Of a line above
// MaxFoundLine bytes it is the part around the match; Cut says so. The first match
// begins at byte At of Text and ends before byte End.
type FoundLine struct {
	Number  int
	Text    string
	At, End int
	Cut     bool
}

// MaxFoundLine is how many bytes of a line are kept.
const MaxFoundLine = 64 << 10

// SearchReport says what a search did not look into.
type SearchReport struct {
	// Stopped is why the search ended before it was through, or "".
	Stopped StopReason

	Unreadable     int      // directories and files that could not be read
	UnreadablePath []string // the first few of them, as in FoundFile
	Binary         int      // files with a NUL near their start
	Undecodable    int      // files whose encoding is not known, or that are not in it
	Withheld       int      // entries that the provider says it keeps back
	Hidden         int      // names with a leading dot that were passed over
	Ignored        int      // entries passed over because an ignore file says so
}

// StopReason is why a search ended early.
type StopReason string

// The reasons to stop.
const (
	StoppedByDeadline StopReason = "deadline"
	StoppedByCaller   StopReason = "cancelled"
	StoppedByBudget   StopReason = "budget"
)
