package toolfs

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/toolfs/toolfs/card"
)

// window selects numbered lines from a text that arrives in chunks, and counts all of
// its lines. What it holds is bounded by the selection and one line's cap, whatever
// the file's size and the lines' lengths. Contract section 12.2.6.
type window struct {
	offset, limit int
	maxLine       int // UTF-16 units kept of a line
	maxBytes      int // UTF-8 bytes kept of all lines, with one more between two

	lines  int  // line feeds so far
	open   bool // something follows the last line feed
	capped bool // the byte cap has ended the selection

	partial []byte // the selected line that is not yet finished, up to its cap
	text    []byte // the selected lines, one after the other
	ends    []int  // where in text each ends
	bytes   int
}

func newWindow(offset, limit, maxLine, maxBytes int) *window {
	return &window{offset: offset, limit: limit, maxLine: maxLine, maxBytes: maxBytes}
}

// selecting reports whether the line that is being read belongs to the window.
func (w *window) selecting() bool {
	n := w.lines + 1
	return n >= w.offset && n-w.offset < w.limit && !w.capped
}

// add takes the next chunk, which ends with a whole character.
func (w *window) add(chunk []byte) {
	for len(chunk) > 0 {
		if !w.selecting() {
			chunk = w.skip(chunk)
			continue
		}
		i := bytes.IndexByte(chunk, '\n')
		if i < 0 {
			w.keep(chunk)
			w.open = true
			return
		}
		if len(w.partial) == 0 {
			w.end(chunk[:i])
		} else {
			w.keep(chunk[:i])
			w.end(w.partial)
			w.partial = w.partial[:0]
		}
		w.lines++
		w.open = false
		chunk = chunk[i+1:]
	}
}

// skip counts over lines that do not belong to the window, and gives what is left of
// the chunk where the window begins.
func (w *window) skip(chunk []byte) []byte {
	rest := chunk
	for before := w.offset - 1 - w.lines; before > 0 && len(rest) > 0; {
		block := rest[:min(len(rest), skipBlock)]
		n := bytes.Count(block, newline)
		if n < before {
			before -= n
			w.lines += n
			rest = rest[len(block):]
			continue
		}
		for ; before > 0; before-- {
			rest = rest[bytes.IndexByte(rest, '\n')+1:]
			w.lines++
		}
		w.open = false
		return rest
	}
	w.lines += bytes.Count(rest, newline)
	w.open = chunk[len(chunk)-1] != '\n'
	return nil
}

// skipBlock is how many bytes are counted at once on the way to the window: counting
// is much faster than looking for each line's end.
const skipBlock = 4 << 10

var newline = []byte{'\n'}

// keep adds to the unfinished line what can still be shown of it: enough bytes that a
// longer line is longer than the cap in UTF-16 units as well.
func (w *window) keep(piece []byte) {
	room := w.maxLine*utf8.UTFMax + 2*utf8.UTFMax - len(w.partial)
	w.partial = append(w.partial, piece[:min(max(room, 0), len(piece))]...)
}

// end selects a finished line.
func (w *window) end(line []byte) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	kept := cutUnits(line, w.maxLine)
	suffix := ""
	if len(kept) < len(line) {
		suffix = "... (line truncated to " + strconv.Itoa(w.maxLine) + " chars)"
	}
	size := w.bytes + len(kept) + len(suffix)
	if len(w.ends) > 0 {
		size++
		if size > w.maxBytes {
			w.capped = true
			return
		}
	}
	w.bytes = size
	w.text = append(append(w.text, kept...), suffix...)
	w.ends = append(w.ends, len(w.text))
}

// cutUnits is the longest beginning of a line that has at most n UTF-16 units and
// ends with a whole character.
func cutUnits(line []byte, n int) []byte {
	if len(line) <= n {
		return line
	}
	units := 0
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if units++; r > 0xffff {
			units++
		}
		if units > n {
			return line[:i]
		}
		i += size
	}
	return line
}

// finish gives the selected lines and the number of lines of the whole text.
func (w *window) finish() (lines []card.Line, total int) {
	if w.open {
		if w.selecting() {
			w.end(w.partial)
		}
		w.lines++
		w.open = false
	}
	text := string(w.text)
	lines = make([]card.Line, len(w.ends))
	from := 0
	for i, to := range w.ends {
		lines[i] = card.Line{Number: w.offset + i, Text: text[from:to]}
		from = to
	}
	return lines, w.lines
}
