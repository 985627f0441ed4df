package linepattern

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// checkFilter fails where the filter or the scanner misses a line in which the pattern
// matches. It gives how many lines matched, and how many the filter let pass for nothing.
func checkFilter(t *testing.T, p *Pattern, d *filter, s *Scanner, text []byte) (matched, idle int) {
	t.Helper()
	s.Reset(text)
	passed := -1 // where the line that the filter lets pass ends
	for start := 0; start < len(text); {
		end := lineEnd(text, start)
		line := text[start:end]
		at, until, ok := p.Match(line)
		if passed < end && d != nil {
			passed = len(text) + 1
			if n := d.next(text[start:]); n >= 0 {
				passed = lineEnd(text, start+n)
			}
		}
		if d != nil && d.line(line) != (passed == end) && !d.off() {
			t.Fatalf("%q: alone and among others it is not the same for %q in %q", p.expr, line, text)
		}
		switch {
		case ok:
			matched++
			if d != nil && passed != end {
				t.Fatalf("%q: the filter misses %q in %q", p.expr, line, text)
			}
			want := Found{start, end, start + at, start + until}
			if f, ok := s.Next(func() bool { return false }); !ok || f != want {
				t.Fatalf("%q in %q: %v, not %v", p.expr, text, f, want)
			}
		case d != nil && passed == end:
			idle++
		}
		start = end + 1
	}
	if f, ok := s.Next(func() bool { return false }); ok {
		t.Fatalf("%q in %q: %v too", p.expr, text, f)
	}
	return matched, idle
}

// TestFilter: for expressions and texts at random no line is missed, with however little
// room, and few lines pass that do not match.
func TestFilter(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(3, 9))}
	matched, idle, filters := 0, 0, 0
	for range 200 {
		p, err := Compile(g.expr(5))
		if err != nil {
			continue
		}
		d, s := newFilter(p), p.NewScanner()
		if d != nil {
			filters++
			d.limit, d.room = 4+g.IntN(60), 20+g.IntN(500)
		}
		for range 60 {
			m, i := checkFilter(t, p, d, s, g.text())
			matched, idle = matched+m, idle+i
		}
		if d != nil && (len(d.states) > d.limit+2 || d.held > d.room+3*len(d.program.insts)) {
			t.Fatalf("%q: %d states of at most %d, with %d instructions of at most %d", p.expr, len(d.states), d.limit, d.held, d.room)
		}
	}
	t.Logf("%d filters, %d lines matched, %d more passed", filters, matched, idle)
	if filters < 150 || matched < 5_000 || idle > matched/10 {
		t.Errorf("%d filters, %d lines matched, %d more passed", filters, matched, idle)
	}
}

// TestFilterGivesUp: where each byte needs a new set, the expression is run instead, and
// nothing is missed.
func TestFilterGivesUp(t *testing.T) {
	p, err := Compile(`[ab]*a[ab]{14}[bc]c`)
	if err != nil {
		t.Fatal(err)
	}
	g := rand.New(rand.NewPCG(1, 1))
	var text []byte
	for range 60_000 {
		text = append(text, "abab\nababab"[g.IntN(11)])
	}
	text = append(text, strings.Repeat("aaaaaaaaaaaaaaabc\n", 3)...)
	s := p.NewScanner()
	s.Reset(text)
	s.filter = newFilter(p)
	s.filter.limit, s.filter.patience, s.literal = 20, 1000, false
	n := 0
	for _, ok := s.Next(func() bool { return false }); ok; _, ok = s.Next(func() bool { return false }) {
		n++
	}
	if !s.filter.off() || n < 3 {
		t.Errorf("%d lines, given up: %v", n, s.filter.off())
	}
	if most := 1000 + s.filter.bytes + len(s.filter.program.insts)*4; s.filter.work > most {
		t.Errorf("%d steps were made, of at most %d", s.filter.work, most)
	}
	if want := bytes.Count(text, []byte("bc\n")); n != want {
		t.Errorf("%d lines, not %d", n, want)
	}
}

// TestFilterGoesOn: what was done for states is worth it once enough was looked through.
func TestFilterGoesOn(t *testing.T) {
	p, err := Compile(`[a-z]{20}\d`)
	if err != nil {
		t.Fatal(err)
	}
	d := newFilter(p)
	d.patience = 1000
	text := bytes.Repeat([]byte("some words of several lengths, noneoftheminterminably\n"), 1000)
	for range 5 {
		for rest := text; len(rest) > 0; {
			n := d.next(rest)
			if n < 0 {
				break
			}
			rest = rest[lineEnd(rest, n)+1:]
		}
	}
	if d.off() || d.work <= d.patience {
		t.Errorf("given up: %v, after %d steps", d.off(), d.work)
	}
}

// TestFilterEdges: conditions that follow one another, which a generator seldom makes.
func TestFilterEdges(t *testing.T) {
	text := []byte("a\n\n-\r\n \xff\né\n\r\n-a")
	for _, expr := range []string{`\b^a`, `$^`, `\B^-`, `a$\b`, `$\B`, `^$`, `^\b`, `(?:^|-)a\b$`, `\x{fffd}$`, `^é$`, `\B`, `\r`} {
		p, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if matched, _ := checkFilter(t, p, newFilter(p), p.NewScanner(), text); matched == 0 {
			t.Errorf("%q matches nothing", expr)
		}
	}
}

func TestNoFilter(t *testing.T) {
	for expr, want := range map[string]bool{`\d{3}`: true, `x*`: false, `^`: false, `\d?`: false, `$`: true, `[ab]{900}.{900}`: true, strings.Repeat(`[ab]{900}c`, 12): false} {
		p, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := newFilter(p) != nil; got != want {
			t.Errorf("%q: %v", expr, got)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, expr := range []string{`\d{9,}`, `[а-я]{3}`, `\w+\s+\w+;`, `(?i)[a-z]+_[0-9]+$`, `^\s*$`, `\b\w\B`, `[^\x00-\x7f]`, `\x{fffd}`, `(?i)k|ſ`} {
		f.Add(expr, []byte("one 123456789\r\n\nпривет\xd1\n\xff;a b;\nx_1"), uint8(9))
	}
	f.Fuzz(func(t *testing.T, expr string, text []byte, limit uint8) {
		if len(expr) > 200 {
			return
		}
		p, err := Compile(expr)
		if err != nil {
			return
		}
		d := newFilter(p)
		if d != nil {
			d.limit = int(limit)
		}
		checkFilter(t, p, d, p.NewScanner(), text)
	})
}
