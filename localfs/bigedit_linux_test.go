//go:build !toolfs_portable

package localfs_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// big is a large file: numbered lines, every third ended by CRLF.
func (w *world) big(name, head string, lines int) (path string) {
	w.t.Helper()
	path = filepath.Join(w.ws, name)
	f, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	b := bufio.NewWriterSize(f, 1<<20)
	b.WriteString(head)
	for i := range lines {
		ending := "\n"
		if i%3 == 0 {
			ending = "\r\n"
		}
		fmt.Fprintf(b, "line %09d: é the quick brown fox jumps over the lazy dog, again and again%s", i+1, ending)
	}
	if err := b.Flush(); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// lineOf is a line of a big file, without its ending.
func lineOf(n int) string {
	return fmt.Sprintf("line %09d: é the quick brown fox jumps over the lazy dog, again and again", n)
}

// A large file is edited as a small one is: the same bytes come out.
func TestLargeEditIsTheSmallEdit(t *testing.T) {
	const lines = 130_000 // about 10 MiB
	tests := []struct {
		name, head, old, new string
	}{
		{"in the middle", "", lineOf(70_000), "changed"},
		{"across endings, which keep their kind", "", lineOf(70_000) + "\n" + lineOf(70_001) + "\n", "one\ntwo\nthree\n"},
		{"at the start, after the mark", "\ufeff", lineOf(1), "first"},
		{"at the end", "", lineOf(lines), "last\n"},
		{"a CR before an ending", "odd\r\r\nend\n", "odd\r\nend", "even\r\nend"},
		{"a character at the edge of a chunk", strings.Repeat("x", 3), "line 000003221: é", "line three"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, true)
			path := w.big("f", tt.head, lines)
			old := w.content(path)
			out, err := vfs.EditText(t.Context(), w.fs, w.resolve("f"), vfs.Edit{Old: tt.old, New: tt.new}, vfs.EditOptions{If: vfs.VersionOf([]byte(old))})
			if err != nil {
				t.Fatal(err)
			}
			small := plainly{w.fs}
			target := w.resolve("g")
			if err := os.WriteFile(target.Key, []byte(old), 0o644); err != nil {
				t.Fatal(err)
			}
			whole, err := vfs.EditText(t.Context(), small, target, vfs.Edit{Old: tt.old, New: tt.new}, vfs.EditOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.content(path), w.content(target.Key); got != want {
				t.Errorf("the files differ, of %d and %d bytes", len(got), len(want))
			}
			if out.Info.Version != whole.Info.Version || out.FirstLine == 0 || len(out.Before) > 64<<10 {
				t.Errorf("got %+v with %d bytes", out.Info, len(out.Before))
			}
			before := strings.Split(whole.Before, "\n")
			if first, _, _ := strings.Cut(out.Before, "\n"); before[out.FirstLine-1] != first {
				t.Errorf("line %d is %q, not %q", out.FirstLine, before[out.FirstLine-1], first)
			}
		})
	}
}

// plainly hides that the provider edits large files itself.
type plainly struct{ vfs.Provider }

func TestLargeEditRefuses(t *testing.T) {
	w := newWorld(t, true)
	path := w.big("f", "", 130_000)
	before := sha256.Sum256([]byte(w.content(path)))
	edit := func(old string, v vfs.Version) error {
		_, err := vfs.EditText(t.Context(), w.fs, w.resolve("f"), vfs.Edit{Old: old, New: "new"}, vfs.EditOptions{If: v})
		return err
	}
	wantCode(t, edit("no such text", ""), vfs.CodeEditNotFound)
	err := edit("quick brown fox", "")
	wantCode(t, err, vfs.CodeAmbiguousEdit)
	if err == nil || !strings.Contains(err.Error(), "matched 130000 times") {
		t.Errorf("got %v", err)
	}
	wantCode(t, edit(lineOf(5), vfs.VersionOf(nil)), vfs.CodeStaleVersion)
	if after := sha256.Sum256([]byte(w.content(path))); after != before {
		t.Error("the file changed")
	}
	// What is refused is refused as in a small file.
	for name, head := range map[string]string{"CRs before endings": "odd\r\r\nend\nodd\r\r\nend\n", "UTF-16": "\xff\xfe", "UTF-32LE": "\xff\xfe\x00\x00",
		"UTF-32BE": "\x00\x00\xfe\xff", "GB18030": "\x84\x31\x95\x33"} {
		path := w.write("g", head+strings.Repeat("\n", vfs.LargeEdit))
		for _, v := range []vfs.Version{"", vfs.VersionOf([]byte("other"))} {
			change, o := vfs.Edit{Old: "odd\r\nend", New: "new"}, vfs.EditOptions{If: v}
			_, err := vfs.EditText(t.Context(), w.fs, w.resolve("g"), change, o)
			_, want := vfs.EditText(t.Context(), plainly{w.fs}, w.resolve("g"), change, o)
			if err == nil || want == nil || err.Error() != want.Error() || vfs.CodeOf(err) != vfs.CodeOf(want) {
				t.Errorf("%s, if %q: got %v, want %v", name, v, err, want)
			}
		}
		os.Remove(path)
	}
	for _, bad := range []string{"\x00", "\xff"} {
		w.big("bad", "", 130_000)
		f, err := os.OpenFile(filepath.Join(w.ws, "bad"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, bad)
		f.Close()
		_, err = vfs.EditText(t.Context(), w.fs, w.resolve("bad"), vfs.Edit{Old: lineOf(5), New: "new"}, vfs.EditOptions{})
		wantCode(t, err, vfs.CodeNotText)
	}
	w.onlyNames(w.ws, "bad", "f")
}

// The memory for an edit does not grow with the file.
func TestLargeEditHoldsLittle(t *testing.T) {
	w := newWorld(t, true)
	const lines = 1_200_000 // about 96 MiB
	path := w.big("f", "", lines)
	p, err := localfs.Root([]string{w.ws}, localfs.Options{MaxGuardedBytes: 2 << 30, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	target, err := p.Resolve(t.Context(), "", "f")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := vfs.EditText(t.Context(), p, target, vfs.Edit{Old: lineOf(lines / 2), New: "found"}, vfs.EditOptions{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	if out.FirstLine != lines/2-3 {
		t.Errorf("the excerpt begins at line %d", out.FirstLine)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		want := []byte(lineOf(n))
		if n == lines/2 {
			want = []byte("found")
		}
		if got := bytes.TrimSuffix(s.Bytes(), []byte{'\r'}); !bytes.Equal(got, want) {
			t.Fatalf("line %d is %q", n, got)
		}
	}
}
