package wall

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
)

const (
	// granted is what may be done below a writable directory: what publication needs, also
	// to give back what somebody else put in its way. Names never move between
	// directories, and devices are not made.
	granted landlock.AccessFSSet = ll.AccessFSWriteFile | ll.AccessFSTruncate |
		ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSMakeSym | ll.AccessFSMakeFifo | ll.AccessFSMakeSock |
		ll.AccessFSRemoveFile | ll.AccessFSRemoveDir
	// handled is what is forbidden everywhere else.
	handled = granted | ll.AccessFSMakeChar | ll.AccessFSMakeBlock | ll.AccessFSRefer
)

// ABI is the version of Landlock that the kernel has, 0 without it.
func ABI() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

const noLandlock = "the kernel has no Landlock, or it was not enabled when it booted"

// Self puts the wall around this process, for good and in all its threads: from now on
// it changes files below the writable directories of the standing mode of fs only, below
// its state directory, and below the further directories given. Made after fs, which has
// then undone what a killed process left. Without Landlock nothing happens, and the
// Status says so; an error leaves the process as it was.
//
// Where a later call is to do more than the standing mode, that fails from now on. A
// writable directory that does not exist yet, or is made anew later, is not writable.
func Self(fs *localfs.FS, further ...string) (Status, error) {
	policy := fs.EffectivePolicy(sandbox.Policy{})
	switch {
	case policy.Mode == "":
		return Status{ABI: ABI(), Why: "no sandbox mode is in force"}, nil
	case policy.Mode == sandbox.DangerFullAccess:
		return Status{ABI: ABI(), Why: "danger-full-access mode restricts no change"}, nil
	}
	paths := writable(fs, policy)
	for _, dir := range further {
		paths = append(paths, canonical(dir))
	}
	dirs, err := openPlain(paths)
	if err != nil {
		return Status{ABI: ABI()}, err
	}
	defer closeAll(dirs)
	return confine(dirs)
}

// writable is the directories that a process may write which does the writing of a policy.
func writable(fs *localfs.FS, p sandbox.Policy) []string {
	dirs := fs.WritableRoots(p)
	state := fs.Options().StateDir
	if len(dirs) == 0 || state == "" {
		return dirs
	}
	// The journal must be there before the wall is: afterwards nobody could make it. If it
	// cannot be made, nothing is written in place, as without the wall.
	if os.MkdirAll(state, 0o700) != nil {
		return dirs
	}
	return append(dirs, canonical(state))
}

// canonical is where a path of the caller's own leads, or the path itself if nowhere.
func canonical(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

// openPlain opens directories as mere handles, by canonical paths: no link is followed.
// What is missing or is no directory is left out.
func openPlain(paths []string) (dirs []*os.File, err error) {
	for _, path := range paths {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS})
		switch {
		case errors.Is(err, fs.ErrNotExist), err == unix.ENOTDIR:
			continue
		case err != nil:
			closeAll(dirs)
			return nil, fmt.Errorf("wall: cannot open the writable directory %s: %w", path, err)
		}
		dirs = append(dirs, os.NewFile(uintptr(fd), path))
	}
	return dirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// confine forbids this process every change but below the open directories.
func confine(dirs []*os.File) (Status, error) {
	s := Status{ABI: ABI()}
	if s.ABI < 1 {
		s.Why = noLandlock
		return s, nil
	}
	var rules []landlock.Rule
	for _, d := range dirs {
		rules = append(rules, landlock.PathAccess(granted, procFD(d)))
	}
	if err := (landlock.Config{HandledAccessFS: handled}).BestEffort().RestrictPaths(rules...); err != nil {
		s.Why = "Landlock could not be used"
		return s, fmt.Errorf("wall: %w", err)
	}
	s.Confined = true
	s.Why = "the kernel keeps the process that writes from changing anything outside the writable directories"
	if s.ABI < 3 {
		s.Why += "; but files can be truncated there, which Landlock covers from version 3 on"
	}
	return s, nil
}

// procFD is the name by which exactly this open directory is opened again.
func procFD(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
