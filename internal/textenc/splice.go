package textenc

import (
	"iter"

	"github.com/toolfs/toolfs/internal/textedit"
)

// Splice gives the file with spans of its text replaced, which come in order and do not
// overlap. The bytes of everything else stay. A character that the encoding does not have
// is an *UnmappableError; see also *MistakenError.
func (d *Document) Splice(spans iter.Seq[textedit.Span]) ([]byte, error) {
	out := make([]byte, 0, len(d.raw)+4096)
	out = append(out, d.raw[:len(d.raw)-len(d.body)]...)
	at := cursor{encoding: d.Encoding, rest: d.body}
	var err error
	// What is to be encoded next, for the text up to done. A unit of two characters can
	// be cut by a span, even by two: what is left of it is written anew.
	put, done := "", 0
	for s := range spans {
		if s.From < at.pos {
			put += d.Text[done:s.From] + s.New
		} else {
			if out, err = d.Encoding.Encode(out, put+d.Text[done:at.pos]); err != nil {
				return nil, err
			}
			out = append(out, at.to(s.From)...)
			put = d.Text[at.pos:s.From] + s.New
		}
		done = s.To
		if at.to(done); at.pos < done {
			at.to(min(at.pos+maxUnit, len(d.Text)))
		}
	}
	if out, err = d.Encoding.Encode(out, put+d.Text[done:at.pos]); err != nil {
		return nil, err
	}
	out = append(out, at.rest...)
	return out, d.Encoding.recognised(out)
}

// cursor goes through a file by positions in its text, from unit to unit.
type cursor struct {
	encoding *Encoding
	rest     []byte
	pos      int
	buf      [4 << 10]byte
}

// to moves on to pos, or to the start of the unit that pos is inside of, and gives the
// bytes on the way.
func (c *cursor) to(pos int) []byte {
	start := c.rest
	if c.encoding.Plain() {
		n := pos - c.pos
		c.rest, c.pos = c.rest[n:], pos
		return start[:n]
	}
	for c.pos < pos {
		room := min(pos-c.pos, len(c.buf))
		text, n, _ := c.encoding.codec.decode(c.buf[:0:room], c.rest)
		if n == 0 {
			break
		}
		c.rest, c.pos = c.rest[n:], c.pos+len(text)
	}
	return start[:len(start)-len(c.rest)]
}
