package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// faulty makes the n-th call of one kind fail, or runs something before it.
type faulty struct {
	Sys
	mu     sync.Mutex
	calls  map[string]int
	call   string
	nth    int
	err    error
	before func()
}

func (f *faulty) hit(call string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	f.calls[call]++
	if call != f.call || f.calls[call] != f.nth {
		return nil
	}
	if f.before != nil {
		f.before()
	}
	return f.err
}

func (f *faulty) OpenTemp(dir int, mode uint32) (int, error) {
	if err := f.hit("opentemp"); err != nil {
		return -1, err
	}
	return f.Sys.OpenTemp(dir, mode)
}

func (f *faulty) Write(fd int, p []byte) (int, error) {
	if err := f.hit("write"); err != nil {
		return 0, err
	}
	return f.Sys.Write(fd, p[:min(len(p), 3)]) // always short
}

func (f *faulty) Chmod(fd int, mode uint32) error {
	if err := f.hit("chmod"); err != nil {
		return err
	}
	return f.Sys.Chmod(fd, mode)
}

func (f *faulty) Sync(fd int) error {
	if err := f.hit("sync"); err != nil {
		return err
	}
	return f.Sys.Sync(fd)
}

func (f *faulty) Link(fd, dir int, name string) error {
	if err := f.hit("link"); err != nil {
		return err
	}
	return f.Sys.Link(fd, dir, name)
}

func (f *faulty) Rename(dir int, from, to string, flags uint) error {
	if err := f.hit("rename"); err != nil {
		return err
	}
	return f.Sys.Rename(dir, from, to, flags)
}

func (f *faulty) Unlink(dir int, name string) error {
	if err := f.hit("unlink"); err != nil {
		return err
	}
	return f.Sys.Unlink(dir, name)
}

func (f *faulty) StatAt(dir int, name string, st *unix.Stat_t) error {
	if err := f.hit("statat"); err != nil {
		return err
	}
	return f.Sys.StatAt(dir, name, st)
}

func (f *faulty) ReadAt(fd int, p []byte, offset int64) (int, error) {
	if err := f.hit("readat"); err != nil {
		return 0, err
	}
	return f.Sys.ReadAt(fd, p, offset)
}

func (f *faulty) SetLease(fd, kind int) error {
	if err := f.hit("lease"); err != nil {
		return err
	}
	return f.Sys.SetLease(fd, kind)
}

func (f *faulty) Lock(dir int) error {
	if err := f.hit("lock"); err != nil {
		return err
	}
	return f.Sys.Lock(dir)
}

func openDir(t *testing.T, path string) int {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

const (
	oldText = "the old content"
	newText = "the new content, which is longer"
)

// publish replaces (or creates, where there is no old file) f in a fresh directory.
func publish(t *testing.T, sys Sys, replace bool) (dir string, o Outcome, err error) {
	t.Helper()
	dir = t.TempDir()
	o, err = publishIn(t, dir, sys, replace)
	return dir, o, err
}

func publishIn(t *testing.T, dir string, sys Sys, replace bool) (Outcome, error) {
	t.Helper()
	p := &Publisher{Sys: sys}
	fd := openDir(t, dir)
	if !replace {
		return p.Create(context.Background(), fd, "f", []byte(newText))
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(oldText), 0o640); err != nil {
		t.Fatal(err)
	}
	want := DigestOf([]byte(oldText))
	return p.Replace(context.Background(), fd, "f", []byte(newText), &want)
}

// state is what a directory holds after a publication: the content of f, "" for no
// file, and everything beside it.
func state(t *testing.T, dir string) (content string, residue []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "f" {
			residue = append(residue, e.Name())
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		if err != nil {
			t.Fatal(err)
		}
		content = string(data)
	}
	return content, residue
}

// An error before publication leaves the old content and nothing beside it.
func TestErrorsLeaveTheOldFileAndNothingElse(t *testing.T) {
	errnos := []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EFBIG, unix.EPERM, unix.EROFS, unix.EACCES}
	for _, replace := range []bool{true, false} {
		for _, call := range []string{"opentemp", "write", "chmod", "sync", "link", "rename", "statat", "readat"} {
			for _, errno := range errnos {
				name := fmt.Sprintf("replace=%t/%s/%v", replace, call, errno)
				t.Run(name, func(t *testing.T) {
					f := &faulty{Sys: Kernel{}, call: call, nth: 1, err: errno}
					dir, _, err := publish(t, f, replace)
					if f.calls[call] == 0 {
						t.Skip("this publication makes no such call")
					}
					content, residue := state(t, dir)
					old := oldText
					if !replace {
						old = ""
					}
					if call == "statat" && replace {
						// It comes after the exchange: what was taken out is looked at in
						// another way.
						if err != nil || content != newText || len(residue) > 0 {
							t.Fatalf("err %v, content %q", err, content)
						}
						return
					}
					if !errors.Is(err, errno) || content != old || len(residue) > 0 {
						t.Errorf("err %v, content %q, residue %q", err, content, residue)
					}
				})
			}
		}
	}
}

