//go:build !toolfs_portable

package localfs

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

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
