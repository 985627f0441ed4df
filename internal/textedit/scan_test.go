package textedit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scan has s look through text in pieces whose sizes step decides.
func scan(s *Scanner, text string, step func() int) {
	for rest := text; len(rest) > 0; {
		n := min(max(step(), 1), len(rest))
		s.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	s.Close()
}

// checkScan compares with what Apply's view says.
func checkScan(t failer, text, old string, step func() int) {
	if lf(old) == "" {
		return
	}
	checkScanner(t, NewScanner(old), text, lf(old), step)
	checkScanner(t, NewVerbatimScanner(old), text, old, step)
}

func checkScanner(t failer, s *Scanner, text, old string, step func() int) {
	scan(s, text, step)
	v := newView(text)
	if want := occurrences(v.text, old); s.Count() != int64(want) {
		t.Fatalf("%q in %q: %d found, there are %d", old, text, s.Count(), want)
	}
	if s.Count() == 0 {
		return
	}
	p := strings.Index(v.text, old)
	if start, end := s.First(); int(start) != v.rawAt(p) || int(end) != v.rawAt(p+len(old)) {
		t.Fatalf("%q in %q: at %d to %d, it is at %d to %d", old, text, start, end, v.rawAt(p), v.rawAt(p+len(old)))
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
	f.Add("a\r\r\nb\r\n", "a\r\nb", 3)
	f.Fuzz(func(t *testing.T, text, old string, piece int) {
		checkScan(t, text, old, func() int { return 1 + (piece%7+7)%7 })
	})
}
