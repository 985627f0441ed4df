package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// rewriteIn writes f in a fresh directory in place.
func rewriteIn(t *testing.T, sys Sys, old, data string) (dir string, j *Journal, o Outcome, err error) {
	t.Helper()
	dir = t.TempDir()
	j = &Journal{Dir: filepath.Join(t.TempDir(), "state", "journal")}
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &Publisher{Sys: sys}
	o, err = p.InPlace(t.Context(), j, openDir(t, dir), "f", filepath.Join(dir, "f"), []byte(data), DigestOf([]byte(old)))
	return dir, j, o, err
}

func (j *Journal) entries(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir(j.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return len(names)
}

func TestInPlaceKeepsTheInode(t *testing.T) {
	for _, texts := range [][2]string{{oldText, newText}, {newText, oldText}, {oldText, ""}, {"", newText}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(texts[0]), 0o644); err != nil {
			t.Fatal(err)
		}
		var before, after unix.Stat_t
		if err := unix.Stat(path, &before); err != nil {
			t.Fatal(err)
		}
		j := &Journal{Dir: filepath.Join(t.TempDir(), "journal")}
		o, err := (&Publisher{Sys: Kernel{}}).InPlace(t.Context(), j, openDir(t, dir), "f", path, []byte(texts[1]), DigestOf([]byte(texts[0])))
		if err != nil || o.Guarantee != InPlace {
			t.Fatalf("got %+v, %v", o, err)
		}
		if err := unix.Stat(path, &after); err != nil || before.Ino != after.Ino {
			t.Errorf("another file has the name now: %v", err)
		}
		if content, rest := state(t, dir); content != texts[1] || len(rest) > 0 || j.entries(t) > 0 {
			t.Errorf("content %q, beside it %q, %d entries", content, rest, j.entries(t))
		}
	}
}

func TestInPlaceRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte(oldText), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &Publisher{Sys: Kernel{}}
	j := &Journal{Dir: filepath.Join(t.TempDir(), "journal")}
	try := func(j *Journal, want string) error {
		_, err := p.InPlace(t.Context(), j, openDir(t, dir), "f", path, []byte(newText), DigestOf([]byte(want)))
		return err
	}
	if err := try(j, newText); !errors.Is(err, ErrChanged) {
		t.Errorf("another content: %v", err)
	}
	if err := try(&Journal{}, oldText); !errors.Is(err, ErrNoJournal) {
		t.Errorf("no journal: %v", err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := try(j, oldText); !errors.Is(err, ErrInUse) {
		t.Errorf("somebody reads it: %v", err)
	}
	reader.Close()
	if err := os.Link(path, filepath.Join(dir, "g")); err != nil {
		t.Fatal(err)
	}
	if err := try(j, oldText); !errors.Is(err, ErrLinked) {
		t.Errorf("two names: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != oldText || j.entries(t) > 0 {
		t.Errorf("the file holds %q, %v; %d entries", data, err, j.entries(t))
	}
}

// brokenDisk writes half and then fails, as a disk does that is full or gone.
type brokenDisk struct {
	Sys
	writes int
	err    error
	dead   bool // it never works again
}

func (b *brokenDisk) WriteAt(fd int, p []byte, offset int64) (int, error) {
	b.writes++
	if b.writes == 1 {
		return b.Sys.WriteAt(fd, p[:len(p)/2], offset)
	}
	if b.writes == 2 || b.dead {
		return 0, b.err
	}
	return b.Sys.WriteAt(fd, p, offset)
}

func TestInPlaceWritesBackWhenItFails(t *testing.T) {
	dir, j, _, err := rewriteIn(t, &brokenDisk{Sys: Kernel{}, err: unix.EIO}, oldText, newText)
	content, _ := state(t, dir)
	if !errors.Is(err, unix.EIO) || content != oldText || j.entries(t) > 0 {
		t.Errorf("err %v, content %q, %d entries", err, content, j.entries(t))
	}
}

func TestRecoverFinishesWhatTheDiskRefused(t *testing.T) {
	dir, j, _, err := rewriteIn(t, &brokenDisk{Sys: Kernel{}, err: unix.EIO, dead: true}, oldText, newText)
	if content, _ := state(t, dir); err == nil || content == oldText || j.entries(t) != 1 {
		t.Fatalf("err %v, content %q, %d entries: the test is void", err, content, j.entries(t))
	}
	open := func(path string) (int, error) { return unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0) }
	p := &Publisher{Sys: Kernel{}}
	r, err := p.Recover(j, open)
	if content, _ := state(t, dir); err != nil || r.Restored != 1 || content != oldText || j.entries(t) > 0 {
		t.Errorf("got %+v, %v; content %q, %d entries", r, err, content, j.entries(t))
	}
}

// torn is what a write of newText over oldText leaves when it is cut off.
const torn = "the new content"

func TestMixture(t *testing.T) {
	long := func(c string, n int) []byte { return []byte(strings.Repeat(c, n)) }
	cat := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	old, data := long("o", 1500), long("n", 1100)
	for name, tt := range map[string]struct {
		now  []byte
		want bool
	}{
		"nothing was written":       {old, true},
		"all was written":           {data, true},
		"not yet cut to size":       {cat(data, old[1100:]), true},
		"cut off in a sector":       {cat(data[:700], old[700:]), true},
		"sectors in another order":  {cat(old[:512], data[512:1024], old[1024:]), true},
		"a byte of somebody":        {cat(data[:700], []byte("x"), old[701:]), false},
		"something appended":        {cat(old, []byte("x")), false},
		"old behind new in a place": {cat(old[:100], data[100:200], old[200:]), false},
	} {
		if got := mixture(tt.now, old, data); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestRecoverLeavesWhatIsNotSure(t *testing.T) {
	open := func(path string) (int, error) { return unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0) }
	p := &Publisher{Sys: Kernel{}}
	begin := func(t *testing.T) (path string, j *Journal, u *undo) {
		path = filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(torn), 0o644); err != nil {
			t.Fatal(err)
		}
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			t.Fatal(err)
		}
		j = &Journal{Dir: t.TempDir()}
		u, err := j.begin(entry{Dev: st.Dev, Ino: st.Ino, Path: path, Old: hexSum(DigestOf([]byte(oldText))), New: hexSum(DigestOf([]byte(newText))), OldSize: len(oldText)}, []byte(oldText), []byte(newText))
		if err != nil {
			t.Fatal(err)
		}
		return path, j, u
	}
	t.Run("its writer lives", func(t *testing.T) {
		path, j, u := begin(t)
		defer u.end()
		if r, err := p.Recover(j, open); err != nil || r != (Recovered{}) {
			t.Errorf("got %+v, %v", r, err)
		}
		if data, _ := os.ReadFile(path); string(data) != torn {
			t.Errorf("the file holds %q", data)
		}
	})
	t.Run("another file has the name", func(t *testing.T) {
		path, j, u := begin(t)
		u.leave()
		if err := renameOver("somebody else's")(path); err != nil {
			t.Fatal(err)
		}
		if r, err := p.Recover(j, open); err != nil || r.Abandoned != 1 || j.entries(t) != 1 {
			t.Errorf("got %+v, %v; %d entries", r, err, j.entries(t))
		}
		if data, _ := os.ReadFile(path); string(data) != "somebody else's" {
			t.Errorf("the file holds %q", data)
		}
	})
	t.Run("somebody has written to it since", func(t *testing.T) {
		path, j, u := begin(t)
		u.leave()
		if err := os.WriteFile(path, []byte(torn+"!"), 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := p.Recover(j, open); err != nil || r.Abandoned != 1 || j.entries(t) != 1 {
			t.Errorf("got %+v, %v; %d entries", r, err, j.entries(t))
		}
		if data, _ := os.ReadFile(path); string(data) != torn+"!" {
			t.Errorf("the file holds %q", data)
		}
	})
	t.Run("the write was finished", func(t *testing.T) {
		path, j, u := begin(t)
		u.leave()
		if err := os.WriteFile(path, []byte(newText), 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := p.Recover(j, open); err != nil || r.Dropped != 1 || j.entries(t) > 0 {
			t.Errorf("got %+v, %v; %d entries", r, err, j.entries(t))
		}
	})
	t.Run("the entry is damaged", func(t *testing.T) {
		path, j, u := begin(t)
		u.leave()
		raw, err := os.ReadFile(u.name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(u.name, raw[:len(raw)-1], 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := p.Recover(j, open); err != nil || r.Abandoned != 1 {
			t.Errorf("got %+v, %v", r, err)
		}
		if data, _ := os.ReadFile(path); string(data) != torn {
			t.Errorf("the file holds %q", data)
		}
	})
}

func TestJournalIsForNobodyElse(t *testing.T) {
	j := &Journal{Dir: filepath.Join(t.TempDir(), "journal")}
	u, err := j.begin(entry{Path: "/f"}, []byte("secret"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.end()
	for path, want := range map[string]os.FileMode{j.Dir: 0o700, u.name: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
	if !strings.HasSuffix(u.name, undoSuffix) {
		t.Error(u.name)
	}
}
