//go:build !toolfs_portable

package localfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

// system is what an FS holds on this system.
type system struct {
	publisher   atomicfile.Publisher
	journal     atomicfile.Journal
	collected   collectedDirs
	descriptors int  // /proc/self/fd, through which the kernel names what is open; -1 without it
	fineStamps  bool // see proof
	stepwise    bool // walk in steps even where the kernel can do it at once

	// linked is the directory that a link was last met on the way to. It spares looking
	// for the plain path again, and decides nothing.
	linked atomic.Pointer[string]
	disk   atomic.Pointer[disk] // see filesystem
}

func newSystem(o Options) system {
	return system{publisher: atomicfile.Publisher{Sys: atomicfile.Kernel{}, NoSync: o.NoSync},
		journal: atomicfile.Journal{Dir: journalDir(o.StateDir)}, descriptors: openDescriptors(), fineStamps: fineStamps()}
}

// openDescriptors keeps the directory of this process's descriptors open: to walk to it
// anew for every file would cost more than the rest of opening the file.
func openDescriptors() int {
	fd, err := unix.Open("/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

func (s *system) close() {
	if s.descriptors >= 0 {
		unix.Close(s.descriptors)
	}
}

// root is an open directory that confines.
type root struct {
	system *system
	fd     int
	path   string // as it was when it was opened
}

func (s *system) openRoot(dir string) (*root, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	path, err := s.pathOf(fd)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &root{system: s, fd: fd, path: path}, nil
}

func (r *root) close() { unix.Close(r.fd) }

// current is the canonical path of the root as it is now, or "" when it is gone.
func (r *root) current() string {
	path, err := r.system.pathOf(r.fd)
	if err != nil {
		return ""
	}
	return path
}

// pathOf is the canonical path of an open file or directory.
func (s *system) pathOf(fd int) (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(s.descriptors, strconv.Itoa(fd), buf[:])
	if err != nil {
		return "", err
	}
	path := string(buf[:n])
	if strings.HasSuffix(path, " (deleted)") {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Nlink == 0 {
			return "", unix.ENOENT
		}
	}
	return path, nil
}

// canonical asks the kernel for the directory and looks at the last component itself,
// which somebody may be replacing right now; it walks only where the directory does not
// exist whole.
func (f *FS) canonical(path string) (canonical string, exists bool, err error) {
	if f.stepwise {
		return walk(path)
	}
	if plain, ok := f.plain(path); ok {
		return plain, true, nil
	}
	for range maxLinks + 1 {
		dir, leaf := filepath.Split(path)
		if leaf == "" || leaf == "." || leaf == ".." {
			dir, leaf = path, ""
		}
		at, err := f.openSearchable(dir)
		switch {
		case err == unix.ENOENT, err == unix.ENOSYS, err == unix.ENAMETOOLONG, err == unix.ELOOP:
			// ELOOP is also the answer to a link that the kernel makes up, such as
			// those in /proc: they count as what they read as.
			return walk(path)
		case err != nil:
			return "", false, err
		}
		path, exists, err = f.lookUp(at, leaf)
		unix.Close(at)
		if err != errIsLink {
			return path, exists, err
		}
	}
	return "", false, unix.ELOOP
}

// plain serves the common case with one look: a path that exists and leads through no
// link is its own canonical path.
func (f *FS) plain(path string) (canonical string, ok bool) {
	canonical = filepath.Clean(path)
	if len(canonical) != len(path) { // "..", or a separator at the end, has more to say
		return "", false
	}
	dir := canonical[:strings.LastIndexByte(canonical, '/')]
	if linked := f.linked.Load(); linked != nil && *linked == dir {
		return "", false
	}
	fd, err := f.openHandle(canonical, 0)
	if err == unix.ELOOP {
		f.linked.Store(&dir)
	}
	if err != nil {
		return "", false
	}
	unix.Close(fd)
	return canonical, f.allowed(canonical)
}

// openSearchable opens a directory as a handle, through any links but those that the
// kernel makes up itself.
func (f *FS) openSearchable(dir string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	return openat2(unix.AT_FDCWD, dir, &how)
}

var errIsLink = errors.New("a link")

// lookUp gives the canonical path of leaf in an open directory; where leaf is a link,
// what it leads to and errIsLink. An empty leaf is the directory itself.
func (s *system) lookUp(dir int, leaf string) (path string, exists bool, err error) {
	path, err = s.pathOf(dir)
	if err != nil || leaf == "" {
		return path, true, err
	}
	var st unix.Stat_t
	err = unix.Fstatat(dir, leaf, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err == unix.ENOENT:
		return filepath.Join(path, leaf), false, nil
	case err != nil:
		return "", false, err
	case st.Mode&unix.S_IFMT != unix.S_IFLNK:
		return filepath.Join(path, leaf), true, nil
	}
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(dir, leaf, buf[:])
	if err != nil {
		return "", false, err
	}
	if target := string(buf[:n]); strings.HasPrefix(target, "/") {
		path = target
	} else {
		path += "/" + target
	}
	return path, false, errIsLink
}

func openat2(dir int, path string, how *unix.OpenHow) (int, error) {
	for {
		fd, err := unix.Openat2(dir, path, how)
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

// handle opens the canonical path key without following any link, as a mere handle:
// no device, no FIFO and no file is really opened. This is the proof of where it is.
//
// Nothing is reached but through here, so this is where what is withheld is refused,
// whether it exists or not.
func (f *FS) handle(key string, flags int) (int, error) {
	if err := f.withheld(key, flags&unix.O_DIRECTORY != 0); err != nil {
		return -1, err
	}
	fd, err := f.openHandle(key, unix.O_NOFOLLOW|flags)
	if err != nil || f.withhold == nil || flags&unix.O_DIRECTORY != 0 {
		return fd, err
	}
	var st unix.Stat_t
	switch err = unix.Fstat(fd, &st); {
	case err != nil:
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		err = f.withheld(key, true)
	case st.Nlink > 1 && len(f.withhold.exact) > 0:
		var info fs.FileInfo
		if info, err = os.Stat(atomicfile.ProcFD(fd)); err == nil {
			err = f.deniedElsewhere(info)
		}
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// openHandle is handle, but that without O_NOFOLLOW in flags a link at the end is ELOOP.
func (f *FS) openHandle(key string, flags int) (int, error) {
	dir, rel := unix.AT_FDCWD, key
	how := unix.OpenHow{Flags: uint64(unix.O_PATH | unix.O_CLOEXEC | flags),
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	if len(f.roots) > 0 {
		r, below, ok := f.rootOf(key)
		if !ok {
			return -1, errOutside
		}
		dir, rel = r.fd, below
		if rel == "" {
			rel = "."
		}
		how.Resolve |= unix.RESOLVE_BENEATH
	}
	if f.stepwise {
		return step(dir, rel, flags)
	}
	fd, err := openat2(dir, rel, &how)
	if err == unix.ENOSYS || err == unix.ENAMETOOLONG {
		return step(dir, rel, flags)
	}
	return fd, err
}

var errOutside = errors.New("outside the roots")

// step opens rel below dir one component at a time, for a kernel without openat2 and
// for paths that are longer than it takes.
func step(dir int, rel string, flags int) (int, error) {
	at, err := unix.Openat(dir, ".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if strings.HasPrefix(rel, "/") {
		at, err = unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return -1, err
	}
	parts := components(rel)
	for i, name := range parts {
		more := 0
		if i == len(parts)-1 {
			more = flags
		}
		next, err := unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC|more, 0)
		unix.Close(at)
		if err != nil {
			return -1, err
		}
		var st unix.Stat_t
		if err := unix.Fstat(next, &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK || name == ".." {
			unix.Close(next)
			return -1, unix.ELOOP
		}
		at = next
	}
	return at, nil
}

// openError words a failure to reach a target.
func (f *FS) openError(op string, t vfs.Target, err error) *vfs.Error {
	if w, ok := errors.AsType[*withheldError](err); ok {
		return vfs.Withheld(op, t, w.rule)
	}
	switch {
	case err == errOutside, err == unix.EXDEV && len(f.roots) > 0:
		return f.outside(t.Path)
	case err == unix.EISDIR:
		return vfs.NotRegular(op, t)
	case err == unix.ELOOP:
		return &vfs.Error{Op: op, Path: t.Path, Code: vfs.CodeIOError,
			Msg: "the path was changed while it was being opened; try again", Err: err}
	}
	return ioError(op, t.Path, err)
}

func (f *FS) stat(op string, t vfs.Target) (vfs.Info, error) {
	fd, err := f.handle(t.Key, 0)
	if err != nil {
		return vfs.Info{}, f.statError(op, t, err)
	}
	defer unix.Close(fd)
	info, err := statHandle(fd, t)
	if err == nil && info.Type == vfs.TypeSymlink {
		return vfs.Info{}, f.openError(op, t, unix.ELOOP)
	}
	return info, err
}

// lstat describes the name itself.
func (f *FS) lstat(t vfs.Target) (vfs.Info, error) {
	fd, err := f.handle(t.Key, 0)
	if err != nil {
		return vfs.Info{}, f.statError("stat", t, err)
	}
	defer unix.Close(fd)
	return statHandle(fd, t)
}

// statError gives one answer for all that is not there.
func (f *FS) statError(op string, t vfs.Target, err error) error {
	if err == unix.ENOENT || err == unix.ENOTDIR {
		return vfs.NotFound(op, t)
	}
	return f.openError(op, t, err)
}

func statHandle(fd int, t vfs.Target) (vfs.Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return vfs.Info{}, ioError("stat", t.Path, err)
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) vfs.Info {
	info := vfs.Info{Type: vfs.TypeOther, Size: st.Size}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		info.Type = vfs.TypeFile
	case unix.S_IFDIR:
		info.Type = vfs.TypeDirectory
	case unix.S_IFLNK:
		info.Type = vfs.TypeSymlink
	}
	return info
}

// open opens what the handle shows to be a regular file, and nothing else, so that no
// FIFO's other end and no device notices.
func (f *FS) open(t vfs.Target) (*file, error) {
	handle, err := f.handle(t.Key, 0)
	if err != nil {
		return nil, f.statError("read", t, err)
	}
	defer unix.Close(handle)
	var st unix.Stat_t
	if err := unix.Fstat(handle, &st); err != nil {
		return nil, ioError("read", t.Path, err)
	}
	fstype := f.filesystem(handle, st.Dev)
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, vfs.NotRegular("read", t)
	case f.discloses(fstype, handle):
		return nil, systemFile("read", t)
	}
	fd, err := f.reopen(handle, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return nil, ioError("read", t.Path, err)
	}
	return &file{fd: fd, target: t, info: infoOf(&st), onDisk: onDisk(fstype),
		proof: proof{before: st, fstype: fstype, fine: f.fineStamps}}, nil
}

// reopen really opens what a handle stands for.
func (s *system) reopen(handle, flags int) (int, error) {
	for {
		fd, err := unix.Openat(s.descriptors, strconv.Itoa(handle), flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// file is an open regular file.
type file struct {
	fd     int
	info   vfs.Info
	target vfs.Target
	proof  proof
	onDisk bool
	read   int64 // bytes read so far
}

// Proof implements vfs.Prover.
func (f *file) Proof() vfs.Proof { return f.proof.end(f.fd, time.Now()) }

// Info implements vfs.File.
func (f *file) Info() vfs.Info { return f.info }

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	f.proof.begin(f.fd)
	if f.onDisk && f.info.Size > 0 {
		// What grows faster than it is read must not be followed for ever. Only a disk
		// is believed about the size.
		if p = p[:min(int64(len(p)), f.info.Size-f.read)]; len(p) == 0 {
			return 0, io.EOF
		}
	}
	for {
		n, err := unix.Read(f.fd, p)
		f.read += int64(max(n, 0))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, ioError("read", f.target.Path, err)
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		m, err := atomicfile.Kernel{}.ReadAt(f.fd, p[n:], at+int64(n))
		switch {
		case err != nil:
			return n, ioError("read", f.target.Path, err)
		case m == 0:
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

// Close implements io.Closer.
func (f *file) Close() error { return unix.Close(f.fd) }

// directory is an open directory that is being read.
type directory struct {
	fs     *FS
	fd     int
	target vfs.Target
	filter *childFilter
	buf    []byte
}

func (f *FS) openDir(t vfs.Target) (*directory, error) {
	handle, err := f.handle(t.Key, 0)
	if err != nil {
		return nil, f.statError("list", t, err)
	}
	defer unix.Close(handle)
	info, err := statHandle(handle, t)
	switch {
	case err != nil:
		return nil, err
	case info.Type != vfs.TypeDirectory:
		return nil, &vfs.Error{Op: "list", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
	}
	// By its own name in the kernel, since "." would ask for the permission to search.
	fd, err := f.reopen(handle, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, ioError("list", t.Path, err)
	}
	return &directory{fs: f, fd: fd, target: t, filter: f.childrenOf(t.Key), buf: make([]byte, 64<<10)}, nil
}

// Close implements io.Closer.
func (d *directory) Close() error { return unix.Close(d.fd) }

// next gives some more entries, none at the end.
func (d *directory) next(ctx context.Context) (entries []vfs.Entry, err error) {
	for len(entries) == 0 {
		n, err := unix.Getdents(d.fd, d.buf)
		if err != nil {
			return nil, ioError("list", d.target.Path, err)
		}
		if n == 0 {
			return nil, nil
		}
		for raw, kind := range dirents(d.buf[:n]) {
			name := string(raw)
			e := vfs.Entry{Name: name, Type: d.fs.entryType(ctx, d.fd, d.target, name, kind)}
			if !d.filter.withheld(name, e.Type == vfs.TypeDirectory) {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}
