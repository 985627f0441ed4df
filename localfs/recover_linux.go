//go:build !toolfs_portable

package localfs

import (
	"context"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

// journalDir is the directory of the journal, "" when there is no place for one.
func journalDir(state string) string {
	if state = stateDir(state); state == "" {
		return ""
	}
	return filepath.Join(state, "journal")
}

// start undoes what a killed process was writing in place, in files that this provider
// serves. The others' entries stay for a provider that serves them.
func (f *FS) start() { f.publisher.Recover(&f.journal, f.openWrite) }

func (f *FS) openWrite(key string) (int, error) {
	handle, err := f.handle(key, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(handle)
	return f.publisher.Sys.OpenWrite(handle)
}

// collectedDirs remembers which directories this provider has cleaned up already.
type collectedDirs struct {
	mu   sync.Mutex
	done map[[2]uint64]bool
}

// maxCollected bounds that memory; beyond it a directory may be looked at again.
const maxCollected = 4096

// first reports whether the directory was not cleaned up yet, and notes that it is.
func (c *collectedDirs) first(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	id := [2]uint64{st.Dev, st.Ino}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done[id] {
		return false
	}
	if c.done == nil || len(c.done) >= maxCollected {
		c.done = map[[2]uint64]bool{}
	}
	c.done[id] = true
	return true
}

// forget makes the next publication in the directory clean up again.
func (c *collectedDirs) forget(fd int) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.done, [2]uint64{st.Dev, st.Ino})
	}
}

// collectOnce cleans a directory up before the first publication in it.
func (f *FS) collectOnce(dir *parent) {
	if f.collected.first(dir.fd) {
		f.publisher.Collect(dir.fd)
	}
}

// Collected counts what Collect found: files that were never published or that were
// replaced (Removed), and changes of others that a killed process had taken out, given
// their name back (Restored) or kept beside it (Recovered).
type Collected = atomicfile.Collected

// Collect removes from a directory what killed processes left of their publications.
// Every first publication of a provider in a directory does so anyway; this is for
// whoever wants to see a directory clean now.
func (f *FS) Collect(ctx context.Context, t vfs.Target) (Collected, error) {
	return patient(ctx, f, "list", "list", t, putGrace, func() (c Collected, err error) {
		dir, err := f.openDir(t)
		if err != nil {
			return c, err
		}
		defer dir.Close()
		if c, err = f.publisher.Collect(dir.fd); err != nil {
			return c, ioError("list", t.Path, err)
		}
		return c, nil
	})
}
