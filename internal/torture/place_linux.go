//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// place is where a program works: a directory, and beside it one for the provider's
// state. Remove takes everything away.
type place struct {
	base, dir, state string
}

// memory is a directory in memory, where that is a tmpfs.
const memory = "/dev/shm"

func newPlace(where string) (*place, error) {
	base, err := os.MkdirTemp(where, "toolfs-torture-")
	if err != nil {
		return nil, err
	}
	p := placeAt(base)
	return p, errors.Join(os.Mkdir(p.dir, 0o755), os.Mkdir(p.state, 0o700))
}

// placeAt is a place that exists, for a child that gets its base.
func placeAt(base string) *place {
	return &place{base: base, dir: filepath.Join(base, "ws"), state: filepath.Join(base, "state")}
}

func (p *place) remove() { os.RemoveAll(p.base) }

func (p *place) file(name string) string { return filepath.Join(p.dir, name) }

// provider is a fresh one, as after a restart: it recovers what it finds.
func (p *place) provider() (*localfs.FS, error) { return provider(p.dir, p.state) }

func provider(dir, state string) (*localfs.FS, error) {
	return localfs.Root([]string{dir}, localfs.Options{StateDir: state})
}

// restart makes a fresh provider, which recovers, and collects in the directory. It
// gives what of a publication is left after that.
func (p *place) restart(ctx context.Context) (left int, err error) {
	fs, err := p.provider()
	if err != nil {
		return 0, err
	}
	defer fs.Close()
	t, err := fs.Resolve(ctx, "", ".")
	if err != nil {
		return 0, err
	}
	if _, err := fs.Collect(ctx, t); err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(filepath.Join(p.state, "journal"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	return residue(p.dir) + len(entries), nil
}

// residue counts the temporary names of publications in a directory.
func residue(dir string) int {
	entries, _ := os.ReadDir(dir)
	n := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), atomicfile.TempPrefix) {
			n++
		}
	}
	return n
}

// target resolves a name that must be one.
func target(ctx context.Context, fs vfs.Provider, name string) (vfs.Target, error) {
	t, err := fs.Resolve(ctx, "", name)
	if err != nil {
		return t, fmt.Errorf("resolving %q: %w", name, err)
	}
	return t, nil
}

// disk is a file system of our own in a file, on a loop device that goes with it.
type disk struct {
	image, at string
}

// newDisk makes a file system with a mkfs command, to which the image's name is added.
func newDisk(ctx context.Context, p *place, megabytes int64, mkfs ...string) (*disk, error) {
	d := &disk{image: filepath.Join(p.base, "image"), at: p.dir}
	f, err := os.Create(d.image)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Truncate(megabytes<<20), f.Close()); err != nil {
		return nil, err
	}
	if err := execute(ctx, append(mkfs, d.image)...); err != nil {
		return nil, err
	}
	return d, d.mount(ctx)
}

func (d *disk) mount(ctx context.Context) error {
	if err := execute(ctx, "mount", "-o", "loop", d.image, d.at); err != nil {
		return err
	}
	// A mount that silently did not take place would let us fill somebody's disk.
	var above, here unix.Stat_t
	if err := errors.Join(unix.Stat(filepath.Dir(d.at), &above), unix.Stat(d.at, &here)); err != nil {
		return err
	}
	if above.Dev == here.Dev {
		return fmt.Errorf("%s is no mount point", d.at)
	}
	return nil
}

// unmount waits for what still holds the file system, and in the end lets go of it
// whenever that does.
func (d *disk) unmount() error {
	var err error
	for range 200 {
		if err = unix.Unmount(d.at, 0); err != unix.EBUSY {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	unix.Unmount(d.at, unix.MNT_DETACH)
	return err
}

func execute(ctx context.Context, line ...string) error {
	out, err := exec.CommandContext(ctx, line[0], line[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
