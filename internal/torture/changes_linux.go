//go:build !toolfs_portable

package main

import (
	"errors"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

func changes() []change {
	return []change{
		{"open, write, close", false, writeShortly(0, nothing)},
		{"write, and the times set back", false, writeShortly(0, setBack)},
		{"write past the cache", false, writeShortly(unix.O_DIRECT, nothing)},
		{"write through a file open all along", true, writeLong},
		{"store into a mapping", true, storeMapped(false, false)},
		{"store into a mapping that is dirty", true, storeMapped(true, false)},
		{"store into a mapping that then ends", false, storeMapped(true, true)},
		{"rename, same size and time", false, swapFile(func(p *place, next string) error { return os.Rename(next, p.file(leaf)) })},
		{"removed and made again", false, swapFile(func(p *place, next string) error {
			// The inode is free before the next one is taken, and may be the same.
			return errors.Join(os.Remove(next), os.Remove(p.file(leaf)), os.WriteFile(p.file(leaf), hiddenContent('b'), 0o644))
		})},
	}
}

func nothing(*place, *unix.Stat_t) error { return nil }

// setBack gives the file the times that it had.
func setBack(p *place, st *unix.Stat_t) error {
	return unix.UtimesNanoAt(unix.AT_FDCWD, p.file(leaf), []unix.Timespec{st.Atim, st.Mtim}, 0)
}

func open(p *place, flags int) (int, error) {
	return unix.Open(p.file(leaf), unix.O_RDWR|unix.O_CLOEXEC|flags, 0)
}

// writeShortly opens the file only for the write, which is followed by what hides it.
func writeShortly(flags int, then func(*place, *unix.Stat_t) error) func(*place) (func() error, func(), error) {
	return func(p *place) (func() error, func(), error) {
		fd, err := open(p, flags) // whether it can be opened so at all
		if err != nil {
			return nil, nil, err
		}
		unix.Close(fd)
		var st unix.Stat_t
		if err := unix.Stat(p.file(leaf), &st); err != nil {
			return nil, nil, err
		}
		return func() error {
			fd, err := open(p, flags)
			if err != nil {
				return err
			}
			_, err = unix.Pwrite(fd, aligned(hiddenContent('b')), 0)
			return errors.Join(err, unix.Close(fd), then(p, &st))
		}, func() {}, nil
	}
}

// aligned is data where a write past the cache wants it.
func aligned(data []byte) []byte {
	buf := make([]byte, 2*hiddenSize)
	skip := hiddenSize - int(uintptr(unsafe.Pointer(&buf[0]))%hiddenSize)
	return buf[skip : skip+copy(buf[skip:], data)]
}

func writeLong(p *place) (func() error, func(), error) {
	fd, err := open(p, 0)
	if err != nil {
		return nil, nil, err
	}
	return func() error {
		_, err := unix.Pwrite(fd, []byte{'b'}, 17)
		return err
	}, func() { unix.Close(fd) }, nil
}

// storeMapped changes one byte without a system call; dirty is whether the page was
// written to before, and ends whether the mapping is gone when we look again.
func storeMapped(dirty, ends bool) func(*place) (func() error, func(), error) {
	return func(p *place) (func() error, func(), error) {
		fd, err := open(p, 0)
		if err != nil {
			return nil, nil, err
		}
		page, err := unix.Mmap(fd, 0, hiddenSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		unix.Close(fd)
		if err != nil {
			return nil, nil, err
		}
		if dirty {
			page[0] = 'a'
		}
		end := func() { unix.Munmap(page) }
		if ends {
			return func() error { page[17] = 'b'; return unix.Munmap(page) }, func() {}, nil
		}
		return func() error { page[17] = 'b'; return nil }, end, nil
	}
}

// swapFile makes another file, of the same size and times, take the name.
func swapFile(swap func(p *place, next string) error) func(*place) (func() error, func(), error) {
	return func(p *place) (func() error, func(), error) {
		next := filepath.Join(p.dir, "next")
		var st unix.Stat_t
		if err := errors.Join(unix.Stat(p.file(leaf), &st), os.WriteFile(next, hiddenContent('b'), 0o644)); err != nil {
			return nil, nil, err
		}
		return func() error { return errors.Join(swap(p, next), setBack(p, &st)) }, func() {}, nil
	}
}
