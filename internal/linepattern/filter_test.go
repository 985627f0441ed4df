package linepattern

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator makes expressions and texts of few characters, so that they meet.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) expr(depth int) string {
	if depth == 0 {
		return g.pick("a", "b", "é", "я", "1", " ", "_", "-", "K", "世", `\d`, `\w`, `\s`, `\S`, `\W`, `\D`, ".", `[a-c]`, `[^a]`, `[а-я]`, `[é-я]`,
			`[^\x00-\x7f]`, `\x{fffd}`, `[\x{fff0}-\x{ffff}]`, `[^é]`, `\pL`, `\PL`, "^", "$", `\b`, `\B`, `\r`, "(?i:k)", "(?i:s)", "(?i:É)", "[[:upper:]]", `\x{10ffff}`, `(?s:.)`)
	}
	switch g.IntN(9) {
	case 0, 1, 2:
		return g.expr(depth-1) + g.expr(depth-1)
	case 3:
		return "(?:" + g.expr(depth-1) + "|" + g.expr(depth-1) + ")"
	case 4:
		return "(?:" + g.expr(depth-1) + ")" + g.pick("*", "+", "?", "{2}", "{1,3}", "{2,}", "+?", "*?")
	case 5:
		return g.pick("^", `\b`, `\B`, "") + g.expr(depth-1) + g.pick("$", `\b`, `\B`, "")
	case 6:
		return g.pick("(?i)", "(?s)", "(?U)", "(?m)") + g.expr(depth-1)
	}
	return g.expr(depth - 1)
}

func (g generator) text() []byte {
	alphabet := []string{"a", "b", "c", "1", " ", "\n", "\n", "\r\n", "_", "-", "k", "K", "s"}
	if g.IntN(2) == 0 {
		alphabet = append(alphabet, "é", "É", "я", "世", "\u212a", "\u017f", "\u00a0", "\U0010ffff", "\ufffd", "\xff", "\xc3", "\xd1", "\xe4\xb8", "\xf4\x8f\xbf", "\xed\xa0\x80", "\x80", "\v")
	}
	var b strings.Builder
	for range g.IntN(40) {
		b.WriteString(alphabet[g.IntN(len(alphabet))])
	}
	return []byte(b.String())
}

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
	for range 1200 {
		p, err := Compile(g.expr(5))
		if err != nil {
			continue
		}
		d, s := newFilter(p), p.NewScanner()
		if d != nil {
			filters++
			d.limit = 4 + g.IntN(60)
		}
		for range 25 {
			m, i := checkFilter(t, p, d, s, g.text())
			matched, idle = matched+m, idle+i
		}
	}
	t.Logf("%d filters, %d lines matched, %d more passed", filters, matched, idle)
	if filters < 800 || matched < 20_000 || idle > matched/10 {
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
	if want := bytes.Count(text, []byte("bc\n")); n != want {
		t.Errorf("%d lines, not %d", n, want)
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
