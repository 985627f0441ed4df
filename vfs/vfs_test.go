package vfs_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

var file = vfs.Target{Key: "/f", Path: "/f"}

func codeIs(t *testing.T, err error, code vfs.Code) {
	t.Helper()
	if vfs.CodeOf(err) != code {
		t.Errorf("got %v, want %q", err, code)
	}
}

func TestReadTextDecides(t *testing.T) {
	long := strings.Repeat("x", 9000)
	tests := []struct {
		name, content, want, failure string
	}{
		{"plain", "a\r\nb", "a\r\nb", ""},
		{"empty", "", "", ""},
		{"a byte order mark is no text", "\ufeffa", "a", ""},
		{"only the first mark is dropped", "\ufeff\ufeffa", "\ufeffa", ""},
		{"many chunks, characters across their edges", strings.Repeat("é😀x", 5000), strings.Repeat("é😀x", 5000), ""},
		{"NUL in the sample", "a\x00b", "", `cannot read "/f": binary file`},
		{"NUL is seen before bad UTF-8", "\xff\x00", "", `cannot read "/f": binary file`},
		{"NUL after the sample is text", long + "\x00", long + "\x00", ""},
		{"overlong", "\xc0\x80", "", `cannot read "/f": invalid UTF-8 text`},
		{"a surrogate", "\xed\xa0\x80", "", `cannot read "/f": invalid UTF-8 text`},
		{"an unfinished end", long + "\xf0\x9f\x98", "", `cannot read "/f": invalid UTF-8 text`},
	}
	for _, tt := range tests {
		for _, chunk := range []int{0, 1, 7} {
			t.Run(tt.name, func(t *testing.T) {
				m := &memory{chunk: chunk}
				m.set("/f", tt.content)
				got, info, err := vfs.ReadText(t.Context(), m, file)
				if tt.failure != "" {
					codeIs(t, err, vfs.CodeNotText)
					if err == nil || err.Error() != tt.failure {
						t.Errorf("got %v, want %q", err, tt.failure)
					}
					return
				}
				if err != nil || got != tt.want || info.Version != vfs.VersionOf([]byte(tt.content)) {
					t.Errorf("got %.40q, %+v, %v", got, info, err)
				}
			})
		}
	}
}

func TestReadBytesHoldsItsLimit(t *testing.T) {
	m := &memory{}
	m.set("/f", "\x00\xff34")
	if data, _, err := vfs.ReadBytes(t.Context(), m, file, 4); err != nil || string(data) != "\x00\xff34" {
		t.Errorf("exactly the limit: %q, %v", data, err)
	}
	_, _, err := vfs.ReadBytes(t.Context(), m, file, 3)
	codeIs(t, err, vfs.CodeTooLarge)
	if want := `cannot read "/f": 4 bytes exceeds the 3-byte limit`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestWriteText(t *testing.T) {
	old := vfs.VersionOf([]byte("old\r\n"))
	text := func(s string) *string { return &s }
	tests := []struct {
		name      string
		existing  *string
		content   string
		o         vfs.WriteOptions
		operation vfs.Operation
		before    *string
		after     string
		disk      string
		code      vfs.Code
	}{
		{"a new file has no before", nil, "a\r\n", vfs.WriteOptions{}, vfs.Created, nil, "a\n", "a\r\n", ""},
		{"both sides read with LF", text("old\r\n"), "new\r\n", vfs.WriteOptions{}, vfs.Updated, text("old\n"), "new\n", "new\r\n", ""},
		{"a mark is kept", text("\ufeffold"), "new", vfs.WriteOptions{}, vfs.Updated, text("old"), "new", "\ufeffnew", ""},
		{"a mark is never doubled", text("\ufeffold"), "\ufeffnew", vfs.WriteOptions{}, vfs.Updated, text("old"), "new", "\ufeffnew", ""},
		{"a binary file shows no before", text("a\x00"), "new", vfs.WriteOptions{}, vfs.Updated, nil, "new", "new", ""},
		{"a side at the limit shows no before", text("1234"), "n", vfs.WriteOptions{DiffBasisMaxBytes: 4}, vfs.Updated, nil, "n", "n", ""},
		{"a new side at the limit shows no before", text("o"), "1234", vfs.WriteOptions{DiffBasisMaxBytes: 4}, vfs.Updated, nil, "1234", "1234", ""},
		{"both below it do", text("123"), "456", vfs.WriteOptions{DiffBasisMaxBytes: 4}, vfs.Updated, text("123"), "456", "456", ""},
		{"absent creates", nil, "a", vfs.WriteOptions{If: vfs.IfAbsent()}, vfs.Created, nil, "a", "a", ""},
		{"absent refuses", text("old\r\n"), "a", vfs.WriteOptions{If: vfs.IfAbsent()}, "", nil, "", "old\r\n", vfs.CodeNotObserved},
		{"the version replaces", text("old\r\n"), "a", vfs.WriteOptions{If: vfs.IfVersion(old)}, vfs.Updated, text("old\n"), "a", "a", ""},
		{"another version refuses", text("x"), "a", vfs.WriteOptions{If: vfs.IfVersion(old)}, "", nil, "", "x", vfs.CodeStaleVersion},
		{"an unverifiable version refuses", text("x"), "a", vfs.WriteOptions{If: vfs.IfVersion(vfs.UnguardedVersion(9))}, "", nil, "", "x", vfs.CodeTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{}
			if tt.existing != nil {
				m.set("/f", *tt.existing)
			}
			out, err := vfs.WriteText(t.Context(), m, file, tt.content, tt.o)
			codeIs(t, err, tt.code)
			if disk, _ := m.get("/f"); disk != tt.disk {
				t.Errorf("the file holds %q, want %q", disk, tt.disk)
			}
			if tt.code != "" {
				return
			}
			if out.Operation != tt.operation || out.After != tt.after || (out.Before == nil) != (tt.before == nil) ||
				out.Before != nil && *out.Before != *tt.before {
				t.Errorf("got %+v", out)
			}
			if out.Info.Version != vfs.VersionOf([]byte(tt.disk)) {
				t.Errorf("the version is not that of the file: %+v", out.Info)
			}
		})
	}
}

