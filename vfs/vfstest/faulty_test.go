package vfstest_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/vfs/vfstest"
)

var errFault = &vfs.Error{Op: "reach", Path: "/f", Code: vfs.CodeIOError, Msg: "the disk is gone"}

// files is memory that holds /f.
func files(t *testing.T, content string) (*memfs.FS, vfs.Target) {
	t.Helper()
	fs := memfs.New(memfs.Options{})
	if err := fs.WriteFile("/f", content); err != nil {
		t.Fatal(err)
	}
	target, err := fs.Resolve(t.Context(), "", "/f")
	if err != nil {
		t.Fatal(err)
	}
	return fs, target
}

// Without a fault the wrapper is a sound provider, and has no capability.
func TestFaultlessIsSound(t *testing.T) {
	vfstest.Run(t, vfstest.Config{New: func(t testing.TB) vfstest.World {
		fs := memfs.New(memfs.Options{})
		return vfstest.World{Provider: vfstest.Faulty(fs), Root: "/"}
	}})
	fs, target := files(t, "x")
	if _, ok := vfs.As[vfs.Unwrapper](vfstest.Faulty(fs)); ok {
		t.Error("it unwraps")
	}
	if _, ok := vfs.As[vfs.Exclusive](vfstest.Faulty(fs)); ok {
		t.Error("it gives away a capability")
	}
	f, err := vfstest.Faulty(fs).Open(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(f, []byte("x")); err != nil {
		t.Error(err)
	}
	f.Close()
}

func TestFaultsMeetTheCallsTheyName(t *testing.T) {
	fs, target := files(t, "x")
	p := vfstest.Faulty(fs, vfstest.Fault{At: vfstest.MethodStat, From: 2, For: 2, Err: errFault})
	var got []bool
	for range 5 {
		_, err := p.Stat(t.Context(), target)
		got = append(got, err == nil)
		if _, err := p.Resolve(t.Context(), "", "/f"); err != nil {
			t.Errorf("Resolve: %v", err)
		}
	}
	if want := [5]bool{true, false, false, true, true}; [5]bool(got) != want {
		t.Errorf("Stat went well: %v, want %v", got, want)
	}
	if p.Calls(vfstest.MethodStat) != 5 || p.Calls(vfstest.AnyMethod) != 10 || p.Fired() != 2 {
		t.Errorf("%d of %d calls, %d faults", p.Calls(vfstest.MethodStat), p.Calls(vfstest.AnyMethod), p.Fired())
	}
}

func TestBlockedCallsEndWithTheirContext(t *testing.T) {
	fs, target := files(t, "x")
	for _, m := range []vfstest.Method{vfstest.MethodOpen, vfstest.MethodRead} {
		p := vfstest.Faulty(fs, vfstest.Fault{At: m, Block: true})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, _, err := vfs.ReadText(ctx, p, target)
			ended <- err
		}()
		cancel()
		if err := <-ended; vfs.CodeOf(err) != vfs.CodeAborted {
			t.Errorf("a blocked %s ends with %v", m, err)
		}
	}
	if n := fs.OpenFiles(); n != 0 {
		t.Errorf("%d files are open", n)
	}
}

func TestBeforeAndAfterChangeTheWorld(t *testing.T) {
	fs, target := files(t, "old")
	write := func(content string) func() {
		return func() {
			if err := fs.WriteFile("/f", content); err != nil {
				t.Error(err)
			}
		}
	}
	p := vfstest.Faulty(fs, vfstest.Fault{At: vfstest.MethodPut, For: 1, Before: write("theirs")}, vfstest.Fault{At: vfstest.MethodPut, From: 2, After: write("later")})
	guard := vfs.WriteOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("old")))}
	if _, err := vfs.WriteText(t.Context(), p, target, "mine", guard); vfs.CodeOf(err) != vfs.CodeStaleVersion {
		t.Errorf("a change right before the Put: %v", err)
	}
	if _, err := vfs.WriteText(t.Context(), p, target, "mine", vfs.WriteOptions{}); err != nil {
		t.Errorf("a change right after the Put: %v", err)
	}
	if got, _ := fs.ReadFile("/f"); got != "later" {
		t.Errorf("the file holds %q", got)
	}
}

// Whatever lengths Reads have and whatever size was told, the text is the text.
func TestShortReadsAndWrongSizes(t *testing.T) {
	const text = "é😀 some text\r\n"
	fs, target := files(t, text)
	for _, told := range []int64{-1, 0, 1, 1000} {
		p := vfstest.Faulty(fs, vfstest.Fault{Short: 1, Size: func(int64) int64 { return told }})
		got, info, err := vfs.ReadText(t.Context(), p, target)
		if err != nil || got != text || info.Version != vfs.VersionOf([]byte(text)) || info.Size != int64(len(text)) {
			t.Errorf("told %d bytes: %q, %+v, %v", told, got, info, err)
		}
		if info, err := p.Stat(t.Context(), target); err != nil || info.Size != told {
			t.Errorf("Stat gives %+v, %v", info, err)
		}
	}
}

