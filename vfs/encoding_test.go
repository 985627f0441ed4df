package vfs_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

// encoded is a provider whose files without a mark are in an encoding.
type encoded struct {
	*memory
	name string
}

func (e encoded) TextEncoding() string { return e.name }

// in is text as the reference encodes it.
func in(t *testing.T, encoding, text string) string {
	t.Helper()
	mark := map[string]string{"utf-16le": "\xff\xfe", "utf-16be": "\xfe\xff"}[encoding]
	x, err := htmlindex.Get(encoding)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return mark + raw
}

var encodings = map[string]string{ // and a text that each can write
	"utf-16le": "é😀日本", "utf-16be": "é😀日本", "windows-1252": "é€ÿ", "gb18030": "中é😀\u0080", "shift_jis": "表示ｱ", "euc-jp": "丂亜", "big5": "中文",
}

func TestEncodedText(t *testing.T) {
	for name, own := range encodings {
		for _, chunk := range []int{0, 1, 7} {
			p := encoded{&memory{chunk: chunk}, name}
			text := strings.Repeat("x"+own+"\r\n", 2000) + "one\nend" + own
			raw := in(t, name, text)
			p.set("/f", raw)
			got, info, err := vfs.ReadText(t.Context(), p, file)
			if err != nil || got != text || info.Encoding != name || info.Version != vfs.VersionOf([]byte(raw)) {
				t.Errorf("%s: read %.40q, %+v, %v", name, got, info, err)
			}
			edited, err := vfs.EditText(t.Context(), p, file, vfs.Edit{Old: "one\nend", New: "two\nlines\nend" + own}, vfs.EditOptions{If: info.Version})
			want := in(t, name, strings.Replace(text, "one\nend", "two\nlines\nend"+own, 1))
			if got, _ := p.get("/f"); err != nil || got != want || edited.Info.Encoding != name || edited.Info.Version != vfs.VersionOf([]byte(want)) ||
				edited.Before != strings.ReplaceAll(text, "\r\n", "\n") {
				t.Errorf("%s: edited to %.40q, %+v, %v", name, got, edited.Info, err)
			}
			written, err := vfs.WriteText(t.Context(), p, file, "new\r\n"+own, vfs.WriteOptions{If: vfs.IfVersion(edited.Info.Version)})
			if got, _ := p.get("/f"); err != nil || got != in(t, name, "new\r\n"+own) || written.Info.Encoding != name || written.EncodingChanged ||
				written.Before == nil || *written.Before != edited.After || written.After != "new\n"+own {
				t.Errorf("%s: written %q, %+v, %v", name, got, written, err)
			}
			if same, err := vfs.WriteText(t.Context(), p, file, "new\r\n"+own, vfs.WriteOptions{}); err != nil || !same.Unchanged || same.Info.Encoding != name {
				t.Errorf("%s: written again: %+v, %v", name, same, err)
			}
		}
	}
}