func TestWritingTheSameBytesPublishesNothing(t *testing.T) {
	m := &memory{}
	m.set("/f", "same")
	out, err := vfs.WriteText(t.Context(), m, file, "same", vfs.WriteOptions{If: vfs.IfVersion(vfs.VersionOf([]byte("same")))})
	if err != nil || !out.Unchanged || out.Operation != vfs.Updated || m.puts != 0 {
		t.Errorf("got %+v, %v, %d puts", out, err, m.puts)
	}
}

func TestGuardedWriteOfAMissingFileCreatesNothing(t *testing.T) {
	m := &memory{}
	_, err := vfs.WriteText(t.Context(), m, file, "a", vfs.WriteOptions{If: vfs.IfVersion(vfs.VersionOf(nil))})
	codeIs(t, err, vfs.CodeStaleVersion)
	if want := `cannot write "/f": file no longer exists`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if _, exists := m.get("/f"); exists {
		t.Error("the file was created")
	}
}

func TestEditTextRefuses(t *testing.T) {
	tests := []struct {
		name    string
		content *string
		e       vfs.Edit
		If      vfs.Version
		code    vfs.Code
		text    string
	}{
		{"a missing file", nil, vfs.Edit{Old: "a", New: "b"}, "", vfs.CodeStaleVersion, `cannot edit "/f": file changed since it was read`},
		{"a stale version before a missing match", new("x"), vfs.Edit{Old: "a", New: "b"}, "1.1.x", vfs.CodeStaleVersion, `cannot edit "/f": file changed since it was read`},
		{"no match", new("x"), vfs.Edit{Old: "a", New: "b"}, "", vfs.CodeEditNotFound, `old_string was not found in "/f"`},
		{"two matches", new("a a"), vfs.Edit{Old: "a", New: "b"}, "", vfs.CodeAmbiguousEdit, `old_string matched 2 times in "/f"; provide a more specific old_string or set replace_all to true`},
		{"an empty needle", new("x"), vfs.Edit{New: "b"}, "", vfs.CodeEditNotFound, "old_string must be a non-empty string"},
		{"NUL anywhere", new(strings.Repeat("a", 9000) + "\x00"), vfs.Edit{Old: "a", New: "b"}, "", vfs.CodeNotText, `cannot edit "/f": binary file`},
		{"bad UTF-8 anywhere", new("a\xe9"), vfs.Edit{Old: "a", New: "b"}, "", vfs.CodeNotText, `cannot edit "/f": invalid UTF-8 text`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{}
			if tt.content != nil {
				m.set("/f", *tt.content)
			}
			_, err := vfs.EditText(t.Context(), m, file, tt.e, vfs.EditOptions{If: tt.If})
			codeIs(t, err, tt.code)
			if err == nil || err.Error() != tt.text {
				t.Errorf("got %v, want %q", err, tt.text)
			}
			if now, _ := m.get("/f"); tt.content != nil && now != *tt.content || m.puts > 0 {
				t.Errorf("the file was touched: %q, %d puts", now, m.puts)
			}
		})
	}
}

