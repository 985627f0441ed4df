package textenc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// UnmappableError says that an encoding has no way to write a character, or that it is
// no character at all.
type UnmappableError struct {
	Text     string // the character
	Encoding string
}

func (e *UnmappableError) Error() string {
	if r, n := utf8.DecodeRuneInString(e.Text); r != utf8.RuneError || n > 1 {
		return fmt.Sprintf("%q (%U) cannot be written in %s", e.Text, r, e.Encoding)
	}
	return strconv.Quote(e.Text) + " is no character and cannot be written in " + e.Encoding
}

// MistakenError says that a file would be taken to be in another encoding than it is
// written in, because it would begin with the byte order mark of that one.
type MistakenError struct{ Encoding, As string }

func (e *MistakenError) Error() string {
	return "text that begins so would be read as " + e.As + ", not as " + e.Encoding
}

// recognised fails unless raw, in this encoding, will be read in this encoding.
func (e *Encoding) recognised(raw []byte) error {
	if e.Plain() || Of(raw, e) == e {
		return nil
	}
	return &MistakenError{e.name, Of(raw, e).name}
}

// Encode appends text to dst. The first character that the encoding does not have is an
// *UnmappableError.
func (e *Encoding) Encode(dst []byte, text string) ([]byte, error) {
	if e.Plain() {
		return append(dst, text...), nil
	}
	dst = slices.Grow(dst, len(text))
	for len(text) > 0 {
		var n int
		if dst, n = e.codec.encode(dst, text); n == 0 {
			_, size := utf8.DecodeRuneInString(text)
			return nil, &UnmappableError{text[:size], e.name}
		}
		text = text[n:]
	}
	return dst, nil
}

// Document is a whole file as text.
type Document struct {
	Encoding *Encoding
	Text     string // without a byte order mark
	raw      []byte
	body     []byte // raw without a byte order mark
}

// Parse decodes a whole file for an edit. why says in what way it is no text that can be
// edited, with a NUL character anywhere, or is "".
func Parse(raw []byte, unmarked *Encoding) (d *Document, why string) {
	e := Of(raw, unmarked)
	d = &Document{Encoding: e, raw: raw, body: e.Trim(raw)}
	if e.Plain() {
		if why = Invalid(raw); why == "" {
			d.Text = string(d.body)
		}
		return d, why
	}
	var text strings.Builder
	text.Grow(len(d.body))
	buf, ok := make([]byte, 0, min(len(d.body)*utf8.UTFMax, 64<<10)), true
	for rest := d.body; len(rest) > 0; {
		var n int
		if buf, n, ok = e.Decode(buf[:0], rest, true); !ok {
			why = e.Invalid()
			break
		}
		text.Write(buf)
		rest = rest[n:]
	}
	d.Text = text.String()
	if strings.IndexByte(d.Text, 0) >= 0 {
		why = Binary
	}
	return d, why
}

// Rewrite encodes content as the whole of a file that holds old: in the encoding of old,
// with its byte order mark. kept is false when old is in no encoding that is known, so
// that the file comes to be in another one.
func Rewrite(old []byte, content string, unmarked *Encoding) (data []byte, e *Encoding, kept bool, err error) {
	e = Of(old, unmarked)
	kept = !e.Plain() || !HasNUL(old) && utf8.Valid(old)
	if e.refused != "" {
		e, kept = unmarked, false
	}
	if e.Marks(old) && !strings.HasPrefix(content, BOM) {
		content = BOM + content
	}
	if data, err = e.Encode(nil, content); err == nil {
		err = e.recognised(data)
	}
	return data, e, kept, err
}