// After publication an error is not a failure: the file is new.
func TestErrorsAfterPublication(t *testing.T) {
	for _, replace := range []bool{true, false} {
		dir, o, err := publish(t, &faulty{Sys: Kernel{}, call: "sync", nth: 2, err: unix.EIO}, replace)
		if content, residue := state(t, dir); content != newText || len(residue) > 0 {
			t.Errorf("content %q, residue %q", content, residue)
		}
		if err != nil || !o.NotDurable {
			t.Errorf("got %+v, %v, want success that is not durable", o, err)
		}
	}
	dir, _, err := publish(t, &faulty{Sys: Kernel{}, call: "unlink", nth: 1, err: unix.EIO}, true)
	content, residue := state(t, dir)
	if err != nil || content != newText || len(residue) != 1 || !strings.HasPrefix(residue[0], TempPrefix) {
		t.Errorf("err %v, content %q, residue %q", err, content, residue)
	}
}

// Where a primitive is missing the next one serves.
func TestFallbacks(t *testing.T) {
	tests := []struct {
		name      string
		call      string
		err       error
		replace   bool
		guarantee Guarantee
	}{
		{"no unnamed files, replace", "opentemp", unix.EOPNOTSUPP, true, Exchanged},
		{"no unnamed files, create", "opentemp", unix.EOPNOTSUPP, false, Created},
		{"no exchange", "rename", unix.EINVAL, true, Checked},
		{"no lock", "lock", unix.ENOLCK, true, Exchanged},
		{"no lease", "lease", unix.EACCES, true, Exchanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, o, err := publish(t, &faulty{Sys: Kernel{}, call: tt.call, nth: 1, err: tt.err}, tt.replace)
			if content, residue := state(t, dir); err != nil || content != newText || len(residue) > 0 {
				t.Errorf("err %v, content %q, residue %q", err, content, residue)
			}
			if o.Guarantee != tt.guarantee {
				t.Errorf("the guarantee is %q, want %q", o.Guarantee, tt.guarantee)
			}
		})
	}
}