func TestALateErrorIsAfterTheFact(t *testing.T) {
	fs, target := files(t, "old")
	p := vfstest.Faulty(fs, vfstest.Fault{Late: true, Err: errFault})
	if _, err := p.Put(t.Context(), target, []byte("new"), vfs.PutOptions{}); err != errFault {
		t.Errorf("Put: %v", err)
	}
	if got, _ := fs.ReadFile("/f"); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	if _, err := p.Open(t.Context(), target); err != errFault || fs.OpenFiles() != 0 {
		t.Errorf("Open: %v; %d files are open", err, fs.OpenFiles())
	}
}

func TestAListingFailsOnTheWay(t *testing.T) {
	fs, _ := files(t, "x")
	for _, name := range []string{"/g", "/h"} {
		if err := fs.WriteFile(name, ""); err != nil {
			t.Fatal(err)
		}
	}
	root := vfs.Target{Key: "/", Path: "/"}
	p := vfstest.Faulty(fs, vfstest.Fault{At: vfstest.MethodEntry, From: 3, Err: errFault})
	n := 0
	for _, err := range p.ReadDir(t.Context(), root) {
		if n++; (err != nil) != (n == 3) {
			t.Errorf("step %d: %v", n, err)
		}
	}
	late := vfstest.Faulty(fs, vfstest.Fault{At: vfstest.MethodReadDir, Late: true, Err: errFault})
	for range late.ReadDir(t.Context(), root) {
		break // an error must not follow
	}
	if n != 3 {
		t.Errorf("%d steps", n)
	}
}

// The helper functions under a fault at every single call: an error or success, the old
// content or the new, and nothing left open.
func TestHelpersUnderEveryFault(t *testing.T) {
	helpers := map[string]func(context.Context, vfs.Provider, vfs.Target) error{
		"ReadText": func(ctx context.Context, p vfs.Provider, t vfs.Target) error {
			text, _, err := vfs.ReadText(ctx, p, t)
			if err == nil && text != "old text" {
				return errors.New("another text: " + text)
			}
			return err
		},
		"ReadBytes": func(ctx context.Context, p vfs.Provider, t vfs.Target) error {
			_, _, err := vfs.ReadBytes(ctx, p, t, 100)
			return err
		},
		"WriteText": func(ctx context.Context, p vfs.Provider, t vfs.Target) error {
			_, err := vfs.WriteText(ctx, p, t, "new text", vfs.WriteOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("old text")))})
			return err
		},
		"EditText": func(ctx context.Context, p vfs.Provider, t vfs.Target) error {
			_, err := vfs.EditText(ctx, p, t, vfs.Edit{Old: "old", New: "new"}, vfs.EditOptions{})
			return err
		},
		"Lstat": func(ctx context.Context, p vfs.Provider, t vfs.Target) error {
			_, err := vfs.Lstat(ctx, p, "", t.Path)
			return err
		},
	}
	for name, help := range helpers {
		for _, late := range []bool{false, true} {
			for n := 1; ; n++ {
				fs, target := files(t, "old text")
				p := vfstest.Faulty(fs, vfstest.Fault{From: n, For: 1, Err: errFault, Late: late}, vfstest.Fault{At: vfstest.MethodRead, Short: 3})
				err := help(t.Context(), p, target)
				if err != nil && vfs.CodeOf(err) != vfs.CodeIOError {
					t.Errorf("%s with call %d failing: %v", name, n, err)
				}
				if got, _ := fs.ReadFile("/f"); got != "old text" && (got != "new text" || err != nil && !late) {
					t.Errorf("%s with call %d failing: %v, and the file holds %q", name, n, err, got)
				}
				if fs.OpenFiles() != 0 {
					t.Errorf("%s with call %d failing leaves a file open", name, n)
				}
				if p.Calls(vfstest.AnyMethod) < n {
					break // every call has failed once
				}
			}
		}
	}
}

// An error that is none of the seam's is worded, and its text does not show.
func TestAForeignErrorOfARead(t *testing.T) {
	fs, target := files(t, "x")
	p := vfstest.Faulty(fs, vfstest.Fault{At: vfstest.MethodRead, Err: io.ErrUnexpectedEOF})
	_, _, err := vfs.ReadText(t.Context(), p, target)
	if vfs.CodeOf(err) != vfs.CodeIOError || !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != `cannot read "/f": the read failed` {
		t.Errorf("got %v", err)
	}
}
