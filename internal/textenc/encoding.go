package textenc

import (
	"bytes"
	"unicode/utf8"
)

// Encoding is a way to store text as bytes. A file is in one of three kinds: UTF-8,
// UTF-16 with a byte order mark, or, without a mark, whatever somebody who knows has
// named. Nothing is concluded from what a file holds.
type Encoding struct {
	name    string
	mark    string // the bytes of a byte order mark, or "" when there is none
	codec   codec  // nil for UTF-8
	refused string // why it is not read, or ""
}

// codec is an encoding of which every unit stands for itself: no state reaches from one
// unit into the next, so that bytes can be put between two of them.
type codec interface {
	// decode appends the characters of the units at the start of src to dst, as far as
	// its capacity goes, and gives the number of bytes that they are. It stops in front
	// of a unit that is not there whole, or, with ok false, of bytes that are none.
	decode(dst, src []byte) (out []byte, n int, ok bool)

	// encode appends the unit of the characters at the start of text to dst, and gives
	// the bytes of text that it stands for; none when there is no such unit.
	encode(dst []byte, text string) (out []byte, n int)
}

// maxUnit is the most bytes of UTF-8 that one unit of any encoding decodes to.
const maxUnit = 4

// UTF8 is what files are in when nothing says otherwise.
var UTF8 = &Encoding{name: "utf-8", mark: BOM}

var (
	utf16le = &Encoding{name: "utf-16le", mark: "\xff\xfe", codec: utf16Codec{}}
	utf16be = &Encoding{name: "utf-16be", mark: "\xfe\xff", codec: utf16Codec{big: true}}

	// What its mark tells, and is not read.
	utf32 = &Encoding{name: "utf-32", codec: noCodec{}, refused: "UTF-32 text, which is not supported"}
	gb    = &Encoding{name: "gb18030", codec: noCodec{}, refused: "GB18030 text, which is read only where that encoding is named"}
)

// Of is the encoding of a file that begins with head: what a byte order mark says, else
// unmarked.
func Of(head []byte, unmarked *Encoding) *Encoding {
	if starts(head, "\xff\xfe\x00\x00") || starts(head, "\x00\x00\xfe\xff") {
		return utf32
	}
	for _, e := range []*Encoding{UTF8, utf16le, utf16be} {
		if e.Marks(head) {
			return e
		}
	}
	if unmarked.Plain() && starts(head, "\x84\x31\x95\x33") {
		return gb
	}
	return unmarked
}

// Name is the name of the encoding in the WHATWG's Encoding Standard, in lower case.
func (e *Encoding) Name() string { return e.name }

// Marks reports whether data begins with this encoding's byte order mark.
func (e *Encoding) Marks(data []byte) bool {
	return e.mark != "" && starts(data, e.mark)
}

// Trim is data without this encoding's byte order mark at its start.
func (e *Encoding) Trim(data []byte) []byte {
	if e.Marks(data) {
		return data[len(e.mark):]
	}
	return data
}

func starts(data []byte, with string) bool {
	return len(data) >= len(with) && string(data[:len(with)]) == with
}

// Plain reports that the bytes are the text: that it is UTF-8.
func (e *Encoding) Plain() bool { return e.codec == nil }

// Invalid is what messages say of bytes that are none of this encoding.
func (e *Encoding) Invalid() string {
	switch {
	case e.Plain():
		return InvalidUTF8
	case e.refused != "":
		return e.refused
	}
	return "invalid " + e.name + " text"
}

// HasNUL reports a NUL character in the sample at the start of a file.
func (e *Encoding) HasNUL(data []byte) bool {
	if e.Plain() {
		return HasNUL(data)
	}
	sample := data[:min(len(data), SampleSize)]
	text, _, _ := e.codec.decode(make([]byte, 0, len(sample)*utf8.UTFMax), sample)
	return bytes.IndexByte(text, 0) >= 0
}

// Decode appends to dst, as far as its capacity goes, the text of the bytes at the start
// of src, and gives their number. With last set, src ends where the file ends. ok is
// false when the bytes that follow are none of this encoding.
func (e *Encoding) Decode(dst, src []byte, last bool) (out []byte, n int, ok bool) {
	out, n, ok = e.codec.decode(dst, src)
	if last && n < len(src) && cap(out)-len(out) >= maxUnit {
		ok = false // there was room: the last unit is not whole
	}
	return out, n, ok
}
