package vfstest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// recorder is the testing.TB of one case. It keeps the failures, so that the same case
// can be run in a test, outside of one, and against a provider that is meant to fail.
type recorder struct {
	testing.TB // of the test around it, for what is no verdict; nil outside of one

	name   string
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	failures []string
	failed   bool
	cleanups []func()
}

func newRecorder(outer testing.TB, name string) *recorder {
	r := &recorder{TB: outer, name: name}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// finish ends the case: a panic is a failure, then everything is cleaned up. It must be
// deferred.
func (r *recorder) finish() {
	if v := recover(); v != nil {
		r.Errorf("panic: %v\n%s", v, debug.Stack())
	}
	r.cancel()
	for {
		r.mu.Lock()
		n := len(r.cleanups)
		if n == 0 {
			r.mu.Unlock()
			return
		}
		last := r.cleanups[n-1]
		r.cleanups = r.cleanups[:n-1]
		r.mu.Unlock()
		last()
	}
}

// seen gives the failures so far; a case that failed without a word has one too.
func (r *recorder) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed && len(r.failures) == 0 {
		return []string{"failed"}
	}
	return append([]string(nil), r.failures...)
}

func (r *recorder) fail(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
	if text != "" {
		r.failures = append(r.failures, strings.TrimSuffix(text, "\n"))
	}
}

func (r *recorder) Name() string             { return r.name }
func (r *recorder) Context() context.Context { return r.ctx }
func (r *recorder) Helper()                  {}

func (r *recorder) Error(args ...any)            { r.fail(fmt.Sprintln(args...)) }
func (r *recorder) Errorf(f string, args ...any) { r.fail(fmt.Sprintf(f, args...)) }
func (r *recorder) Fail()                        { r.fail("") }

func (r *recorder) FailNow() {
	r.fail("")
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(f string, args ...any) {
	r.Errorf(f, args...)
	runtime.Goexit()
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// A case that is skipped proves nothing, so it fails.

func (r *recorder) Skip(args ...any)            { r.Fatal("a case must not be skipped:", fmt.Sprint(args...)) }
func (r *recorder) Skipf(f string, args ...any) { r.Skip(fmt.Sprintf(f, args...)) }
func (r *recorder) SkipNow()                    { r.Skip() }
func (r *recorder) Skipped() bool               { return false }

func (r *recorder) Log(args ...any) {
	if r.TB != nil {
		r.TB.Log(args...)
	}
}

func (r *recorder) Logf(f string, args ...any) { r.Log(fmt.Sprintf(f, args...)) }

func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

func (r *recorder) TempDir() string {
	dir, err := os.MkdirTemp("", "vfstest")
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			r.Error(err)
		}
	})
	return dir
}
