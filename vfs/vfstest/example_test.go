package vfstest_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/vfs/vfstest"
)

// A new provider is proved by telling how to make one. In a test that is one call,
// vfstest.Run(t, config); every case is then a subtest.
func Example() {
	config := vfstest.Config{Name: "shelf", New: func(testing.TB) vfstest.World {
		return vfstest.World{Provider: &shelf{}, Root: "/"}
	}}
	report := vfstest.Check(config)
	for _, r := range report.Failed() {
		fmt.Println(r, r.Failures)
	}
	fmt.Println(len(report.Failed()), "cases failed")
	// Output: 0 cases failed
}

// shelf is a provider over a flat store of objects, in which directories are nothing but
// the beginnings of names.
type shelf struct {
	mu      sync.Mutex
	objects map[string]string
}

func aborted(ctx context.Context, verb string) error {
	if ctx.Err() == nil {
		return nil
	}
	return vfs.Aborted(verb, context.Cause(ctx))
}

func (s *shelf) Resolve(ctx context.Context, base, name string) (vfs.Target, error) {
	if err := aborted(ctx, "resolve"); err != nil {
		return vfs.Target{}, err
	}
	asked := name
	if !path.IsAbs(name) {
		asked = base + "/" + name
	}
	key := path.Join("/", asked)
	t := vfs.Target{Key: key, Path: key}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, isFile := s.objects[key]
	last := asked[strings.LastIndexByte(asked, '/')+1:]
	switch {
	case strings.TrimSpace(name) == "":
		return vfs.Target{}, &vfs.Error{Code: vfs.CodeNotFound, Msg: "the name is blank"}
	case strings.Contains(name, "\x00"):
		return t, &vfs.Error{Op: "resolve", Path: key, Code: vfs.CodeIOError, Msg: "the name holds a NUL character"}
	case s.belowFile(key), (last == "" || last == ".") && (isFile || !s.isDir(key)):
		return t, &vfs.Error{Op: "resolve", Path: key, Code: vfs.CodeNotFound, Msg: "there is no such directory"}
	}
	return t, nil
}

// children gives the names below a directory; the caller holds the lock.
func (s *shelf) children(dir string) map[string]vfs.Type {
	prefix := strings.TrimSuffix(dir, "/") + "/"
	found := map[string]vfs.Type{}
	for key := range s.objects {
		if rest, below := strings.CutPrefix(key, prefix); below {
			name, _, deeper := strings.Cut(rest, "/")
			if found[name] = vfs.TypeFile; deeper {
				found[name] = vfs.TypeDirectory
			}
		}
	}
	return found
}

func (s *shelf) isDir(key string) bool { return key == "/" || len(s.children(key)) > 0 }

func (s *shelf) belowFile(key string) bool {
	for dir := path.Dir(key); dir != "/"; dir = path.Dir(dir) {
		if _, isFile := s.objects[dir]; isFile {
			return true
		}
	}
	return false
}

func (s *shelf) Stat(ctx context.Context, t vfs.Target) (vfs.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, isFile := s.objects[t.Key]
	switch err := aborted(ctx, "stat"); {
	case err != nil:
		return vfs.Info{}, err
	case isFile:
		return vfs.Info{Type: vfs.TypeFile, Size: int64(len(data)), Version: vfs.VersionOf([]byte(data))}, nil
	case s.isDir(t.Key):
		return vfs.Info{Type: vfs.TypeDirectory, Size: -1}, nil
	}
	return vfs.Info{}, vfs.NotFound("stat", t)
}

type object struct {
	*bytes.Reader
	info vfs.Info
}

func (o object) Info() vfs.Info { return o.info }
func (o object) Close() error   { return nil }

func (s *shelf) Open(ctx context.Context, t vfs.Target) (vfs.File, error) {
	info, err := s.Stat(ctx, t)
	switch {
	case err != nil:
		return nil, vfs.WithOp(err, "read")
	case info.Type != vfs.TypeFile:
		return nil, vfs.NotRegular("read", t)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data := []byte(s.objects[t.Key])
	return object{bytes.NewReader(data), vfs.Info{Type: vfs.TypeFile, Size: int64(len(data)), Version: vfs.VersionOf(data)}}, nil
}

func (s *shelf) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	return func(yield func(vfs.Entry, error) bool) {
		s.mu.Lock()
		found := s.children(t.Key)
		_, isFile := s.objects[t.Key]
		s.mu.Unlock()
		var err error
		switch {
		case isFile:
			err = &vfs.Error{Op: "list", Path: t.Path, Code: vfs.CodeNotDirectory, Msg: "not a directory"}
		case len(found) == 0 && t.Key != "/":
			err = vfs.NotFound("list", t)
		}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if err = aborted(ctx, "list"); err != nil || !yield(vfs.Entry{Name: name, Type: found[name]}, nil) {
				break
			}
		}
		if failed := aborted(ctx, "list"); failed != nil {
			err = failed
		}
		if err != nil {
			yield(vfs.Entry{}, err)
		}
	}
}

func (s *shelf) Put(ctx context.Context, t vfs.Target, data []byte, o vfs.PutOptions) (vfs.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, exists := s.objects[t.Key]
	want, guarded := o.If.Version()
	size, unguarded := want.Unguarded()
	switch err := aborted(ctx, "write"); {
	case err != nil:
		return vfs.Info{}, err
	case unguarded:
		return vfs.Info{}, vfs.TooLarge("write", t, size, vfs.DefaultMaxGuardedBytes)
	case !exists && s.isDir(t.Key):
		return vfs.Info{}, vfs.NotRegular("write", t)
	case s.belowFile(t.Key):
		return vfs.Info{}, vfs.NotFound("write", t)
	case o.If.Absent() && exists:
		return vfs.Info{}, vfs.Exists(t)
	case guarded && !exists:
		return vfs.Info{}, vfs.Gone("write", t)
	case guarded && want != vfs.VersionOf([]byte(old)):
		return vfs.Info{}, vfs.Stale("write", t)
	}
	if s.objects == nil {
		s.objects = map[string]string{}
	}
	s.objects[t.Key] = string(data)
	return vfs.Info{Type: vfs.TypeFile, Size: int64(len(data)), Version: vfs.VersionOf(data)}, nil
}
