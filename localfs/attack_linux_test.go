//go:build !toolfs_portable

package localfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

// TestAttackCases holds the attacks and races that need a hand in the system calls, or
// a file system of a special kind; the others are in internal/cases. That package keeps
// the list of all rows, and this test holds to its part of it.
func TestAttackCases(t *testing.T) {
	all := map[int]func(*testing.T){}
	for _, group := range []map[int]func(*testing.T){windowAttacks, createAttacks, raceAttacks, keepAttacks, mountAttacks, errorAttacks, killAttacks} {
		for row, test := range group {
			if all[row] != nil {
				t.Errorf("row %d has two tests", row)
			}
			all[row] = test
		}
	}
	for _, row := range attackRows(t) {
		if all[row] == nil {
			t.Errorf("row %d has no test", row)
			continue
		}
		t.Run(fmt.Sprintf("case-%03d", row), all[row])
		delete(all, row)
	}
	for row := range all {
		t.Errorf("row %d is not said to be tested here", row)
	}
}

// attackRows are the rows that the list gives to this package.
func attackRows(t *testing.T) []int {
	t.Helper()
	list, err := os.ReadFile("../internal/cases/testdata/attack-rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	for line := range strings.Lines(string(list)) {
		numbers, ok := strings.CutPrefix(line, "localfs:")
		if !ok {
			continue
		}
		for _, number := range strings.Fields(numbers) {
			row, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// spy is a kernel in which a test can do something before and after a call, and make
// it fail. n counts the calls of one kind.
type spy struct {
	atomicfile.Sys
	mu     sync.Mutex
	calls  map[string]int
	before func(call string, n int) error
	after  func(call string, n int)
}

func (s *spy) count(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[call]++
	return s.calls[call]
}

// all is how many calls were made so far.
func (s *spy) all() (sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.calls {
		sum += n
	}
	return sum
}

// do makes a call that gives only an error.
func (s *spy) do(call string, f func() error) error {
	n := s.count(call)
	if s.before != nil {
		if err := s.before(call, n); err != nil {
			return err
		}
	}
	err := f()
	if s.after != nil {
		s.after(call, n)
	}
	return err
}

// get makes a call that gives a number, and bad in its place if it is made to fail.
func (s *spy) get(call string, bad int, f func() (int, error)) (v int, err error) {
	v = bad
	err = s.do(call, func() (err error) { v, err = f(); return err })
	return v, err
}

func (s *spy) OpenTemp(dir int, mode uint32) (int, error) {
	return s.get("opentemp", -1, func() (int, error) { return s.Sys.OpenTemp(dir, mode) })
}

func (s *spy) OpenNew(dir int, name string, mode uint32) (int, error) {
	return s.get("opennew", -1, func() (int, error) { return s.Sys.OpenNew(dir, name, mode) })
}

func (s *spy) OpenPath(dir int, name string) (int, error) {
	return s.get("openpath", -1, func() (int, error) { return s.Sys.OpenPath(dir, name) })
}

func (s *spy) OpenRead(handle int) (int, error) {
	return s.get("openread", -1, func() (int, error) { return s.Sys.OpenRead(handle) })
}

func (s *spy) OpenWrite(handle int) (int, error) {
	return s.get("openwrite", -1, func() (int, error) { return s.Sys.OpenWrite(handle) })
}

func (s *spy) Writable(handle int) error {
	return s.do("writable", func() error { return s.Sys.Writable(handle) })
}

func (s *spy) Close(fd int) error { return s.do("close", func() error { return s.Sys.Close(fd) }) }

func (s *spy) Stat(fd int, st *unix.Stat_t) error {
	return s.do("stat", func() error { return s.Sys.Stat(fd, st) })
}

func (s *spy) StatAt(dir int, name string, st *unix.Stat_t) error {
	return s.do("statat", func() error { return s.Sys.StatAt(dir, name, st) })
}

func (s *spy) ReadAt(fd int, p []byte, offset int64) (int, error) {
	return s.get("readat", 0, func() (int, error) { return s.Sys.ReadAt(fd, p, offset) })
}

func (s *spy) Write(fd int, p []byte) (int, error) {
	return s.get("write", 0, func() (int, error) { return s.Sys.Write(fd, p) })
}

func (s *spy) WriteAt(fd int, p []byte, offset int64) (int, error) {
	return s.get("writeat", 0, func() (int, error) { return s.Sys.WriteAt(fd, p, offset) })
}

func (s *spy) Reserve(fd int, size int64) error {
	return s.do("reserve", func() error { return s.Sys.Reserve(fd, size) })
}

func (s *spy) Truncate(fd int, size int64) error {
	return s.do("truncate", func() error { return s.Sys.Truncate(fd, size) })
}

func (s *spy) Chmod(fd int, mode uint32) error {
	return s.do("chmod", func() error { return s.Sys.Chmod(fd, mode) })
}

func (s *spy) Chown(fd, uid, gid int) error {
	return s.do("chown", func() error { return s.Sys.Chown(fd, uid, gid) })
}

func (s *spy) Listxattr(fd int, dest []byte) (int, error) {
	return s.get("listxattr", 0, func() (int, error) { return s.Sys.Listxattr(fd, dest) })
}

func (s *spy) Getxattr(fd int, name string, dest []byte) (int, error) {
	return s.get("getxattr", 0, func() (int, error) { return s.Sys.Getxattr(fd, name, dest) })
}

func (s *spy) Setxattr(fd int, name string, value []byte) error {
	return s.do("setxattr", func() error { return s.Sys.Setxattr(fd, name, value) })
}

func (s *spy) Removexattr(fd int, name string) error {
	return s.do("removexattr", func() error { return s.Sys.Removexattr(fd, name) })
}

func (s *spy) Sync(fd int) error { return s.do("sync", func() error { return s.Sys.Sync(fd) }) }

func (s *spy) Link(fd, dir int, name string) error {
	return s.do("link", func() error { return s.Sys.Link(fd, dir, name) })
}

func (s *spy) Rename(dir int, from, to string, flags uint) error {
	return s.do("rename", func() error { return s.Sys.Rename(dir, from, to, flags) })
}

func (s *spy) Unlink(dir int, name string) error {
	return s.do("unlink", func() error { return s.Sys.Unlink(dir, name) })
}

func (s *spy) SetLease(fd, kind int) error {
	return s.do("setlease", func() error { return s.Sys.SetLease(fd, kind) })
}

func (s *spy) Lease(fd int) (int, error) {
	return s.get("lease", 0, func() (int, error) { return s.Sys.Lease(fd) })
}

func (s *spy) Lock(dir int) error   { return s.do("lock", func() error { return s.Sys.Lock(dir) }) }
func (s *spy) Unlock(dir int) error { return s.do("unlock", func() error { return s.Sys.Unlock(dir) }) }

// place is a directory and a provider over it whose system calls a test can reach.
type place struct {
	*testing.T
	dir   string
	state string
	fs    *FS
	spy   *spy
}

// newPlace does not wait for the disk.
func newPlace(t *testing.T) *place {
	t.Helper()
	return placeAt(t, t.TempDir(), Options{NoSync: true})
}

func placeAt(t *testing.T, dir string, o Options) *place {
	t.Helper()
	p := &place{T: t, dir: dir, state: t.TempDir()}
	o.Cwd, o.StateDir = dir, p.state
	p.fs = p.provider(func() (*FS, error) { return Host(o) })
	p.spy = &spy{Sys: atomicfile.Kernel{}}
	p.fs.publisher.Sys = p.spy
	return p
}

func (p *place) provider(open func() (*FS, error)) *FS {
	p.Helper()
	f, err := open()
	p.must(err)
	p.Cleanup(func() { f.Close() })
	return f
}

// again is another provider over the same place, as after a restart.
func (p *place) again() *FS {
	p.Helper()
	return p.provider(func() (*FS, error) { return Host(Options{Cwd: p.dir, StateDir: p.state, NoSync: true}) })
}

func (p *place) must(errs ...error) {
	p.Helper()
	for _, err := range errs {
		if err != nil {
			p.Fatal(err)
		}
	}
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// file puts content into a file behind the provider's back.
func (p *place) file(name, content string) string {
	p.Helper()
	p.must(os.WriteFile(p.path(name), []byte(content), 0o644))
	return p.path(name)
}

// holds fails unless a file has exactly these bytes.
func (p *place) holds(name, content string) {
	p.Helper()
	got, err := os.ReadFile(p.path(name))
	if err != nil || string(got) != content {
		p.Errorf("%s holds %.60q (%v), not %.60q", name, got, err, content)
	}
}

// only fails unless the directory has exactly these children: nothing is left over.
func (p *place) only(names ...string) {
	p.Helper()
	entries, err := os.ReadDir(p.dir)
	p.must(err)
	got := []string{}
	for _, e := range entries {
		if e.Name() != "lost+found" {
			got = append(got, e.Name())
		}
	}
	if slices.Sort(names); !slices.Equal(got, names) {
		p.Errorf("the directory holds %q, want %q", got, names)
	}
}

func (p *place) stat(name string) unix.Stat_t {
	p.Helper()
	var st unix.Stat_t
	p.must(unix.Lstat(p.path(name), &st))
	return st
}

func (p *place) target(name string) vfs.Target {
	p.Helper()
	t, err := p.fs.Resolve(context.Background(), "", name)
	p.must(err)
	return t
}

// put publishes on the thread of its caller, or on another one when ctx can end.
func (p *place) put(ctx context.Context, name, content string, c vfs.Condition) (vfs.Info, error) {
	p.Helper()
	return p.fs.Put(ctx, p.target(name), []byte(content), vfs.PutOptions{If: c})
}

func (p *place) create(name, content string) (vfs.Info, error) {
	p.Helper()
	return p.put(p.Context(), name, content, vfs.IfAbsent())
}

// replace publishes over f if it has the content old.
func (p *place) replace(old, content string) (vfs.Info, error) {
	p.Helper()
	return p.put(p.Context(), "f", content, vfs.IfVersion(vfs.VersionOf([]byte(old))))
}

func (p *place) code(err error, codes ...vfs.Code) {
	p.Helper()
	if !slices.Contains(codes, vfs.CodeOf(err)) {
		p.Errorf("it is %v (%q), not %q", err, vfs.CodeOf(err), codes)
	}
}

// at acts once, before the n-th call of a kind.
func at(call string, nth int, act func() error) func(string, int) error {
	return func(made string, n int) error {
		if made == call && n == nth {
			return act()
		}
		return nil
	}
}

// failing makes the n-th call of a kind fail.
func failing(call string, nth int, err error) func(string, int) error {
	return at(call, nth, func() error { return err })
}

// meddle starts what somebody else does, on a thread of its own, since it waits while
// there is a lease, and returns when it does. Its end is waited for when the test ends.
func (p *place) meddle(name string, act func(path string) error) {
	st := p.stat(name)
	done := make(chan struct{})
	p.Cleanup(func() { <-done })
	go func() {
		defer close(done)
		if err := act(p.path(name)); err != nil {
			p.Error(err)
		}
	}()
	breaking(p.T, &st, done)
}

// breaking returns when somebody waits for the lease on a file to be given up, which
// the kernel shows, or is done.
func breaking(t *testing.T, st *unix.Stat_t, done <-chan struct{}) {
	inode := fmt.Sprintf(":%d ", st.Ino)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
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
		}
	}
	t.Error("nobody waits for the lease")
}

// patience bounds a wait for what must happen.
const patience = 20 * time.Second

// renameOver replaces a file as editors do.
func renameOver(content string) func(string) error {
	return func(path string) error {
		return errors.Join(os.WriteFile(path+".x", []byte(content), 0o644), os.Rename(path+".x", path))
	}
}

// writeInto overwrites a file's bytes without making a new file of it.
func writeInto(content string) func(string) error {
	return func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(content)
		return errors.Join(err, f.Close())
	}
}

// cannotHere skips a test for want of something, which is a failure where nothing may
// be skipped.
func cannotHere(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("TOOLFS_NO_SKIP") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func rootOnly(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		cannotHere(t, "it needs root")
	}
}

const somebody = 1000

// asSomebody runs f as a user without privileges, whose threads have no way back: the
// one that it runs on ends with it.
func (p *place) asSomebody(f func()) {
	p.Helper()
	rootOnly(p.T)
	for _, dir := range []string{p.dir, p.state} {
		p.must(os.Chmod(filepath.Dir(dir), 0o755)) // else nobody else gets there
	}
	p.must(os.Chown(p.state, somebody, somebody))
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		for _, call := range [][2]uintptr{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, somebody}, {unix.SYS_SETRESUID, somebody}} {
			if _, _, errno := syscall.RawSyscall(call[0], call[1], call[1], call[1]); errno != 0 {
				p.Error(errno)
				return
			}
		}
		f()
	}()
	<-done
}

// collect cleans up as a provider does after a restart.
func (p *place) collect() Collected {
	p.Helper()
	c, err := p.again().Collect(context.Background(), vfs.Target{Key: p.dir, Path: p.dir})
	p.must(err)
	return c
}

// leftovers are the children whose names begin as those of temporary files do.
func (p *place) leftovers() (names []string) {
	p.Helper()
	entries, err := os.ReadDir(p.dir)
	p.must(err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), atomicfile.TempPrefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
