package mcpserver

import (
	"bytes"
	"errors"
	"io"
)

// line is one line of input, without its line feed; or the size of one that was too
// long to be held, and its id if there was one; or the error behind the last.
type line struct {
	text []byte
	size int64
	id   []byte
	err  error
}

// lineReader reads lines of up to limit bytes. Each has memory of its own: a long one
// is read into the place where it stays.
type lineReader struct {
	r     io.Reader
	limit int64
	buf   []byte // what was read and not handed out
	err   error  // what ended the reading
}

const (
	// smallLine is the size up to which a line is copied out of the buffer.
	smallLine = 16 << 10
	// readSize is the least room that is read into; a pipe holds no more.
	readSize = 64 << 10
	// largeLine and hugeLine are the room for a line that turns out not to be small, and
	// for one that needs more than that: most of those need not move again.
	largeLine = 512 << 10
	hugeLine  = 2 << 20
)

// next reads a line. A last one without a line feed is one too.
func (r *lineReader) next() line {
	seen := 0
	for {
		if i := bytes.IndexByte(r.buf[seen:], '\n'); i >= 0 {
			return r.take(seen + i)
		}
		seen = len(r.buf)
		switch {
		case r.err != nil && r.err != io.EOF, r.err != nil && seen == 0:
			return line{err: r.err}
		case int64(seen) > r.limit:
			return r.skip()
		case r.err != nil:
			return r.take(seen)
		}
		r.fill()
	}
}

// fill reads once; a reader that gives nothing a hundred times is broken.
func (r *lineReader) fill() {
	if cap(r.buf)-len(r.buf) < readSize/2 {
		room := max(readSize, 2*cap(r.buf))
		if len(r.buf) > largeLine/2 {
			room = max(room, hugeLine)
		} else if len(r.buf) > smallLine {
			room = max(room, largeLine)
		}
		r.buf = append(make([]byte, 0, room), r.buf...)
	}
	for range 100 {
		n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf, r.err = r.buf[:len(r.buf)+n], err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// take hands out the first n bytes, which a line feed or the end follows.
func (r *lineReader) take(n int) line {
	text, rest := r.buf[:n:n], r.buf[min(n+1, len(r.buf)):]
	switch {
	case int64(n) > r.limit:
		var f idFinder
		f.scan(text)
		r.buf = rest
		return line{size: int64(n), id: f.id}
	case n <= smallLine:
		r.buf = rest
		return line{text: bytes.Clone(text)}
	default:
		r.buf = bytes.Clone(rest)
		return line{text: text}
	}
}

// skip reads to the end of a line that is too long and looks for the id on the way.
func (r *lineReader) skip() line {
	var f idFinder
	var size int64
	for {
		i := bytes.IndexByte(r.buf, '\n')
		part := r.buf
		if i >= 0 {
			part = r.buf[:i]
		}
		f.scan(part)
		size += int64(len(part))
		switch {
		case i >= 0:
			r.buf = bytes.Clone(r.buf[i+1:])
			return line{size: size, id: f.id}
		case errors.Is(r.err, io.EOF):
			r.buf = nil
			return line{size: size, id: f.id}
		case r.err != nil:
			return line{err: r.err}
		}
		r.buf = r.buf[:0]
		r.fill()
	}
}

// idFinder finds the id of a message of which it sees each byte once. It keeps no more
// than one member's beginning.
type idFinder struct {
	id []byte // JSON, nil while there is none

	depth             int
	inString, escaped bool
	member            []byte // the top-level member at hand, without what it nests
}

// maxID bounds the member that may be an id.
const maxID = 512

func (f *idFinder) scan(data []byte) {
	for len(data) > 0 {
		if f.inString && !f.escaped && len(f.member) > maxID {
			// Nothing counts until the string ends: skip ahead.
			n := bytes.IndexAny(data, `"\`)
			if n < 0 {
				return
			}
			data = data[n:]
		}
		f.step(data[0])
		data = data[1:]
	}
}

func (f *idFinder) step(b byte) {
	ends := false
	switch {
	case f.escaped:
		f.escaped = false
	case f.inString:
		f.escaped, f.inString = b == '\\', b != '"'
	case b == '"':
		f.inString = true
	case b == '{' || b == '[':
		f.depth++
		if f.depth == 1 && b == '{' {
			f.member = f.member[:0]
			return
		}
	case b == '}' || b == ']':
		ends = f.depth == 1
		f.depth--
	case b == ',':
		ends = f.depth == 1
	}
	if ends {
		f.close()
	} else if f.depth >= 1 && len(f.member) <= maxID {
		f.member = append(f.member, b)
	}
}

// close looks at a complete top-level member.
func (f *idFinder) close() {
	name, value, ok := bytes.Cut(f.member, []byte(":"))
	value = bytes.TrimSpace(value)
	if ok && string(bytes.TrimSpace(name)) == `"id"` && len(f.member) <= maxID && usableID(value) {
		f.id = bytes.Clone(value)
	}
	f.member = f.member[:0]
}
