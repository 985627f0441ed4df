package search

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/linepattern"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

const (
	bufferSize = 256 << 10   // bytes of a file that are held at once
	slack      = utf8.UTFMax // of a full buffer, what may be empty: a decoder needs room
	overlap    = 16 << 10    // bytes of a line above bufferSize that are looked at twice
	maxBlock   = 256         // lines that are passed on at once
	maxBytes   = 64 << 10    // bytes of lines from which on they are passed on
)

// reader looks through files, one after another, in buffers of its own. It belongs to
// one goroutine.
type reader struct {
	walker   *walker
	scanner  *linepattern.Scanner
	unmarked *textenc.Encoding // of files without a byte order mark
	buf      []byte
	decoded  []byte // a second buffer, for encodings other than UTF-8

	pass  func([]vfs.FoundLine) // takes the lines found
	found []vfs.FoundLine
	bytes int // of found
	line  int // the number of the line at the start of what is looked at
}

func newReader(w *walker, p *linepattern.Pattern, unmarked *textenc.Encoding) *reader {
	return &reader{walker: w, scanner: p.NewScanner(), unmarked: unmarked, buf: make([]byte, bufferSize)}
}

// file looks through the file of which buf holds n bytes and rest, unless it is nil,
// the others. It closes rest. A binary file is only looked into when it was asked for.
func (r *reader) file(n int, rest vfs.File, asked bool) error {
	if rest != nil {
		defer rest.Close()
	}
	src := source{r: rest}
	if rest == nil {
		src.eof = true
	}
	n, err := src.fill(r.buf, n, textenc.SampleSize)
	if err != nil {
		return err
	}
	encoding := textenc.Of(r.buf[:n], r.unmarked)
	if encoding.HasNUL(r.buf[:n]) && !asked {
		r.walker.counts.binary.Add(1)
		return nil
	}
	if !encoding.Plain() {
		d := &decoder{from: src, encoding: encoding, buf: r.buf, n: copy(r.buf, encoding.Trim(r.buf[:n]))}
		if r.decoded == nil {
			r.decoded = make([]byte, bufferSize)
		}
		err := r.lines(r.decoded, 0, source{r: d})
		if err == errUndecodable {
			r.walker.counts.undecodable.Add(1)
			return nil
		}
		return err
	}
	n = copy(r.buf, encoding.Trim(r.buf[:n]))
	return r.lines(r.buf, n, src)
}

// lines looks through a text of which buf holds n bytes and src the others.
func (r *reader) lines(buf []byte, n int, src source) (err error) {
	r.line = 1
	defer r.flush()
	for {
		if n, err = src.fill(buf, n, len(buf)-slack); err != nil || r.walker.ended() {
			return err
		}
		text := buf[:n]
		if src.eof {
			r.look(text)
			return nil
		}
		end := bytes.LastIndexByte(text, '\n') + 1
		if end == 0 {
			if n, err = r.long(buf, n, &src); err != nil {
				return err
			}
			continue
		}
		counted := r.look(text[:end])
		r.line += bytes.Count(text[counted:end], newline)
		n = copy(buf, text[end:])
	}
}

var newline = []byte{'\n'}

// look looks through whole lines. It gives up to where it counted them.
func (r *reader) look(text []byte) (counted int) {
	r.scanner.Reset(text)
	for {
		f, ok := r.scanner.Next(r.walker.ended)
		if !ok {
			return counted
		}
		r.line += bytes.Count(text[counted:f.Start], newline)
		counted = f.Start
		r.add(foundLine(r.line, text[f.Start:f.End], f.At-f.Start, f.Until-f.Start))
	}
}

func (r *reader) add(l vfs.FoundLine) {
	r.found = append(r.found, l)
	r.bytes += len(l.Text)
	if len(r.found) == maxBlock || r.bytes > maxBytes {
		r.flush()
	}
}

func (r *reader) flush() {
	if len(r.found) > 0 {
		r.pass(r.found)
		r.found, r.bytes = nil, 0
	}
}

// foundLine makes the result of a line of which a part matches.
func foundLine(number int, line []byte, at, end int) vfs.FoundLine {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	l := vfs.FoundLine{Number: number, At: min(at, len(line)), End: min(end, len(line))}
	if len(line) > vfs.MaxFoundLine {
		from := max(0, min(l.At-vfs.MaxFoundLine/4, len(line)-vfs.MaxFoundLine))
		for from > 0 && from < l.At && line[from]&0xc0 == 0x80 {
			from++
		}
		to := min(from+vfs.MaxFoundLine, len(line))
		to -= textenc.Unfinished(line[from:to])
		line, l.Cut = line[from:to], true
		l.At, l.End = l.At-from, min(l.End-from, len(line))
	}
	l.Text = string(line)
	return l
}

// long looks through a line that is longer than buf, which is full of it, in parts that
// overlap. It gives how much of buf, from its start, is the text after that line.
func (r *reader) long(buf []byte, n int, src *source) (rest int, err error) {
	known := false
	for first := true; ; first = false {
		end := bytes.IndexByte(buf[:n], '\n')
		last := end >= 0 || src.eof
		part := buf[:n]
		if end >= 0 {
			part = buf[:end]
		}
		if at, until, ok := 0, 0, false; !known {
			if at, until, ok = r.scanner.MatchPart(part, first, last); ok {
				l := foundLine(r.line, part, at, until)
				l.Cut, known = true, true
				r.add(l)
			}
		}
		switch {
		case end >= 0:
			r.line++
			return copy(buf, buf[end+1:n]), nil
		case src.eof:
			return 0, nil
		case r.walker.ended():
			return 0, nil
		}
		n = copy(buf, buf[n-overlap:n])
		if n, err = src.fill(buf, n, len(buf)-slack); err != nil {
			return 0, err
		}
	}
}

// source is what of a file was not read yet.
type source struct {
	r   io.Reader
	eof bool
}

// fill reads behind the n bytes that buf holds until there are want, or no more.
func (s *source) fill(buf []byte, n, want int) (int, error) {
	for n < want && !s.eof {
		m, err := s.r.Read(buf[n:])
		n += m
		switch {
		case err == io.EOF:
			s.eof = true
		case err != nil:
			return n, err
		}
	}
	return n, nil
}
