//go:build !toolfs_portable

package localfs

import (
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

// A change that is refused because the file system does not answer gives its turn on.
func TestARefusedChangeGivesItsTurnOn(t *testing.T) {
	p := newPlace(t)
	p.file("f", oldText)
	var release []chan struct{}
	for range maxStuck {
		ch := make(chan struct{})
		p.fs.stalls.leave(p.dir, func() { <-ch })
		release = append(release, ch)
	}
	f := vfs.Target{Key: p.path("f"), Path: p.path("f")}
	_, err := p.fs.Put(t.Context(), f, []byte(newText), vfs.PutOptions{})
	p.code(err, vfs.CodeIOError)
	held, leave, err := p.fs.Exclusive(t.Context(), f)
	p.must(err)
	_, err = held.Put(t.Context(), f, []byte(newText), vfs.PutOptions{})
	p.code(err, vfs.CodeIOError)
	leave()
	for _, ch := range release {
		close(ch)
	}
	unlock, err := p.fs.locks.Lock(t.Context(), f.Key)
	p.must(err)
	unlock()
}
