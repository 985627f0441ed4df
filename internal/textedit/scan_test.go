package textedit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scan finds old in text in pieces whose sizes step decides.
func scan(text, old string, step func() int) *Scanner {
	s := NewScanner(old)
	for rest := text; len(rest) > 0; {
		n := min(max(step(), 1), len(rest))
		s.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	s.Close()
	return s
}

// checkScan compares with what Apply's view says.
func checkScan(t failer, text, old string, step func() int) {
	if lf(old) == "" {
		return
	}
	s := scan(text, old, step)
	v := newView(text)
	if want := occurrences(v.text, lf(old)); s.Count() != int64(want) {
		t.Fatalf("%q in %q: %d found, there are %d", old, text, s.Count(), want)
	}
	if s.Count() == 0 {
		return
	}
	p := strings.Index(v.text, lf(old))
	if start, end := s.First(); int(start) != v.rawAt(p) || int(end) != v.rawAt(p+len(lf(old))) {
		t.Fatalf("%q in %q: at %d to %d, it is at %d to %d", old, text, start, end, v.rawAt(p), v.rawAt(p+len(lf(old))))
	}
}

func TestScannerFindsWhatApplyFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkScan(t, pieces().Draw(t, "text"), pieces().Draw(t, "old"), func() int { return rapid.IntRange(1, 5).Draw(t, "piece") })
	})
}

func TestScannerHoldsLittle(t *testing.T) {
	s := NewScanner(strings.Repeat("\n", 10))
	piece := []byte(strings.Repeat("\r\n", 1<<12))
	for range 64 {
		s.Write(piece)
	}
	if s.Close(); s.Count() != 64<<12-9 || cap(s.crlf) > 1<<12 {
		t.Errorf("%d found, %d places held", s.Count(), cap(s.crlf))
	}
}

func FuzzScanner(f *testing.F) {
	f.Add("a\r\nb\r\n", "\r\nb\n", 1)
	f.Add("aaa\r\r\n", "\r", 2)
	f.Fuzz(func(t *testing.T, text, old string, piece int) {
		checkScan(t, text, old, func() int { return 1 + (piece%7+7)%7 })
	})
}