func TestEditKeepsTheMarkAndEveryOtherByte(t *testing.T) {
	m := &memory{}
	m.set("/f", "\ufeffDim s = \"őűé\"\r\nx = 1\r\ny\n")
	out, err := vfs.EditText(t.Context(), m, file, vfs.Edit{Old: "x = 1", New: "x = 2"}, vfs.EditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if now, _ := m.get("/f"); now != "\ufeffDim s = \"őűé\"\r\nx = 2\r\ny\n" {
		t.Errorf("the file holds %q", now)
	}
	if out.Before != "Dim s = \"őűé\"\nx = 1\ny\n" || out.After != "Dim s = \"őűé\"\nx = 2\ny\n" || out.Count != 1 {
		t.Errorf("got %+v", out)
	}
}

// An unguarded edit is made to what is there when it is published; a guarded one
// fails instead.
func TestEditMeetsAChangeInBetween(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		m := &memory{}
		m.set("/f", "one two")
		m.before = func(n int) {
			if n == 1 {
				m.set("/f", "one two three")
			}
		}
		var o vfs.EditOptions
		if guarded {
			o.If = vfs.VersionOf([]byte("one two"))
		}
		_, err := vfs.EditText(t.Context(), m, file, vfs.Edit{Old: "one", New: "ONE"}, o)
		now, _ := m.get("/f")
		if guarded {
			codeIs(t, err, vfs.CodeStaleVersion)
			if now != "one two three" {
				t.Errorf("the file holds %q", now)
			}
		} else if err != nil || now != "ONE two three" {
			t.Errorf("the file holds %q, %v", now, err)
		}
	}
}

func TestUnguardedEditsOfManyAllLand(t *testing.T) {
	m := &memory{}
	m.set("/f", "0123456789abcdef")
	var wg sync.WaitGroup
	for _, c := range "0123456789abcdef" {
		wg.Go(func() {
			if _, err := vfs.EditText(t.Context(), m, file, vfs.Edit{Old: string(c), New: "<" + string(c) + ">"}, vfs.EditOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if now, _ := m.get("/f"); len(now) != 48 {
		t.Errorf("the file holds %q", now)
	}
}

func TestErrorMatchesTheSentinels(t *testing.T) {
	tests := []struct {
		code vfs.Code
		is   error
	}{{vfs.CodeNotFound, fs.ErrNotExist}, {vfs.CodePermissionDenied, fs.ErrPermission}, {vfs.CodeSandboxDenied, fs.ErrPermission}, {vfs.CodeNotObserved, fs.ErrExist}}
	for _, tt := range tests {
		if err := error(&vfs.Error{Code: tt.code}); !errors.Is(err, tt.is) {
			t.Errorf("%s does not match %v", tt.code, tt.is)
		}
	}
}

func TestErrorTextsCannotBeForged(t *testing.T) {
	err := vfs.NotFound("read", vfs.Target{Path: "/w/a\n\x1b[2Jb"})
	if got, want := err.Error(), `cannot read "/w/a\n\u001b[2Jb": not found`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type wrapper struct{ vfs.Provider }

func (w wrapper) Unwrap() vfs.Provider { return w.Provider }

type sealed struct{ vfs.Provider }

type located struct{ *memory }

func (located) ProcessPath(t vfs.Target) (string, error) { return "/real/a b#c%" + t.Key, nil }

func TestAsSeesThroughWrappersThatAllowIt(t *testing.T) {
	inner := located{&memory{}}
	if url, err := vfs.FileURL(wrapper{inner}, file); err != nil || url != "file:///real/a%20b%23c%25/f" {
		t.Errorf("got %q, %v", url, err)
	}
	if _, err := vfs.ProcessPath(sealed{inner}, file); err == nil {
		t.Error("a wrapper without Unwrap gave away what it wraps")
	}
}

func TestContainsGoesBySegments(t *testing.T) {
	at := func(key string) vfs.Target { return vfs.Target{Key: key} }
	for _, tt := range []struct {
		parent, child string
		want          bool
	}{{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/ab", false}, {"/", "/a", true}, {"/a/b", "/a", false}} {
		if got := vfs.Contains(&memory{}, at(tt.parent), at(tt.child)); got != tt.want {
			t.Errorf("Contains(%s, %s) = %t", tt.parent, tt.child, got)
		}
	}
}

func TestCancelledHelpersTouchNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := &memory{}
	m.set("/f", "x")
	_, err := vfs.WriteText(ctx, m, file, "y", vfs.WriteOptions{})
	codeIs(t, err, vfs.CodeAborted)
	_, err = vfs.EditText(ctx, m, file, vfs.Edit{Old: "x", New: "y"}, vfs.EditOptions{})
	codeIs(t, err, vfs.CodeAborted)
	if now, _ := m.get("/f"); now != "x" || m.puts > 0 {
		t.Errorf("the file holds %q after %d puts", now, m.puts)
	}
}
