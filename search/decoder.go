package search

import (
	"errors"
	"io"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/textenc"
)

var errUndecodable = errors.New("not in the encoding that it should be in")

// decoder gives the text of a file that is not UTF-8.
type decoder struct {
	from     source
	encoding *textenc.Encoding
	buf      []byte // its first n bytes are not decoded yet
	n        int
}

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (int, error) {
	for len(p) >= utf8.UTFMax {
		var err error
		if d.n, err = d.from.fill(d.buf, d.n, d.n+1); err != nil {
			return 0, err
		}
		if d.n == 0 {
			return 0, io.EOF
		}
		text, used, ok := d.encoding.Decode(p[:0], d.buf[:d.n], d.from.eof)
		if !ok {
			return 0, errUndecodable
		}
		d.n = copy(d.buf, d.buf[used:d.n])
		if len(text) > 0 {
			return len(text), nil
		}
		if used == 0 && d.n == len(d.buf) {
			return 0, errUndecodable
		}
	}
	return 0, io.ErrShortBuffer
}
