//go:build !toolfs_portable

package localfs

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// put publishes data. The caller holds the critical section of the key.
func (f *FS) put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	return f.putInto(ctx, t, o, func(dir *parent, want *atomicfile.Digest) (atomicfile.Outcome, error) {
		switch {
		case want != nil:
			return f.replace(ctx, t, dir, data, *want)
		case o.If.Absent():
			return f.publisher.Create(ctx, dir.fd, dir.leaf, data)
		}
		return f.overwrite(ctx, dir, data)
	})
}

// putInto has publish called with the directory of t open, and nothing is published
// anywhere else. The digest is of the content that o demands, nil when it demands none.
func (f *FS) putInto(ctx context.Context, t vfs.Target, o vfs.PutOptions, publish func(*parent, *atomicfile.Digest) (atomicfile.Outcome, error)) (vfs.Info, error) {
	want, err := f.wanted(t, o.If)
	if err != nil {
		return vfs.Info{}, err
	}
	dir, err := f.openParent(t, want == nil, o.Sandbox)
	if err != nil {
		if want != nil && errors.Is(err, unix.ENOENT) {
			return vfs.Info{}, vfs.Gone("write", t)
		}
		return vfs.Info{}, f.parentError(t, err)
	}
	defer dir.close()
	f.collectOnce(dir)
	done, err := publish(dir, want)
	if done.Left {
		f.collected.forget(dir.fd)
	}
	if err != nil {
		dir.removeCreated()
		return vfs.Info{}, f.putError(ctx, t, err)
	}
	return f.published(done), nil
}

// parentError words a failure to reach the directory of a target.
func (f *FS) parentError(t vfs.Target, err error) error {
	if err == errSystemFile {
		return systemFile("write", t)
	}
	if e, ok := errors.AsType[*vfs.Error](err); ok {
		return e
	}
	return f.openError("write", t, err)
}

// published describes what was published as a reader will see it.
func (f *FS) published(done atomicfile.Outcome) vfs.Info {
	version := vfs.ContentVersion(done.Content.Size, done.Content.Sum)
	if done.Content.Size > f.options.MaxGuardedBytes {
		version = vfs.UnguardedVersion(done.Content.Size)
	}
	return vfs.Info{Type: vfs.TypeFile, Size: done.Content.Size, Version: version,
		Publication: vfs.Publication{Guarantee: vfs.Guarantee(done.Guarantee), NotDurable: done.NotDurable, LinkCount: done.Links}}
}

// wanted is the content that a condition demands, nil when it demands none.
func (f *FS) wanted(t vfs.Target, c vfs.Condition) (*atomicfile.Digest, error) {
	v, ok := c.Version()
	if !ok {
		return nil, nil
	}
	if size, unguarded := v.Unguarded(); unguarded {
		return nil, vfs.TooLarge("write", t, size, f.options.MaxGuardedBytes)
	}
	size, sum, ok := v.Digest()
	if !ok {
		return nil, vfs.Stale("write", t)
	}
	if size > f.options.MaxGuardedBytes {
		return nil, vfs.TooLarge("write", t, size, f.options.MaxGuardedBytes)
	}
	return &atomicfile.Digest{Size: size, Sum: sum}, nil
}

// replace publishes over the file, or into it where nothing else can take its name.
func (f *FS) replace(ctx context.Context, t vfs.Target, dir *parent, data []byte, want atomicfile.Digest) (atomicfile.Outcome, error) {
	done, err := f.publisher.Replace(ctx, dir.fd, dir.leaf, data, &want)
	if !atomicfile.CannotReplace(err) {
		return done, err
	}
	done, instead := f.publisher.InPlace(ctx, &f.journal, dir.fd, dir.leaf, t.Key, data, want)
	if errors.Is(instead, atomicfile.ErrNoJournal) || errors.Is(instead, atomicfile.ErrLinked) {
		return done, err // the first error says why it was tried
	}
	return done, instead
}

// overwrite creates or replaces, whichever the directory's content calls for at the
// moment of publication.
func (f *FS) overwrite(ctx context.Context, dir *parent, data []byte) (atomicfile.Outcome, error) {
	for try := 0; ; try++ {
		done, err := f.publisher.Replace(ctx, dir.fd, dir.leaf, data, nil)
		if err == atomicfile.ErrGone {
			done, err = f.publisher.Create(ctx, dir.fd, dir.leaf, data)
		}
		if err != atomicfile.ErrExists && err != atomicfile.ErrChanged || try == 5 {
			return done, err
		}
	}
}

func (f *FS) putError(ctx context.Context, t vfs.Target, err error) *vfs.Error {
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return vfs.Aborted("write", context.Cause(ctx))
	case err == atomicfile.ErrExists:
		return vfs.Exists(t)
	case err == atomicfile.ErrGone:
		return vfs.Gone("write", t)
	case errors.Is(err, atomicfile.ErrChanged):
		return stale(t, err)
	case err == atomicfile.ErrNotRegular:
		return vfs.NotRegular("write", t)
	case err == atomicfile.ErrLocked:
		return busy(t, "another process is changing files in its directory; nothing was changed, try again", err)
	case err == atomicfile.ErrInUse:
		return busy(t, "it can only be written in place, and another process has it open; nothing was changed, try again", err)
	case err == atomicfile.ErrOpen:
		return busy(t, "another process has it open for writing; nothing was changed, try again", err)
	}
	return f.openError("write", t, err)
}

