package textenc

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/internal/textedit"
)

func TestSplice(t *testing.T) {
	tests := []struct {
		name, unmarked, raw, old, new string
		want                          string // or what the error says
	}{
		{"UTF-16", "", "\xff\xfea\x00\r\x00\n\x00b\x00", "b", "é\n", "\xff\xfea\x00\r\x00\n\x00\xe9\x00\r\x00\n\x00"},
		{"one byte a character", "windows-1252", "x=1 \xe9", "1", "€", "x=\x80 \xe9"},
		{"ASCII within two bytes is no match", "shift_jis", "\x95\x5c \\", "\\", "/", "\x95\x5c /"},
		{"a unit that is written otherwise stays", "shift_jis", "\xfa\x54\x81\xcaa", "a", "\uffe2", "\xfa\x54\x81\xca\x81\xca"},
		{"and within the match, before what differs", "shift_jis", "\xfa\x54a", "\uffe2a", "\uffe2b", "\xfa\x54b"},
		{"half of a unit goes", "big5", "a\x88\x62b", "\u0304", "", "a\x88\x66b"},
		{"half of a unit comes", "big5", "a\x88\x66b", "\u00cab", "\u00ca\u0304\u00cac", "\"\u0304\" (U+0304) cannot be written in big5"},
		{"two characters come", "big5", "ab", "a", "\u00ca\u0304", "\x88\x62b"},
		{"two places in one unit", "big5", "\x88\x62\x88\x62\x88\x62a", "\u0304\u00ca", "", "\x88\x62a"},
		{"two places in one unit, and text between", "big5", "\x88\x62\x88\x62\x88\x62\x88\x62", "\u0304\u00ca", "x", "\"\u0304\" (U+0304) cannot be written in big5"},
		{"what is left cannot stand alone", "big5", "a\x88\x62b", "\u00ca", "x", "\"\u0304\" (U+0304) cannot be written in big5"},
		{"no such character", "windows-1252", "a", "a", "b中", `"中" (U+4E2D) cannot be written in windows-1252`},
		{"no such character to be seen", "windows-1252", "a", "a", "\u200b", `"\u200b" (U+200B) cannot be written in windows-1252`},
		{"no neighbour instead", "shift_jis", "a", "a", "\u00a5", `"¥" (U+00A5) cannot be written in shift_jis`},
		{"the mark of another encoding", "windows-1252", "xa", "x", "ÿþ", "text that begins so would be read as utf-16le, not as windows-1252"},
		{"NUL after the mark", "", "\xff\xfea\x00", "a", "\x00", "text that begins so would be read as utf-32, not as utf-16le"},
		{"no character", "utf-16le", "a\x00", "a", "\xed\xa0\x80", `"\xed" is no character and cannot be written in utf-16le`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := editRaw(t, []byte(tt.raw), named(t, tt.unmarked), tt.old, tt.new)
			if err != nil {
				got = []byte(err.Error())
			}
			if string(got) != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func editRaw(t testing.TB, raw []byte, e *Encoding, old, new string) ([]byte, error) {
	d, why := Parse(raw, e)
	if why != "" {
		t.Fatal(why)
	}
	r, err := textedit.Apply(d.Text, old, new, true)
	if err != nil {
		t.Fatal(err)
	}
	return d.Splice(r.Spans())
}

type failer interface{ Fatalf(string, ...any) }

// checkSplice: the text is then what a replacement in the text gives, and every byte
// before the first and after the last place is what and where it was.
func checkSplice(t failer, raw []byte, e *Encoding, old, new string, all bool) {
	d, why := Parse(raw, e)
	if why != "" {
		return
	}
	r, err := textedit.Apply(d.Text, old, new, all)
	if err != nil {
		return
	}
	got, err := d.Splice(r.Spans())
	if err != nil {
		return
	}
	want, at, first := "", 0, -1
	for s := range r.Spans() {
		if first < 0 {
			first = s.From
		}
		want += d.Text[at:s.From] + s.New
		at = s.To
	}
	after, why := Parse(got, e)
	if why != "" && why != Binary || after.Text != want+d.Text[at:] || after.Encoding != d.Encoding {
		t.Fatalf("%q in %q by %q: %q, %s; want %q", old, d.Text, new, after.Text, why, want+d.Text[at:])
	}
	head, tail := 0, 0
	pos := 0
	for rest := d.body; len(rest) > 0; {
		n := 1
		var text []byte
		for ; ; n++ { // unit by unit, the slow way
			var used int
			if text, used, _ = e.decoderOf(d).decode(make([]byte, 0, 16), rest[:n]); used > 0 {
				break
			}
		}
		rest, pos = rest[n:], pos+len(text)
		if pos <= first {
			head = len(d.raw) - len(rest)
		}
		if pos-len(text) >= at {
			tail += n
		}
	}
	if !bytes.HasPrefix(got, raw[:head]) || !bytes.HasSuffix(got, raw[len(raw)-tail:]) {
		t.Fatalf("% x became % x: more than bytes %d to %d changed", raw, got, head, len(raw)-tail)
	}
}

func (*Encoding) decoderOf(d *Document) codec {
	if d.Encoding.Plain() {
		return plainCodec{}
	}
	return d.Encoding.codec
}

// plainCodec has bytes for units.
type plainCodec struct{ codec }

func (plainCodec) decode(dst, src []byte) ([]byte, int, bool) { return append(dst, src[0]), 1, true }

func TestSpliceChangesNothingElse(t *testing.T) {
	pieces := map[string][]string{
		"":             {"é", "日", "😀"},
		"windows-1252": {"é", "€", "ÿ"},
		"gb18030":      {"é", "中", "😀", "\u0080", "㐀"},
		"shift_jis":    {"表", "ソ", "ｱ", "日"},
		"euc-jp":       {"丂", "亜", "ｱ"},
		"big5":         {"\u00ca\u0304", "\u00ca", "中"},
		"utf-16le":     {"é", "日", "😀", "\u0a0d", "\u0d0a"},
		"utf-16be":     {"é", "日", "😀", "\u0a0d", "\u0d0a"},
	}
	for name, own := range pieces {
		t.Run(name, func(t *testing.T) {
			e := named(t, name)
			piece := rapid.SampledFrom(append([]string{"a", "b", "ab", "\\", "\n", "\r\n", "\r", " "}, own...))
			text := rapid.Map(rapid.SliceOfN(piece, 0, 24), func(p []string) string { return strings.Join(p, "") })
			rapid.Check(t, func(t *rapid.T) {
				content := text.Draw(t, "text")
				if e.mark != "" && rapid.Bool().Draw(t, "marked") {
					content = BOM + content
				}
				raw, err := e.Encode(nil, content)
				if err != nil {
					t.Fatal(err)
				}
				if d, why := Parse(raw, e); why != "" || d.Text != strings.TrimPrefix(content, BOM) {
					t.Fatalf("%q is read as %q, %s", content, d.Text, why)
				}
				body := []rune(strings.TrimPrefix(content, BOM))
				from := rapid.IntRange(0, len(body)).Draw(t, "from")
				old := string(body[from:rapid.IntRange(from, min(from+3, len(body))).Draw(t, "to")])
				checkSplice(t, raw, e, old, text.Draw(t, "new"), rapid.Bool().Draw(t, "all"))
				if data, _, kept, err := Rewrite(raw, strings.TrimPrefix(content, BOM), e); err != nil || !kept || !bytes.Equal(data, raw) {
					t.Fatalf("%q is written as % x, not % x: %v", content, data, raw, err)
				}
			})
		})
	}
}

func FuzzSplice(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00\r\x00\n\x00b\x00"), uint8(0), "b", "é\n", false)
	f.Add([]byte("\x95\x5c\\\r\n"), uint8(3), "\\", "ソ", true)
	f.Add([]byte("\x81\x30\x81\x30a"), uint8(2), "a", "😀", false)
	f.Add([]byte("a\x88\x62b"), uint8(5), "\u0304", "", false)
	f.Add([]byte("\x8f\xb0\xa1\xb0\xa1"), uint8(4), "亜", "a", true)
	names := []string{"", "windows-1252", "gb18030", "shift_jis", "euc-jp", "big5", "utf-16le", "utf-16be", "euc-kr"}
	f.Fuzz(func(t *testing.T, raw []byte, n uint8, old, new string, all bool) {
		if !utf8.ValidString(old) || !utf8.ValidString(new) || strings.Contains(new, "\x00") {
			return // as bytes into UTF-8, else refused; no text afterwards
		}
		checkSplice(t, raw, named(t, names[int(n)%len(names)]), old, new, all)
	})
}