// What others do in the last moment before the exchange is not lost. Whoever opens the
// file for writing waits for our lease to end, so each acts on a thread of its own.
func TestOthersInTheWindow(t *testing.T) {
	const theirs = "somebody else's"
	tests := []struct {
		name    string
		nth     int // before which rename: 1 is the exchange
		waits   bool
		meddle  func(path string) error
		content string
		err     error
	}{
		{"a rename over the file", 1, false, renameOver(theirs), theirs, ErrChanged},
		{"a write in place", 1, true, func(path string) error { return os.WriteFile(path, []byte(theirs), 0o600) }, theirs, ErrOpen},
		{"a removal", 1, false, os.Remove, "", ErrGone},
		{"an open for writing that writes nothing", 1, true, func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				f.Close()
			}
			return err
		}, oldText, ErrOpen},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var others sync.WaitGroup
			f := &faulty{Sys: Kernel{}, call: "rename", nth: tt.nth, before: func() {
				done := make(chan struct{})
				others.Go(func() {
					defer close(done)
					if err := tt.meddle(filepath.Join(dir, "f")); err != nil {
						t.Error(err)
					}
				})
				if !tt.waits {
					others.Wait()
					return
				}
				waitForBreak(t, dir, done)
			}}
			_, err := publishIn(t, dir, f, true)
			others.Wait()
			content, residue := state(t, dir)
			if !errors.Is(err, tt.err) || content != tt.content || len(residue) > 0 {
				t.Errorf("err %v, content %q, residue %q", err, content, residue)
			}
		})
	}
}

func renameOver(content string) func(string) error {
	return func(path string) error {
		if err := os.WriteFile(path+".x", []byte(content), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".x", path)
	}
}

// waitForBreak returns when somebody waits to open a file of the directory, for which the
// kernel shows in /proc/locks a lease that is being broken, or is done without having to.
func waitForBreak(t *testing.T, dir string, done <-chan struct{}) {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(filepath.Join(dir, "f"), &st); err != nil {
		t.Error(err)
		return
	}
	inode := fmt.Sprintf(":%d ", st.Ino)
	for {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Error(err)
			return
		}
		for line := range strings.Lines(string(locks)) {
			if strings.Contains(line, "LEASE") && strings.Contains(line, "BREAKING") && strings.Contains(line, inode) {
				return
			}
		}
		select {
		case <-done:
			return
		default:
			runtime.Gosched()
		}
	}
}

// A file that somebody has open for writing is left alone, and theirs.
func TestOpenForWritingIsBusy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte(oldText), 0o644); err != nil {
		t.Fatal(err)
	}
	logger, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer logger.Close()
	want := DigestOf([]byte(oldText))
	p := &Publisher{Sys: Kernel{}}
	if _, err := p.Replace(t.Context(), openDir(t, dir), "f", []byte(newText), &want); !errors.Is(err, ErrOpen) {
		t.Errorf("got %v, want ErrOpen", err)
	}
	if _, err := logger.WriteString("!"); err != nil {
		t.Fatal(err)
	}
	if content, residue := state(t, dir); content != oldText+"!" || len(residue) > 0 {
		t.Errorf("content %q, residue %q", content, residue)
	}
	logger.Close()
	want = DigestOf([]byte(oldText + "!"))
	if _, err := p.Replace(t.Context(), openDir(t, dir), "f", []byte(newText), &want); err != nil {
		t.Error(err)
	}
}

func TestReplaceKeepsMetadata(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte(oldText), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(path, 1000, 100); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	xattrs := unix.Setxattr(path, "user.tag", []byte("kept"), 0) == nil
	var before, after unix.Stat_t
	if err := unix.Stat(path, &before); err != nil {
		t.Fatal(err)
	}
	want := DigestOf([]byte(oldText))
	if _, err := (&Publisher{Sys: Kernel{}}).Replace(t.Context(), openDir(t, dir), "f", []byte(newText), &want); err != nil {
		t.Fatal(err)
	}
	if err := unix.Stat(path, &after); err != nil {
		t.Fatal(err)
	}
	if before.Mode != after.Mode || before.Uid != after.Uid || before.Gid != after.Gid {
		t.Errorf("before %o %d:%d, after %o %d:%d", before.Mode, before.Uid, before.Gid, after.Mode, after.Uid, after.Gid)
	}
	if xattrs {
		buf := make([]byte, 16)
		if n, err := unix.Getxattr(path, "user.tag", buf); err != nil || string(buf[:n]) != "kept" {
			t.Errorf("the extended attribute is %q, %v", buf[:max(n, 0)], err)
		}
	}
}
