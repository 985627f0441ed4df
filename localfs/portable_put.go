//go:build !linux || toolfs_portable

package localfs

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolfs/toolfs/vfs"
)

// put publishes by a temporary file in the same directory and a link or a rename.
// The version is verified right before that; between the two another process can
// still slip in, which the Linux provider closes and this one cannot.
func (f *FS) put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	if err := f.fenced(t, t.Key, o.Sandbox); err != nil {
		return vfs.Info{}, err
	}
	mode, err := f.check(t, o.If)
	if err != nil {
		return vfs.Info{}, err
	}
	p, err := f.place(t.Key)
	if err != nil {
		return vfs.Info{}, f.openError("write", t, err)
	}
	defer p.close()
	made, err := p.makeParents()
	if err == nil {
		err = f.publish(ctx, p, data, mode, func() error {
			_, err := f.check(t, o.If)
			return err
		})
	}
	if err != nil {
		p.removeMade(made)
		return vfs.Info{}, f.portablePutError(ctx, t, err)
	}
	version := vfs.NewHasher(f.options.MaxGuardedBytes)
	version.Write(data)
	return vfs.Info{Type: vfs.TypeFile, Size: version.Size(), Version: version.Version()}, nil
}

// check verifies the condition against the file as it is now, and gives its mode; 0
// means that there is none.
func (f *FS) check(t vfs.Target, c vfs.Condition) (fs.FileMode, error) {
	want, guarded := c.Version()
	if size, unguarded := want.Unguarded(); unguarded {
		return 0, vfs.TooLarge("write", t, size, f.options.MaxGuardedBytes)
	}
	old, err := f.open(t)
	switch {
	case errors.Is(err, fs.ErrNotExist) && guarded:
		return 0, vfs.Gone("write", t)
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, vfs.WithOp(err, "write")
	}
	defer old.Close()
	if c.Absent() {
		return 0, vfs.Exists(t)
	}
	if guarded {
		h := vfs.NewHasher(f.options.MaxGuardedBytes)
		if _, err := io.Copy(h, old); err != nil {
			return 0, vfs.WithOp(err, "write")
		}
		if h.Version() != want {
			return 0, vfs.Stale("write", t)
		}
	}
	return old.mode.Perm(), nil
}

// publish writes a temporary file and gives it the name: by a link when the name must
// be free (mode 0), by a rename otherwise.
func (f *FS) publish(ctx context.Context, p place, data []byte, mode fs.FileMode, verify func() error) error {
	temp := filepath.Join(filepath.Dir(p.rel), ".dshtx-"+rand.Text())
	perm := fs.FileMode(0o600)
	if mode == 0 {
		perm = 0o666
	}
	out, err := p.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer p.dir.Remove(temp)
	_, err = out.Write(data)
	if err == nil && mode != 0 {
		err = out.Chmod(mode)
	}
	if err == nil && !f.noSync {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close(), ctx.Err()); err != nil {
		return err
	}
	if err := verify(); err != nil {
		return err
	}
	if mode == 0 {
		err = p.dir.Link(temp, p.rel)
	} else {
		err = p.dir.Rename(temp, p.rel)
	}
	if err == nil && !f.noSync {
		p.syncDir()
	}
	return err
}

// syncDir makes the new name durable where the system can.
func (p place) syncDir() {
	if dir, err := p.dir.Open(filepath.Dir(p.rel)); err == nil {
		dir.Sync()
		dir.Close()
	}
}

// makeParents makes the directories that are missing and names them, outermost first.
func (p place) makeParents() (made []string, err error) {
	var missing []string
	for dir := filepath.Dir(p.rel); dir != "."; dir = filepath.Dir(dir) {
		if _, err := p.dir.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := p.dir.Mkdir(missing[i], 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return made, err
		} else if err == nil {
			made = append(made, missing[i])
		}
	}
	return made, nil
}

func (p place) removeMade(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if p.dir.Remove(made[i]) != nil {
			return
		}
	}
}

func (f *FS) portablePutError(ctx context.Context, t vfs.Target, err error) error {
	if e, ok := errors.AsType[*vfs.Error](err); ok {
		return e
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return vfs.Aborted("write", context.Cause(ctx))
	case errors.Is(err, fs.ErrExist):
		if info, statErr := f.stat("write", t); statErr == nil && info.Type != vfs.TypeFile {
			return vfs.NotRegular("write", t)
		}
		return vfs.Exists(t)
	}
	return f.openError("write", t, err)
}
