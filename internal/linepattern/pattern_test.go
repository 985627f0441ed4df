package linepattern_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolfs/toolfs/internal/linepattern"
)

func never() bool { return false }

// lines gives the matching lines as "number:match".
func lines(t *testing.T, expr, text string) string {
	t.Helper()
	p, err := linepattern.Compile(expr)
	if err != nil {
		t.Fatalf("%q: %v", expr, err)
	}
	s := p.NewScanner()
	s.Reset([]byte(text))
	var out []string
	for f, ok := s.Next(never); ok; f, ok = s.Next(never) {
		out = append(out, fmt.Sprintf("%d:%s", 1+strings.Count(text[:f.Start], "\n"), text[f.At:f.Until]))
	}
	return strings.Join(out, " ")
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ rule, expr, text, want string }{
		{"a literal", "one", "one\ntwo\none one\n", "1:one 3:one"},
		{"the last line needs no line feed", "z$", "a\nz", "2:z"},
		{"an empty line is a line", "^$", "a\n\nb\n", "2:"},
		{"behind the last line feed there is none", "^$", "a\n", ""},
		{"^ is of each line", "^b", "ab\nb\n", "2:b"},
		{"$ comes before a carriage return", "one$", "one\r\ntwo one\r\none \r\n", "1:one\r 2:one\r"},
		{"a class crosses no line", `a[^x]+b`, "a\nb\na1b\n", "3:a1b"},
		{"white space crosses no line", `a\s+b`, "a\nb\na b\n", "3:a b"},
		{"the dot crosses no line", `(?s)a.b`, "a\nb\na.b\n", "3:a.b"},
		{"one of several literals", "beta|alpha", "alpha\nx\nbeta\n", "1:alpha 3:beta"},
		{"either case", "(?i)NEEDLE", "a needle\nNeeDLE\nneedl\n", "1:needle 2:NeeDLE"},
		{"either case, beyond ASCII", "(?i)straße", "STRAßE\n", "1:STRAßE"},
		{"the Kelvin sign is a k in other case", "(?i)ok", "o\u212a\nOK\n", "1:o\u212a 2:OK"},
		{"the long s is an s in other case", "(?i)yes", "ye\u017f\n", "1:ye\u017f"},
		{"\\w is of Unicode", `^\w+$`, "naïve\nа б\nслово\n", "1:naïve 3:слово"},
		{"\\W is of Unicode", `\W`, "naïve\na-b\n", "2:-"},
		{"\\d is of Unicode", `x\d`, "x٣\nx3\nxy\n", "1:x٣ 2:x3"},
		{"\\s is of Unicode", `a\sb`, "a\u00a0b\na b\n", "1:a\u00a0b 2:a b"},
		{"negated in a class", `x[\W_]y`, "xéy\nx-y\nx_y\n", "2:x-y 3:x_y"},
		{"words end at other letters", `\bcaf\b`, "café\ncaf é\n", "2:caf"},
		{"words begin at other letters", `\bétude\b`, "une étude é\n", "1:étude"},
		{"words in each alternative", `\bétude\b|\bcaf\b`, "café\nune étude\n", "2:étude"},
		{"a second place on the line", `\bon\b`, "é bon on\n", "1:on"},
		{"braces that repeat nothing", `interface{}`, "interface{}\n", "1:interface{}"},
		{"an optional literal is not needed", `(?:needle)?x`, "x\n", "1:x"},
		{"bytes that are no text", `b`, "a\xff\nb\xff\n", "2:b"},
		{"classes by name", `[[:digit:]]+`, "a1\n", "1:1"},
		{"one of no literal", `a|.b`, "xb\na\n", "1:xb 2:a"},
	} {
		if got := lines(t, c.expr, c.text); got != c.want {
			t.Errorf("%s: %q in %q gives %q, not %q", c.rule, c.expr, c.text, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for expr, want := range map[string]string{
		`(`: `\(`, `a)`: `\)`, `[`: `\[`, `*a`: `\*`, `a\`: `\\`,
		`\Qa.b\E`: "put", `(a)\1`: "backreferences", `\<word\>`: `\b`, `\Aa`: "^", `a\z`: "$", `\b{start}a`: `\b`,
		`\u0041`: `\x{`, `\p{^L}`: `\P{`, `a\nb`: "line", "a\nb": "line", `(?=a)`: "looks around", `(?<!a)b`: "looks around",
		`(?x)a b`: "flag", `[a[bc]]`: `\[`, `[a&&b]`: "set operation", `[a--b]`: "set operation", `a{,3}`: "{0,n}",
		`a{1001}`: "1000", `a**`: "**", strings.Repeat("a", 20000): "bytes",
	} {
		_, err := linepattern.Compile(expr)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v", expr, err)
		}
	}
}

// Whatever short cuts are taken, the lines are those that the expression matches one by
// one.
func TestAgainstEachLine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	exprs := []string{"needle", "(?i)needle", "nee|dle", "(?i)nee|DLE", "n.*e", "^n", "e$", `n[^d]+`, "(?i)k", "[ab]c?", "ne+d", "x*", "(?i:n)ee(?i:d)", "é", "(?i)é"}
	alphabet := []rune("nedlNEDLabkKé\u212a \n\n")
	for range 3000 {
		expr := exprs[rnd.IntN(len(exprs))]
		var b strings.Builder
		for range rnd.IntN(60) {
			if rnd.IntN(9) == 0 {
				b.WriteString("Needle")
			}
			b.WriteRune(alphabet[rnd.IntN(len(alphabet))])
		}
		text := b.String()
		var want []string
		re := regexp.MustCompile(expr)
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if m := re.FindString(line); re.MatchString(line) && text != "" {
				want = append(want, fmt.Sprintf("%d:%s", i+1, m))
			}
		}
		if got := lines(t, expr, text); got != strings.Join(want, " ") {
			t.Fatalf("%q in %q gives %q, not %q", expr, text, got, want)
		}
	}
}

// TestPathological: no expression takes more than linear time.
func TestPathological(t *testing.T) {
	text := []byte(strings.Repeat("a", 50_000) + "\n")
	for _, expr := range []string{`(a+)+$`, `(a+)+b`, `(a|aa)+b`, `(.*)*x`, `a.*a.*a.*a.*b`, `(\w+\s*)+:`} {
		p, err := linepattern.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		s := p.NewScanner()
		s.Reset(text)
		s.Next(never)
		if took := time.Since(start); took > time.Minute { // without the bound it would be years
			t.Errorf("%s took %v", expr, took)
		}
	}
}

// TestLongLines: where a line is longer than what is looked at at once, the next one begins
// behind its line feed, for an expression with and without a filter.
func TestLongLines(t *testing.T) {
	text := strings.Repeat("a", 40_000) + "\nb\n\n" + strings.Repeat("c", 40_000) + "1\n"
	for expr, want := range map[string]string{`^$`: "3:", `^|x`: "1: 2: 3: 4:", `[0-9]$`: "4:1", `^[b-c]`: "2:b 4:c"} {
		if got := lines(t, expr, text); got != want {
			t.Errorf("%q gives %q, not %q", expr, got, want)
		}
	}
}

func TestStop(t *testing.T) {
	p, err := linepattern.Compile(`[a-z]\d`)
	if err != nil {
		t.Fatal(err)
	}
	s := p.NewScanner()
	s.Reset([]byte(strings.Repeat("nothing here\n", 100_000)))
	asked := 0
	if _, ok := s.Next(func() bool { asked++; return asked == 3 }); ok || asked != 3 {
		t.Errorf("found %v after %d questions", ok, asked)
	}
}

func TestMatchPart(t *testing.T) {
	for _, c := range []struct {
		expr, part  string
		first, last bool
		want        bool
	}{
		{"^a", "a", true, false, true},
		{"^a", "a", false, true, false},
		{"a$", "a", false, true, true},
		{"a$", "a", true, false, false},
		{`\ba`, "a b", false, true, false},
		{`\ba`, " a b", false, true, true},
		{".*a", "xa", false, false, true},
		{`[a-c]\d`, "xa2", false, false, true},
		{`[a-c]\d$`, "xa2", false, true, true},
		{`^[a-c]\d`, "xa2", true, false, false},
	} {
		p, err := linepattern.Compile(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := p.MatchPart([]byte(c.part), c.first, c.last); ok != c.want {
			t.Errorf("%+v gives %v", c, ok)
		}
		if _, _, ok := p.NewScanner().MatchPart([]byte(c.part), c.first, c.last); ok != c.want {
			t.Errorf("%+v gives a scanner %v", c, ok)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`(a+)+$`, `[\W_]`, `\bfoo\b`, `(?i)needle|k`, `x{3,5}`, `[^\n]`, `[]a]`, `\p{Greek}`} {
		f.Add(s, "some text\nfoo néedle 12\n")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		p, err := linepattern.Compile(expr)
		if err != nil {
			return
		}
		s := p.NewScanner()
		s.Reset([]byte(text))
		last := -1
		for f, ok := s.Next(never); ok; f, ok = s.Next(never) {
			if f.Start <= last || f.End < f.Start || f.At < f.Start || f.Until > f.End || strings.Contains(text[f.Start:f.End], "\n") {
				t.Fatalf("%q in %q: %+v", expr, text, f)
			}
			last = f.Start
		}
	})
}