func TestEncodedTextIsRefused(t *testing.T) {
	far := strings.Repeat("\x00x", 150<<10)
	tests := []struct{ name, unmarked, raw, why string }{
		{"half a unit", "", "\xff\xfea", "invalid utf-16le text"},
		{"half a pair far away", "", "\xfe\xff" + far + "\xd8\x00", "invalid utf-16be text"},
		{"NUL", "", "\xff\xfea\x00\x00\x00", "binary file"},
		{"no mark", "", "a\x00b\x00", "binary file"},
		{"UTF-32", "", "\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32 text, which is not supported"},
		{"another encoding", "", "caf\xe9", "invalid UTF-8 text"},
		{"GB18030", "", "\x84\x31\x95\x33a", "GB18030 text, which is read only where that encoding is named"},
		{"cut off", "shift_jis", "a\x95", "invalid shift_jis text"},
		{"no character", "windows-1253", "\xaa", "invalid windows-1253 text"},
		{"UTF-8 in a tree of another encoding", "shift_jis", "é\xff", "invalid shift_jis text"},
		{"no encoding", "latin-9", "a", `unknown encoding "latin-9": give a name of the WHATWG's Encoding Standard, such as windows-1252, shift_jis or gb18030`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := encoded{&memory{}, tt.unmarked}
			p.set("/f", tt.raw)
			_, _, err := vfs.ReadText(t.Context(), p, file)
			codeIs(t, err, vfs.CodeNotText)
			if want := `cannot read "/f": ` + tt.why; err == nil || err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
			_, err = vfs.EditText(t.Context(), p, file, vfs.Edit{Old: "a", New: "b"}, vfs.EditOptions{})
			codeIs(t, err, vfs.CodeNotText)
			if want := `cannot edit "/f": ` + tt.why; err == nil || err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestWhatCannotBeWrittenIsNamed(t *testing.T) {
	p := encoded{&memory{}, "windows-1252"}
	p.set("/f", "caf\xe9")
	_, err := vfs.EditText(t.Context(), p, file, vfs.Edit{Old: "caf", New: "中"}, vfs.EditOptions{})
	codeIs(t, err, vfs.CodeNotText)
	if want := `cannot edit "/f": "中" (U+4E2D) cannot be written in windows-1252`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	for _, name := range []string{"/f", "/new"} {
		_, err = vfs.WriteText(t.Context(), p, vfs.Target{Key: name, Path: name}, "a\u200b", vfs.WriteOptions{})
		codeIs(t, err, vfs.CodeNotText)
		if want := `cannot write "` + name + `": "\u200b" (U+200B) cannot be written in windows-1252`; err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if got, _ := p.get("/f"); got != "caf\xe9" || p.puts != 0 {
		t.Errorf("%q, %d puts", got, p.puts)
	}
}

// An overwrite keeps how the file is stored, or says that it did not.
func TestOverwriteKeepsTheEncoding(t *testing.T) {
	huge := strings.Repeat("x", 65<<20)
	tests := []struct {
		name, unmarked, old, want string
		encoding                  string
		changed                   bool
	}{
		{"UTF-16", "", "\xff\xfea\x00", "\xff\xfe\xe9\x00", "utf-16le", false},
		{"UTF-16 that is no text", "", "\xff\xfea", "\xff\xfe\xe9\x00", "utf-16le", false},
		{"UTF-8 with a mark in a tree of another encoding", "windows-1252", "\ufeffa", "\ufeffé", "", false},
		{"the encoding of the tree", "windows-1252", "a", "\xe9", "windows-1252", false},
		{"a binary file in such a tree", "windows-1252", "\x00\x01", "\xe9", "windows-1252", false},
		{"another encoding", "", "caf\xe9", "é", "", true},
		{"a binary file", "", "\x00", "é", "", true},
		{"UTF-32", "", "\xff\xfe\x00\x00a\x00\x00\x00", "é", "", true},
		{"NUL far away is text", "", strings.Repeat("x", 9000) + "\x00", "é", "", false},
		{"nothing", "", "", "é", "", false},
		{"too large to be read whole", "", huge, "é", "", false},
		{"too large, and no text", "", "\x00" + huge, "é", "", true},
		{"too large, and UTF-16", "", "\xfe\xff" + huge, "\xfe\xff\x00\xe9", "utf-16be", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := encoded{&memory{}, tt.unmarked}
			p.set("/f", tt.old)
			out, err := vfs.WriteText(t.Context(), p, file, "é", vfs.WriteOptions{})
			if got, _ := p.get("/f"); err != nil || got != tt.want || out.Info.Encoding != tt.encoding || out.EncodingChanged != tt.changed {
				t.Errorf("%q, %+v, %v", got, out, err)
			}
		})
	}
}

// Half of a character is no text: it would match inside of a character and tear it.
func TestEditRefusesHalfCharacters(t *testing.T) {
	m := memfs.New(memfs.Options{})
	if err := m.WriteFile("/f", "\u0548\n"); err != nil {
		t.Fatal(err)
	}
	target := vfs.Target{Key: "/f", Path: "/f"}
	for _, e := range []vfs.Edit{{Old: "\xd5", New: "\x97"}, {Old: "\xd5", New: "x"}, {Old: "\u0548", New: "\x88"}} {
		_, err := vfs.EditText(t.Context(), m, target, e, vfs.EditOptions{})
		if vfs.CodeOf(err) != vfs.CodeNotText {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if text, _, err := vfs.ReadText(t.Context(), m, target); err != nil || text != "\u0548\n" {
		t.Errorf("it is %q, %v", text, err)
	}
}
