package vfstest_test

import (
	"bytes"
	"context"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/toolfs/toolfs/vfs"
)

// onStat breaks what Stat says of what is there.
func onStat(change func(*broken, vfs.Target, vfs.Info) vfs.Info) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
			info, err := b.fs.Stat(ctx, t)
			if err == nil {
				info = change(b, t, info)
			}
			return info, err
		}
		return nil
	}
}

func statMutants() []mutant {
	return []mutant{
		{name: "size in characters", kills: []string{"Stat/file"}, breaks: onStat(func(b *broken, t vfs.Target, i vfs.Info) vfs.Info {
			i.Size = int64(utf8.RuneCountInString(b.content(t.Key)))
			return i
		})},
		{name: "a directory is other", kills: []string{"Stat/directory"}, breaks: onStat(func(_ *broken, _ vfs.Target, i vfs.Info) vfs.Info {
			if i.Type == vfs.TypeDirectory {
				i.Type = vfs.TypeOther
			}
			return i
		})},
		{name: "version from the size, in Stat", kills: []string{"Stat/version"}, breaks: onStat(func(_ *broken, _ vfs.Target, i vfs.Info) vfs.Info {
			i.Version = vfs.Version("stat." + strconv.FormatInt(i.Size, 10))
			return i
		})},
		{name: "a FIFO is a file", kills: []string{"Stat/special"}, breaks: onStat(func(_ *broken, _ vfs.Target, i vfs.Info) vfs.Info {
			if i.Type == vfs.TypeOther {
				i.Type = vfs.TypeFile
			}
			return i
		})},
		{name: "what is missing is no error", kills: []string{"Stat/missing"}, breaks: func(b *broken) vfs.Provider {
			b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
				info, err := b.fs.Stat(ctx, t)
				if missing(err) {
					return vfs.Info{}, nil
				}
				return info, err
			}
			return nil
		}},
		{name: "what is missing is not fs.ErrNotExist", kills: []string{"Stat/missing"}, breaks: func(b *broken) vfs.Provider {
			b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
				info, err := b.fs.Stat(ctx, t)
				if missing(err) {
					err = failure("stat", t, vfs.CodeIOError, "no such file or directory")
				}
				return info, err
			}
			return nil
		}},
		{name: "what is below a file is an I/O error", kills: []string{"Stat/below-a-file"}, breaks: func(b *broken) vfs.Provider {
			b.stat = func(ctx context.Context, t vfs.Target) (vfs.Info, error) {
				if b.isFile(path.Dir(t.Key)) {
					return vfs.Info{}, failure("stat", t, vfs.CodeIOError, "not a directory")
				}
				return b.fs.Stat(ctx, t)
			}
			return nil
		}},
		{name: "Lstat follows links", kills: []string{"Stat/lstat"}, breaks: func(b *broken) vfs.Provider {
			b.lstat = func(ctx context.Context, base, name string) (vfs.Info, error) {
				t, err := b.fs.Resolve(ctx, base, name)
				if err != nil {
					return vfs.Info{}, err
				}
				return b.fs.Stat(ctx, t)
			}
			return nil
		}},
	}
}

// onOpen breaks the files that are opened.
func onOpen(change func(*broken, vfs.Target, vfs.File) vfs.File) func(*broken) vfs.Provider {
	return func(b *broken) vfs.Provider {
		b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
			f, err := b.fs.Open(ctx, t)
			if err != nil {
				return nil, err
			}
			return change(b, t, f), nil
		}
		return nil
	}
}

// reading is a file that reads in another way.
type reading struct {
	vfs.File
	read func(p []byte) (int, error)
}

func (r reading) Read(p []byte) (int, error) { return r.read(p) }

// translated is a file whose bytes went through a function.
func translated(change func([]byte) []byte) func(*broken, vfs.Target, vfs.File) vfs.File {
	return func(_ *broken, _ vfs.Target, f vfs.File) vfs.File {
		data, err := io.ReadAll(f)
		if err != nil {
			panic(err)
		}
		return reading{f, bytes.NewReader(change(data)).Read}
	}
}

