package search

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolfs/toolfs/vfs"
)

// counts is what a search did not look into. Safe for concurrent use.
type counts struct {
	binary, undecodable, withheld, hidden, ignored atomic.Int64

	mu         sync.Mutex
	unreadable int
	paths      []string // the first few of those, in order
}

// maxPaths is how many unreadable paths a report names.
const maxPaths = 3

// failed counts what could not be read. What has vanished, or turned out to be something
// else than its directory said, is no loss.
func (c *counts) failed(path string, err error) {
	switch vfs.CodeOf(err) {
	case vfs.CodeAborted, vfs.CodeNotFound, vfs.CodeNotDirectory, vfs.CodeNotRegularFile:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unreadable++
	i, _ := slices.BinarySearch(c.paths, path)
	if i < maxPaths {
		c.paths = slices.Insert(c.paths, i, path)
		c.paths = c.paths[:min(len(c.paths), maxPaths)]
	}
}

func (c *counts) report() vfs.SearchReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	return vfs.SearchReport{
		Unreadable: c.unreadable, UnreadablePath: c.paths,
		Binary: int(c.binary.Load()), Undecodable: int(c.undecodable.Load()), Withheld: int(c.withheld.Load()),
		Hidden: int(c.hidden.Load()), Ignored: int(c.ignored.Load()),
	}
}
