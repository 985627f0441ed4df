package vfs_test

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/toolfs/toolfs/vfs"
)

// memory is the smallest provider: the five methods and nothing else, so that every
// helper function has to compose them.
type memory struct {
	mu    sync.Mutex
	files map[string]string
	chunk int // bytes that one Read gives at most; 0 for all
	puts  int
	// before runs ahead of each Put, outside the lock, to change things under it.
	before func(n int)
}

func (m *memory) set(name, content string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]string{}
	}
	m.files[name] = content
}

func (m *memory) get(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.files[name]
	return s, ok
}

func (m *memory) Resolve(_ context.Context, base, name string) (vfs.Target, error) {
	if !strings.HasPrefix(name, "/") {
		name = path.Join("/", base, name)
	}
	return vfs.Target{Key: name, Path: name}, nil
}

func (m *memory) Stat(_ context.Context, t vfs.Target) (vfs.Info, error) {
	s, ok := m.get(t.Key)
	if !ok {
		return vfs.Info{}, vfs.NotFound("stat", t)
	}
	return vfs.Info{Type: vfs.TypeFile, Size: int64(len(s))}, nil
}

func (m *memory) Open(_ context.Context, t vfs.Target) (vfs.File, error) {
	s, ok := m.get(t.Key)
	if !ok {
		return nil, vfs.NotFound("read", t)
	}
	return &memoryFile{Reader: bytes.NewReader([]byte(s)), size: int64(len(s)), chunk: m.chunk}, nil
}

type memoryFile struct {
	*bytes.Reader
	size  int64
	chunk int
}

func (f *memoryFile) Read(p []byte) (int, error) {
	if f.chunk > 0 {
		p = p[:min(len(p), f.chunk)]
	}
	return f.Reader.Read(p)
}

func (f *memoryFile) Info() vfs.Info { return vfs.Info{Type: vfs.TypeFile, Size: f.size} }
func (f *memoryFile) Close() error   { return nil }

func (m *memory) ReadDir(_ context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	return func(yield func(vfs.Entry, error) bool) {
		m.mu.Lock()
		names := slices.Sorted(maps.Keys(m.files))
		m.mu.Unlock()
		for _, n := range names {
			if path.Dir(n) == t.Key && !yield(vfs.Entry{Name: path.Base(n), Type: vfs.TypeFile}, nil) {
				return
			}
		}
	}
}

func (m *memory) Put(_ context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	m.mu.Lock()
	m.puts++
	n, before := m.puts, m.before
	m.mu.Unlock()
	if before != nil {
		before(n)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, exists := m.files[t.Key]
	want, guarded := o.If.Version()
	switch {
	case o.If.Absent() && exists:
		return vfs.Info{}, vfs.Exists(t)
	case guarded && !exists:
		return vfs.Info{}, vfs.Gone("write", t)
	case guarded && vfs.VersionOf([]byte(old)) != want:
		return vfs.Info{}, vfs.Stale("write", t)
	}
	if m.files == nil {
		m.files = map[string]string{}
	}
	m.files[t.Key] = string(data)
	return vfs.Info{Type: vfs.TypeFile, Size: int64(len(data)), Version: vfs.VersionOf(data)}, nil
}