func openMutants() []mutant {
	empty := func(codes ...vfs.Code) func(*broken) vfs.Provider {
		return func(b *broken) vfs.Provider {
			b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
				f, err := b.fs.Open(ctx, t)
				for _, code := range codes {
					if vfs.CodeOf(err) == code {
						return nothing{}, nil
					}
				}
				return f, err
			}
			return nil
		}
	}
	return []mutant{
		{name: "Open drops a byte order mark", kills: []string{"Open/exact-bytes", "Put/exact-bytes"}, breaks: onOpen(translated(func(data []byte) []byte {
			return bytes.TrimPrefix(data, []byte("\ufeff"))
		}))},
		{name: "Open turns CRLF into LF", kills: []string{"Open/exact-bytes", "Text/as-it-is", "Edit/byte-for-byte"}, breaks: onOpen(translated(func(data []byte) []byte {
			return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		}))},
		{name: "Open begins anew at the end", kills: []string{"Open/exact-bytes"}, breaks: onOpen(func(b *broken, t vfs.Target, f vfs.File) vfs.File {
			content := strings.NewReader(b.content(t.Key))
			return reading{f, func(p []byte) (int, error) {
				n, err := content.Read(p)
				if err == io.EOF {
					content.Seek(0, io.SeekStart)
				}
				return n, err
			}}
		})},
		{name: "a byte is lost between two blocks", kills: []string{"Text/streamed", "Open/exact-bytes"}, breaks: onOpen(func(_ *broken, _ vfs.Target, f vfs.File) vfs.File {
			return reading{f, func(p []byte) (int, error) {
				n, err := f.Read(p)
				f.Read(make([]byte, 1))
				return n, err
			}}
		})},
		{name: "sizes in blocks", kills: []string{"Open/info", "Text/byte-limit"}, breaks: onOpen(func(_ *broken, _ vfs.Target, f vfs.File) vfs.File {
			return changed{f, func(i vfs.Info) vfs.Info { i.Size = (i.Size + 511) / 512 * 512; return i }}
		})},
		{name: "an open file follows what is published", kills: []string{"Open/one-version"}, breaks: onOpen(func(b *broken, t vfs.Target, f vfs.File) vfs.File {
			at := 0
			return reading{f, func(p []byte) (int, error) {
				n := copy(p, b.content(t.Key)[at:])
				if at += n; n == 0 {
					return 0, io.EOF
				}
				return n, nil
			}}
		})},
		{name: "one file for all who open it", kills: []string{"Open/independent"}, breaks: func(b *broken) vfs.Provider {
			var files table[vfs.Target, vfs.File]
			b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
				if f, ok := files.get(t); ok {
					return f, nil
				}
				f, err := b.fs.Open(ctx, t)
				if err != nil {
					return nil, err
				}
				var mu sync.Mutex
				files.set(t, reading{unclosed{f}, func(p []byte) (int, error) {
					mu.Lock()
					defer mu.Unlock()
					return f.Read(p)
				}})
				shared, _ := files.get(t)
				return shared, nil
			}
			return nil
		}},
		{name: "a missing file is empty", kills: []string{"Open/missing"}, breaks: empty(vfs.CodeNotFound)},
		{name: "a directory is an empty file", kills: []string{"Open/directory"}, breaks: empty(vfs.CodeNotRegularFile)},
		{name: "Open of a FIFO waits for its other end", kills: []string{"Open/special"}, blocks: true, breaks: func(b *broken) vfs.Provider {
			b.open = func(ctx context.Context, t vfs.Target) (vfs.File, error) {
				if info, err := b.fs.Stat(ctx, t); err == nil && info.Type == vfs.TypeOther {
					<-b.ctx.Done()
				}
				return b.fs.Open(ctx, t)
			}
			return nil
		}},
	}
}

// unclosed stays open.
type unclosed struct{ vfs.File }

func (unclosed) Close() error { return nil }

type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
func (nothing) Close() error             { return nil }
func (nothing) Info() vfs.Info           { return vfs.Info{Type: vfs.TypeFile} }
