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

// entry says which file an undo belongs to. After a line feed the old bytes follow, and
// then the new ones.
type entry struct {
	Dev, Ino uint64
	Path     string
	Old, New string // digests, in full
	OldSize  int
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

func (j *Journal) begin(e entry, old, data []byte) (*undo, error) {
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
	if err := errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_EX), writeAllTo(f, head, []byte{'\n'}, old, data), f.Sync()); err != nil {
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

func writeAllTo(w io.Writer, pieces ...[]byte) error {
	for _, p := range pieces {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
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
	Abandoned int // entries whose file is gone, another one, or changed since: they stay, for people
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
	e, old, data, ok := u.read()
	if !ok {
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
	now, err := p.readAll(fd, int64(max(len(old), len(data))))
	switch {
	case err != nil || !mixture(now, old, data):
		// Somebody has written to it since: what it holds is theirs.
		r.Abandoned++
		return
	case bytes.Equal(now, old) || bytes.Equal(now, data):
		r.Dropped++
	case p.rewrite(fd, old, st.Size) != nil:
		r.Abandoned++
		return
	default:
		r.Restored++
	}
	u.end()
}

func (u *undo) read() (e entry, old, data []byte, ok bool) {
	raw, err := io.ReadAll(u.file)
	head, rest, found := bytes.Cut(raw, []byte{'\n'})
	if err != nil || !found || json.Unmarshal(head, &e) != nil || e.OldSize < 0 || e.OldSize > len(rest) {
		return e, nil, nil, false
	}
	old, data = rest[:e.OldSize], rest[e.OldSize:]
	return e, old, data, hexSum(DigestOf(old)) == e.Old && hexSum(DigestOf(data)) == e.New
}

// readAll reads an open file of at most most bytes; a longer one gives one byte more.
func (p *Publisher) readAll(fd int, most int64) ([]byte, error) {
	data := make([]byte, most+1)
	size := 0
	for size < len(data) {
		n, err := p.Sys.ReadAt(fd, data[size:], int64(size))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		size += n
	}
	return data[:size], nil
}

// sector is what a disk writes whole.
const sector = 512

// mixture reports whether a file is what a write of data over old leaves that was cut
// off: in each sector as far as it got, in whatever order sectors reach a disk.
func mixture(now, old, data []byte) bool {
	if len(now) > max(len(old), len(data)) {
		return false
	}
	for at := 0; at < len(now); at += sector {
		part := now[at:min(at+sector, len(now))]
		before, after := old[min(at, len(old)):min(at+len(part), len(old))], data[min(at, len(data)):min(at+len(part), len(data))]
		k := 0
		for k < len(part) && k < len(after) && part[k] == after[k] {
			k++
		}
		if k < len(part) && !bytes.Equal(part[k:], before[min(k, len(before)):]) {
			return false
		}
	}
	return true
}
