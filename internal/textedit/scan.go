package textedit

import "bytes"

// Scanner finds a text in a stream as Apply finds it in a string: with CRLF as LF, every
// overlapping position counted, in time linear in the stream however periodic the text
// is, and without holding more than the text itself.
type Scanner struct {
	old    string  // what is looked for in the stream with CRLF as LF
	border []int32 // of every beginning of old, how much of it ends there again
	k      int32   // how much of old has just been seen
	at     int64   // raw bytes consumed
	cr     bool    // the last byte was a CR, which the next one may make an ending
	crlf   []int64 // where the CRLFs stand that the beginning just seen may contain

	count      int64
	start, end int64 // of the first match, in raw bytes
}

// NewScanner makes a Scanner for old, which must not be empty.
func NewScanner(old string) *Scanner { return NewVerbatimScanner(lf(old)) }

// NewVerbatimScanner makes a Scanner for an old in which CRLF does not stand for LF: its CR
// is one in front of a line's ending, as Apply looks for it when nothing else is found.
func NewVerbatimScanner(old string) *Scanner { return &Scanner{old: old, border: borders(old)} }

// Count is the number of matches so far; after Close, of all.
func (s *Scanner) Count() int64 { return s.count }

// First is where the first match stands in the raw stream.
func (s *Scanner) First() (start, end int64) { return s.start, s.end }

// Write takes the next piece; it never fails.
func (s *Scanner) Write(p []byte) (int, error) {
	for i := 0; i < len(p); i++ {
		if s.k == 0 && !s.cr {
			// Nothing has begun: go to where something can.
			j := bytes.IndexByte(p[i:], s.old[0])
			if j < 0 {
				s.at += int64(len(p) - i)
				s.cr = p[len(p)-1] == '\r'
				return len(p), nil
			}
			if j > 0 {
				s.cr = p[i+j-1] == '\r'
				s.at += int64(j)
				i += j
			}
		}
		s.byte(p[i])
	}
	return len(p), nil
}

// Close says that the stream has ended.
func (s *Scanner) Close() error {
	if s.cr {
		s.cr = false
		s.step('\r', s.at)
	}
	return nil
}

func (s *Scanner) byte(b byte) {
	if s.cr {
		s.cr = false
		if b == '\n' {
			s.crlf = append(s.crlf, s.at-1)
			s.at++
			s.step(b, s.at)
			return
		}
		s.step('\r', s.at)
	}
	s.at++
	if b == '\r' {
		s.cr = true
		return
	}
	s.step(b, s.at)
}

// step takes one character of the text as matching sees it, which ends at raw byte end.
func (s *Scanner) step(c byte, end int64) {
	whole := int32(len(s.old))
	for s.k > 0 && (s.k == whole || s.old[s.k] != c) {
		s.k = s.border[s.k]
	}
	if s.old[s.k] == c {
		s.k++
	}
	if s.k == 0 {
		s.crlf = s.crlf[:0]
		return
	}
	if s.k < whole {
		return
	}
	if s.count++; s.count == 1 {
		s.start, s.end = s.from(end), end
	}
	if len(s.crlf) > 2*len(s.old) {
		s.crlf = append(s.crlf[:0], s.crlf[len(s.crlf)-len(s.old):]...)
	}
}

// from is where a match begins that ends at raw byte end: as many bytes before as old
// has, and one more for each CRLF among them.
func (s *Scanner) from(end int64) int64 {
	start := end - int64(len(s.old))
	for i := len(s.crlf) - 1; i >= 0 && s.crlf[i] >= start-1; i-- {
		start--
	}
	return start
}

// borders is the failure function of Knuth, Morris and Pratt.
func borders(s string) []int32 {
	border := make([]int32, len(s)+1)
	for i, k := 1, int32(0); i < len(s); i++ {
		for k > 0 && s[i] != s[k] {
			k = border[k]
		}
		if s[i] == s[k] {
			k++
		}
		border[i+1] = k
	}
	return border
}
