//go:build !toolfs_portable

package localfs

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/toolfs/toolfs/vfs"
)

// An edit that nobody waits for any more keeps others from the file until it is over.
func TestALargeEditThatWasLeftBehindKeepsItsTurn(t *testing.T) {
	p := newPlace(t)
	content := bytes.Repeat([]byte("text\n"), vfs.LargeEdit/4)
	p.file("f", "unique\n"+string(content))
	entered, release := make(chan struct{}), make(chan struct{})
	p.spy.before = at("opentemp", 1, func() error {
		close(entered)
		<-release
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	_, err := vfs.EditText(ctx, p.fs, p.target("f"), vfs.Edit{Old: "unique", New: "changed"}, vfs.EditOptions{})
	p.code(err, vfs.CodeAborted)

	// A free lock would be had at once.
	waiting, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if unlock, err := p.fs.locks.Lock(waiting, p.path("f")); err == nil {
		unlock()
		t.Error("another change can begin while the edit is still under way")
	}
	close(release)
	_, err = p.put(t.Context(), "f", newText, vfs.Condition{})
	p.must(err)
	p.holds("f", newText)
	p.only("f")
}

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