func busy(t vfs.Target, why string, err error) *vfs.Error {
	return &vfs.Error{Op: "write", Path: t.Path, Code: vfs.CodeBusy, Msg: why, Err: err}
}

// stale says that the file changed, and where a change was kept that met ours.
func stale(t vfs.Target, err error) *vfs.Error {
	e := vfs.Stale("write", t)
	if c, ok := errors.AsType[*atomicfile.ConflictError](err); ok {
		e.Msg += "; what another process wrote meanwhile is kept beside it as " + vfs.QuotePath(c.Name)
	}
	e.Err = err
	return e
}

// parent is the open directory that a target lies in.
type parent struct {
	fd      int
	leaf    string
	created []created // directories made on the way, outermost first
}

// created is a directory that was made, by the open directory it was made in.
type created struct {
	in   int
	name string
}

func (p *parent) close() {
	unix.Close(p.fd)
	for _, c := range p.created {
		unix.Close(c.in)
	}
}

// removeCreated removes what was made for a publication that then failed; what
// somebody uses by now is not empty and stays.
func (p *parent) removeCreated() {
	for i := len(p.created) - 1; i >= 0; i-- {
		if unix.Unlinkat(p.created[i].in, p.created[i].name, unix.AT_REMOVEDIR) != nil {
			return
		}
	}
}

// openParent opens the directory of a target, and with create set makes what is
// missing on the way, each directory in the one that was just opened. Before anything is
// made, the fence judges where the opened directory is, whatever the target was called.
func (f *FS) openParent(t vfs.Target, create bool, policy sandbox.Policy) (*parent, error) {
	path, leaf := filepath.Split(t.Key)
	path = filepath.Clean(path)
	if leaf == "" || f.isRoot(t.Key) {
		return nil, unix.EISDIR
	}
	fd, missing, err := f.openExisting(path, create)
	if err != nil {
		return nil, err
	}
	if err := f.fencedAt(t, fd, missing, leaf, policy); err != nil {
		unix.Close(fd)
		return nil, err
	}
	if steersSystem(fd) {
		unix.Close(fd)
		return nil, errSystemFile
	}
	p := &parent{fd: fd, leaf: leaf}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := p.enterNew(missing[i]); err != nil {
			p.removeCreated()
			p.close()
			return nil, err
		}
	}
	return p, p.makeLockable()
}

// fencedAt is the fence's decision about a file in an open directory, below directories
// that are yet to be made.
func (f *FS) fencedAt(t vfs.Target, dir int, missing []string, leaf string, policy sandbox.Policy) error {
	if f.fence == nil && f.withhold == nil {
		return nil
	}
	path, err := f.pathOf(dir)
	if err != nil {
		return err
	}
	for _, name := range slices.Backward(missing) {
		path = filepath.Join(path, name)
	}
	path = filepath.Join(path, leaf)
	if err := f.withheld(path, false); err != nil {
		return err
	}
	return f.fenced(t, path, policy)
}

// openExisting opens path, or with up set its nearest existing ancestor, and gives
// the names that are missing from there, innermost first.
func (f *FS) openExisting(path string, up bool) (fd int, missing []string, err error) {
	for {
		fd, err = f.handle(path, unix.O_DIRECTORY)
		if err != unix.ENOENT || !up || f.isRoot(path) || path == "/" {
			return fd, missing, err
		}
		missing = append(missing, filepath.Base(path))
		path = filepath.Dir(path)
	}
}

func (f *FS) isRoot(path string) bool {
	_, rel, ok := f.rootOf(path)
	return ok && rel == ""
}

// enterNew makes a directory, unless somebody else just did, and goes into it.
func (p *parent) enterNew(name string) error {
	err := unix.Mkdirat(p.fd, name, 0o777)
	if err != nil && err != unix.EEXIST {
		return err
	}
	made := err == nil
	fd, err := unix.Openat(p.fd, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		if made {
			unix.Unlinkat(p.fd, name, unix.AT_REMOVEDIR)
		}
		return err
	}
	if made {
		p.created = append(p.created, created{in: p.fd, name: name})
	} else {
		unix.Close(p.fd)
	}
	p.fd = fd
	return nil
}

// makeLockable turns the handle into an open directory, which can be locked and
// synced. Without permission to read it the handle has to do.
func (p *parent) makeLockable() error {
	fd, err := unix.Openat(p.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == unix.EACCES {
		return nil
	}
	if err != nil {
		p.close()
		return err
	}
	unix.Close(p.fd)
	p.fd = fd
	return nil
}
