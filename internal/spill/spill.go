// Package spill keeps what was too long for an answer, in files of a session's own. They
// are for the one who got the answer: nobody else may read them, and only the last few
// of a session stay.
package spill

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Kept is how many files of a session stay.
const Kept = 16

// Store keeps files below one directory. Safe for concurrent use, by several processes
// too.
type Store struct{ dir string }

// New makes a store. The directory is made when it is first needed.
func New(dir string) *Store { return &Store{dir} }

// Write keeps what write writes, and gives the absolute path of the file. base is how
// its name begins; the file is there whole or not at all.
func (s *Store) Write(session, base string, write func(io.Writer) error) (path string, err error) {
	sum := sha256.Sum256([]byte(session))
	dir, err := filepath.Abs(filepath.Join(s.dir, hex.EncodeToString(sum[:8])))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, base+"-*.txt")
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	prune(dir)
	return f.Name(), nil
}

// prune removes all but the newest files. One that cannot be removed does no harm.
func prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= Kept {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	for _, info := range files[min(Kept, len(files)):] {
		os.Remove(filepath.Join(dir, info.Name()))
	}
}
