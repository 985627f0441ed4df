// Package ripgrep asks the search program ripgrep in which files of a tree an expression
// certainly matches nothing, so that they need not be read again.
//
// Its other answers are not used. With --json it tells of files with matches alone, not
// whether one without is binary; and it reads ignore files, encodings and some
// expressions in its own way. A file that it names here needs no further look, whatever
// it thinks of all others, and what it does not name costs time and never a result.
package ripgrep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
)

// Query is what is asked for.
type Query struct {
	// Program is the absolute path of ripgrep.
	Program string
	// Dir is the open directory to search.
	Dir int
	// Expr is an expression in ripgrep's syntax.
	Expr string
	// Include is a glob of the files that will be asked about, "" for any.
	Include string
}

// Sieve knows, once ripgrep has ended, which files hold nothing. Safe for concurrent use.
type Sieve struct {
	stop context.CancelFunc
	done chan struct{} // closed when nothing is added to known any more
	seed maphash.Seed
	// known is the files by 64 bits of their paths under a seed that is nobody's to
	// choose: names would take much more.
	known map[uint64]struct{}
}

// maxKnown is how many files are kept in mind; further ones are read.
const maxKnown = 1 << 20

// Without reports a file that matches nothing, holds no NUL and begins with no byte
// order mark; path is from the query's directory on. It waits for the answer; the end of
// ctx is none.
func (s *Sieve) Without(ctx context.Context, path string) bool {
	select {
	case <-s.done:
	case <-ctx.Done():
		return false
	}
	_, ok := s.known[maphash.String(s.seed, path)]
	return ok
}

// Close ends the program and waits for its end.
func (s *Sieve) Close() error {
	s.stop()
	<-s.done
	return nil
}

// collect takes what the program says until it ends, or is ended.
func (s *Sieve) collect(r io.Reader) {
	readPaths(r, func(path []byte) bool {
		s.known[maphash.Bytes(s.seed, path)] = struct{}{}
		return len(s.known) < maxKnown
	})
}

// maxPath is how many bytes of a path are read. Longer ones are passed over.
const maxPath = 16 << 10

// readPaths gives the paths, each of which ends in a NUL, until yield is false. One that
// is not there whole is none.
func readPaths(r io.Reader, yield func(path []byte) bool) {
	in := bufio.NewReaderSize(r, maxPath)
	for skip := false; ; {
		path, err := in.ReadSlice(0)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			skip = true
			continue
		case err != nil:
			return
		}
		if path = bytes.TrimPrefix(path[:len(path)-1], []byte("./")); !skip && len(path) > 0 && !yield(path) {
			return
		}
		skip = false
	}
}
