//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
	"github.com/toolfs/toolfs/vfs"
)

// pollModes edits a file that is private, while a process looks at every name in its
// directory: none may ever have a mode that lets others in.
func pollModes(ctx context.Context, c config, r *report) error {
	p, err := newPlace(memory)
	if err != nil {
		return err
	}
	defer p.remove()
	// What is created with a mode too wide shall show.
	defer unix.Umask(unix.Umask(0))
	if err := os.WriteFile(p.file(leaf), []byte("number 0\n"+strings.Repeat("secret\n", 10_000)), 0o600); err != nil {
		return err
	}
	disk, err := p.provider()
	if err != nil {
		return err
	}
	defer disk.Close()
	poller, err := startChild(ctx, "modes", p.base)
	if err != nil {
		return err
	}
	defer poller.stop()
	if _, err := poller.line(); err != nil {
		return err
	}
	file, err := target(ctx, disk, leaf)
	if err != nil {
		return err
	}
	edits := c.count(1_000, 1_000)
	for i := range edits {
		e := vfs.Edit{Old: "number " + strconv.Itoa(i) + "\n", New: "number " + strconv.Itoa(i+1) + "\n"}
		if _, err := vfs.EditText(ctx, disk, file, e, vfs.EditOptions{}); err != nil {
			return err
		}
		if i%10 == 0 {
			time.Sleep(time.Millisecond) // on one processor the poller has to run too
		}
	}
	poller.stdin.Close()
	line, err := poller.line()
	if err != nil {
		_, failed := poller.wait()
		return errors.Join(err, failed)
	}
	var looks, temporary, wide int
	if _, err := fmt.Sscan(line, &looks, &temporary, &wide); err != nil {
		return err
	}
	r.say("edits", edits)
	r.atLeast("looks", looks, edits)
	r.say("looks at temporary names", temporary)
	r.none("modes wider than 0600", wide)
	r.none("residue", residue(p.dir))
	return nil
}

// watchModes is the role of the poller: base. It goes on until its input ends, and says
// how many names it looked at, how many of them were temporary, and how many had a mode
// too wide.
func watchModes(args []string) error {
	var ended atomic.Bool
	go func() {
		io.Copy(io.Discard, os.Stdin)
		ended.Store(true)
	}()
	fmt.Println("ready")
	p := placeAt(args[0])
	dir, err := os.Open(p.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	looks, temporary, wide := 0, 0, 0
	for !ended.Load() {
		if _, err := dir.Seek(0, io.SeekStart); err != nil {
			return err
		}
		names, err := dir.Readdirnames(-1)
		if err != nil {
			return err
		}
		for _, name := range append(names, leaf) {
			var st unix.Stat_t
			if unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
				continue
			}
			looks++
			if strings.HasPrefix(name, atomicfile.TempPrefix) {
				temporary++
			}
			if st.Mode&0o177 != 0 {
				wide++
			}
		}
	}
	fmt.Println(looks, temporary, wide)
	return nil
}
