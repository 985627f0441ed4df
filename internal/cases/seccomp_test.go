//go:build linux

package cases_test

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noOpenat2 names the environment variable that makes this program run on a kernel that
// does not know openat2, as far as it can tell.
const noOpenat2 = "TOOLFS_TEST_NO_OPENAT2"

func init() {
	if os.Getenv(noOpenat2) != "" {
		if err := forbidOpenat2(); err != nil {
			panic(err)
		}
	}
}

// forbidOpenat2 has the kernel answer that there is no such call, on every thread and for
// good. The number of the call is the same on every architecture.
func forbidOpenat2() error {
	const loadNumber, equal, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	filter := []unix.SockFilter{
		{Code: loadNumber},
		{Code: equal, K: unix.SYS_OPENAT2, Jf: 1},
		{Code: give, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: give, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return errno
	}
	return nil
}
