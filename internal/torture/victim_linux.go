//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/vfs"
)

// beFlipped is the role of one who works confined while somebody swaps links: base,
// attack, for how long, and "stepwise" for a kernel without openat2 or naive for one who
// checks a path and then uses it. It says how many writes and reads went well, how many were refused, and how many read what is outside.
func beFlipped(args []string) error {
	at := arenaAt(args[0])
	a, err := attackNamed(args[1])
	if err != nil {
		return err
	}
	period, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	if args[3] == "stepwise" {
		if err := forbidOpenat2(); err != nil {
			return err
		}
	}
	disk, err := provider(at.ws, filepath.Join(at.base, "state"))
	if err != nil {
		return err
	}
	defer disk.Close()
	fmt.Println("ready")
	v := victim{disk: disk}
	v.round = v.everything
	if args[3] == naive {
		v.round = func(dir, _ string) error { return v.naively(filepath.Join(at.ws, dir), at.ws) }
	}
	for i, end := 0, time.Now().Add(period); time.Now().Before(end); i++ {
		for _, dir := range a.paths(at) {
			if err := v.round(dir, strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	fmt.Println(v.writes, v.reads, v.refused, v.secrets)
	return nil
}

type victim struct {
	disk                            vfs.Provider
	writes, reads, refused, secrets int
	round                           func(dir, unique string) error
}

// naively is the round of one who checks a path and then uses it.
func (v *victim) naively(dir, root string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !strings.HasPrefix(real, root) {
		v.refused++
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, "secret"))
	if string(data) == canary {
		v.secrets++
	}
	if err == nil {
		v.reads++
	}
	if os.WriteFile(filepath.Join(dir, "naive"), []byte(inside), 0o644) == nil {
		v.writes++
	}
	return nil
}

// everything writes and reads below a directory in all ways that the tools have.
func (v *victim) everything(dir, unique string) error {
	return errors.Join(
		v.write(dir+"/"+leaf, vfs.WriteOptions{}),
		v.edit(dir+"/"+leaf, unique),
		v.write(dir+"/new/"+unique+"/deep/x", vfs.WriteOptions{If: vfs.IfAbsent()}),
		v.write(dir+"/../beside", vfs.WriteOptions{}),
		v.read(dir+"/secret"),
		v.read(dir+"/"+leaf),
		v.read(dir+"/../secret"),
		v.list(dir))
}

func (v *victim) write(name string, o vfs.WriteOptions) error {
	ctx := context.Background()
	t, err := v.disk.Resolve(ctx, "", name)
	if err == nil {
		_, err = vfs.WriteText(ctx, v.disk, t, inside+name+time.Now().String(), o)
	}
	return v.count(&v.writes, err)
}

func (v *victim) edit(name, unique string) error {
	ctx := context.Background()
	t, err := v.disk.Resolve(ctx, "", name)
	if err == nil {
		_, err = vfs.EditText(ctx, v.disk, t, vfs.Edit{Old: "this may", New: "this, says " + unique + ", may"}, vfs.EditOptions{})
	}
	return v.count(&v.writes, err)
}

func (v *victim) read(name string) error {
	ctx := context.Background()
	t, err := v.disk.Resolve(ctx, "", name)
	var text string
	if err == nil {
		text, _, err = vfs.ReadText(ctx, v.disk, t)
	}
	if strings.Contains(text, canary) {
		v.secrets++
	}
	return v.count(&v.reads, err)
}

func (v *victim) list(name string) error {
	ctx := context.Background()
	t, err := v.disk.Resolve(ctx, "", name)
	if err == nil {
		_, err = vfs.ListDir(ctx, v.disk, t)
	}
	return v.count(&v.reads, err)
}

// count counts a success or a refusal. Whatever is refused must be so with a code.
func (v *victim) count(ok *int, err error) error {
	switch {
	case err == nil:
		*ok++
	case vfs.CodeOf(err) != "":
		v.refused++
	default:
		return err
	}
	return nil
}

// forbidOpenat2 makes this process one on a kernel that does not know the call, for good.
func forbidOpenat2() error {
	const (
		setModeFilter = 1
		allThreads    = 1 // SECCOMP_FILTER_FLAG_TSYNC
		allow         = 0x7fff0000
		fail          = 0x00050000
	)
	// The number of the call is the first word of what the filter gets, and the same on
	// every architecture that Go knows it on.
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_OPENAT2},
		{Code: unix.BPF_RET | unix.BPF_K, K: fail | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: allow},
	}
	// Both calls must come from one thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, allThreads, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	if _, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH}); err != unix.ENOSYS {
		return fmt.Errorf("openat2 is still there: %v", err)
	}
	return nil
}
