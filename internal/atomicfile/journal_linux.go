package atomicfile

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Journal keeps the old content of files that are being rewritten in place, one file
// each in a directory of its own. An entry is locked for as long as its writer lives.
type Journal struct {
	// Dir is made when it is first needed. It must lie on a disk that outlives a crash.
	Dir string
}

// entry says which file an undo belongs to; the old bytes follow it after a line feed.
type entry struct {
	Dev, Ino uint64
	Path     string
	Old, New string // digests, in full
}

func hexSum(d Digest) string { return hex.EncodeToString(d.Sum[:]) }

// undo is an open entry.
type undo struct {
	file *os.File
	name string
}

// ErrNoJournal says that there is no place for a journal, without which nothing is
// written in place.
var ErrNoJournal = errors.New("there is no directory for the journal")

func (j *Journal) begin(e entry, old []byte) (*undo, error) {
	if j == nil || j.Dir == "" {
		return nil, ErrNoJournal
	}
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return nil, err
	}
	head, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(j.Dir, rand.Text()+undoSuffix)
	temp := name + newSuffix
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	u := &undo{file: f, name: temp}
	if err := errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_EX), writeBoth(f, head, old), f.Sync()); err != nil {
		u.end()
		return nil, err
	}
	if err := os.Rename(temp, name); err != nil {
		u.end()
		return nil, err
	}
	u.name = name
	if err := syncPath(j.Dir); err != nil {
		u.end()
		return nil, err
	}
	return u, nil
}

const (
	undoSuffix = ".undo"
	newSuffix  = ".new"
)

func writeBoth(w io.Writer, head, old []byte) error {
	_, err := w.Write(append(head, '\n'))
	if err == nil {
		_, err = w.Write(old)
	}
	return err
}

func syncPath(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// end drops the entry: what it undoes is done or undone.
func (u *undo) end() {
	os.Remove(u.name)
	u.file.Close()
}

// leave keeps the entry for Recover.
func (u *undo) leave() { u.file.Close() }

// Recovered says what Recover found.
type Recovered struct {
	Restored  int // files that got their old content back
	Dropped   int // entries of writes that were finished, or never begun
	Abandoned int // entries whose file is gone or another one: they stay, for people
}

// Recover undoes writes whose process was killed. open opens, for reading and writing,
// the file that a path denotes, without following links; a path that is not to be
// opened here is left for others by an error. Entries of living writers are left alone.
func (p *Publisher) Recover(j *Journal, open func(path string) (fd int, err error)) (r Recovered, err error) {
	if j == nil || j.Dir == "" {
		return r, nil
	}
	names, err := os.ReadDir(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	for _, n := range names {
		f, err := os.Open(filepath.Join(j.Dir, n.Name()))
		if err != nil {
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			u := &undo{file: f, name: f.Name()}
			switch {
			case strings.HasSuffix(u.name, undoSuffix):
				p.recoverEntry(u, open, &r)
			case strings.HasSuffix(u.name, undoSuffix+newSuffix): // never finished, so nothing was begun
				r.Dropped++
				u.end()
			}
		}
		f.Close()
	}
	return r, err
}

func (p *Publisher) recoverEntry(u *undo, open func(string) (int, error), r *Recovered) {
	raw, err := io.ReadAll(u.file)
	head, old, ok := bytes.Cut(raw, []byte{'\n'})
	var e entry
	if err != nil || !ok || json.Unmarshal(head, &e) != nil || hexSum(DigestOf(old)) != e.Old {
		r.Abandoned++
		return
	}
	fd, err := open(e.Path)
	if err != nil {
		r.Abandoned++
		return
	}
	defer p.Sys.Close(fd)
	var st unix.Stat_t
	if err := p.Sys.Stat(fd, &st); err != nil || st.Dev != e.Dev || st.Ino != e.Ino {
		r.Abandoned++
		return
	}
	if now, err := p.digest(fd); err == nil && (hexSum(now) == e.Old || hexSum(now) == e.New) {
		r.Dropped++
		u.end()
		return
	}
	if p.rewrite(fd, old, st.Size) != nil {
		r.Abandoned++
		return
	}
	r.Restored++
	u.end()
}
