package textenc

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// all are the encodings that can be named, by their canonical names.
var all = strings.Fields(`ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8
	iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874
	windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257
	windows-1258 x-mac-cyrillic gbk gb18030 big5 euc-jp shift_jis euc-kr utf-16le utf-16be x-user-defined`)

func named(t testing.TB, name string) *Encoding {
	t.Helper()
	e, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLookup(t *testing.T) {
	for _, name := range all {
		if got := named(t, name).Name(); got != name {
			t.Errorf("%q is called %q", name, got)
		}
	}
	for name, want := range map[string]string{"": "utf-8", "UTF-8": "utf-8", " Latin1 ": "windows-1252", "iso-8859-1": "windows-1252", "SJIS": "shift_jis", "gb2312": "gbk", "utf-16": "utf-16le"} {
		if got := named(t, name).Name(); got != want {
			t.Errorf("%q is called %q, not %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"latin-9": "unknown encoding", "utf-7": "unknown encoding", "utf-32": "unknown encoding",
		"iso-2022-jp": "states", "iso-2022-kr": "not supported", "hz-gb-2312": "not supported", "replacement": "not supported",
	} {
		if _, err := Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Whatever is accepted means what the reference decoder says, and whatever that one
// replaces by U+FFFD is refused.
func TestDecodingIsStrict(t *testing.T) {
	for _, name := range all {
		e := named(t, name)
		x, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		decoder := x.NewDecoder()
		check := func(raw ...byte) {
			d, why := Parse(raw, e)
			want, err := decoder.Bytes(raw)
			replaced := strings.Contains(string(want), "\ufffd")
			switch {
			case err != nil:
				t.Fatal(err)
			case why == Binary || strings.Contains(d.Text, "\ufffd") && strings.HasPrefix(name, "utf-16"):
			case why == "" && replaced, why == "" && d.Text != string(want), why != "" && !replaced:
				t.Fatalf("%s: % x is %q, %q; elsewhere %q", name, raw, d.Text, why, want)
			}
		}
		for a := range 256 {
			check(' ', ' ', ' ', byte(a), ' ', ' ')
			if !several[name] {
				continue
			}
			for b := range 256 {
				check(' ', ' ', byte(a), byte(b), ' ', ' ')
			}
		}
	}
}

// several are the encodings with more than one byte a character.
var several = map[string]bool{"gbk": true, "gb18030": true, "big5": true, "euc-jp": true, "shift_jis": true, "euc-kr": true, "utf-16le": true, "utf-16be": true}

// What is written is read as what it was; there is no nearest character.
func TestEncodingIsExact(t *testing.T) {
	for _, name := range all {
		e := named(t, name)
		n, last := 0, rune(0x25ff)
		if several[name] {
			last = 0x1ffff
		}
		for r := rune(1); r <= last; r++ {
			if !utf8.ValidRune(r) {
				continue
			}
			raw, err := e.Encode(nil, string(r))
			if err != nil {
				continue
			}
			n++
			buf, used, ok := e.Decode(make([]byte, 0, 8), raw, true)
			if !ok || used != len(raw) || string(buf) != string(r) {
				t.Fatalf("%s: %U is written as % x, which is %q", name, r, raw, buf)
			}
		}
		if n < 127 {
			t.Errorf("%s: only %d characters", name, n)
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, unmarked, raw, text, why string
	}{
		{"UTF-8", "", "é\n", "é\n", ""},
		{"UTF-8 with a mark", "windows-1252", BOM + "é", "é", ""},
		{"UTF-16, least byte first", "", "\xff\xfeh\x00\xe9\x00", "hé", ""},
		{"UTF-16, greatest byte first", "shift_jis", "\xfe\xff\x00h\xd8\x3d\xde\x00", "h😀", ""},
		{"a mark and no more", "", "\xff\xfe", "", ""},
		{"half a unit", "", "\xff\xfeh\x00\xe9", "", "invalid utf-16le text"},
		{"half a pair", "", "\xff\xfe\x3d\xd8", "", "invalid utf-16le text"},
		{"half a pair before a character", "", "\xff\xfe\x3d\xd8h\x00", "", "invalid utf-16le text"},
		{"the other half", "", "\xfe\xff\xde\x00\x00h", "", "invalid utf-16be text"},
		{"U+FFFD that is there", "", "\xff\xfe\xfd\xff", "\ufffd", ""},
		{"U+0000", "", "\xff\xfeh\x00\x00\x00", "", Binary},
		{"UTF-16 without a mark", "", "h\x00i\x00", "", Binary},
		{"UTF-16 without a mark, named", "utf-16le", "h\x00i\x00", "hi", ""},
		{"UTF-32, least byte first", "", "\xff\xfe\x00\x00h\x00\x00\x00", "", "UTF-32 text, which is not supported"},
		{"UTF-32, greatest byte first", "windows-1252", "\x00\x00\xfe\xff\x00\x00\x00h", "", "UTF-32 text, which is not supported"},
		{"UTF-32, a mark and no more", "", "\xff\xfe\x00\x00", "", "UTF-32 text, which is not supported"},
		{"one byte a character", "windows-1252", "caf\xe9 \x80", "café €", ""},
		{"a byte that is no character", "windows-1253", "\xaa", "", "invalid windows-1253 text"},
		{"no guess that it is UTF-8", "windows-1252", "é", "Ã©", ""},
		{"one, two and four bytes", "gb18030", "a\xd6\xd0\x81\x30\x81\x30\x94\x39\xfc\x36", "a中\u0080😀", ""},
		{"U+FFFD in four bytes", "gb18030", "\x84\x31\xa4\x37", "\ufffd", ""},
		{"a mark in four bytes", "gb18030", "\x84\x31\x95\x33a", "a", ""},
		{"the same, and nobody named it", "", "\x84\x31\x95\x33a", "", "GB18030 text, which is read only where that encoding is named"},
		{"four bytes cut off", "gb18030", "\x81\x30\x81", "", "invalid gb18030 text"},
		{"three bytes", "euc-jp", "\x8f\xb0\xa1\xb0\xa1", "丂亜", ""},
		{"a second byte that is ASCII", "shift_jis", "\x95\x5c\\", "表\\", ""},
		{"a first byte alone", "shift_jis", "\x95", "", "invalid shift_jis text"},
		{"two characters in a unit", "big5", "\x88\x62x", "\u00ca\u0304x", ""},
		{"nothing", "big5", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, why := Parse([]byte(tt.raw), named(t, tt.unmarked))
			if why != tt.why || why == "" && d.Text != tt.text {
				t.Errorf("%q, %q; want %q, %q", d.Text, why, tt.text, tt.why)
			}
		})
	}
}
