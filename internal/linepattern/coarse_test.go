package linepattern_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/internal/linepattern"
)

// coarse gives the expression with what ripgrep alone reads replaced for RE2: bytes that
// are looked at singly are told apart by giving each a character of its own, and what
// stands for whole characters is written as their bytes.
func coarse(t *testing.T, expr string) (*regexp.Regexp, bool) {
	t.Helper()
	p, err := linepattern.Compile(expr)
	if err != nil {
		t.Fatalf("%q: %v", expr, err)
	}
	text, ok := p.Coarse()
	if !ok {
		return nil, false
	}
	for _, c := range []byte(text) {
		if c < ' ' || c >= 0x7f {
			t.Fatalf("%q becomes %q", expr, text)
		}
	}
	re, err := regexp.Compile(byBytes(text))
	if err != nil {
		t.Fatalf("%q becomes %q: %v", expr, text, err)
	}
	return re, true
}

var class = regexp.MustCompile(`\[[^\]]*\\x\{[^\]]*\]`)

// byBytes writes each class of characters as the bytes of each of its members, and all
// the rest as it is.
func byBytes(text string) string {
	text = strings.ReplaceAll(text, "(?-u:", "(?:")
	return class.ReplaceAllStringFunc(text, func(class string) string {
		in := regexp.MustCompile("^" + class + "$")
		var members []string
		for r := range rune(0x2200) {
			if in.MatchString(string(r)) {
				members = append(members, regexp.QuoteMeta(latin(string(r))))
			}
		}
		return "(?:" + strings.Join(members, "|") + ")"
	})
}

func latin(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// TestCoarse: wherever the pattern matches, so does what is made of it. Letters that are
// another's other case beyond ASCII are left to ripgrep itself.
func TestCoarse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 7))
	exprs := []string{
		`\d{3,}`, `^\s*\}$`, `[^a-z]x[^\d]`, `\bé\b`, `(a|é)+b`, `x.{2}y`, `[А-я]{2,3}`, `\W\w\W`, `(?i)é.x`, `^.x$`, `a?b?c`, `(?:ab|c.){2}`,
		`\S+é`, `[\x{fffd}]x`, `\x{fffd}a`, `x$`, `(?i)[k-s]\d`, `(?s)a.b`, `[[:upper:]]\d`, `\pL\d`, `needle`, `né+`, `é`, `(?U)a+b`,
	}
	alphabet := []string{"a", "b", "c", "x", "y", "é", "É", "А", "я", " ", "1", "٣", "\xff", "\xc3", "\ufffd", "}", "\r", "needle", "N", "\t", "K", "s", "_"}
	fine, rough := make([]*linepattern.Pattern, len(exprs)), make([]*regexp.Regexp, len(exprs))
	for i, expr := range exprs {
		ok := false
		if rough[i], ok = coarse(t, expr); !ok {
			t.Fatalf("%q gives nothing", expr)
		}
		fine[i], _ = linepattern.Compile(expr)
	}
	matched := 0
	for range 40_000 {
		i := rnd.IntN(len(exprs))
		expr, p, re := exprs[i], fine[i], rough[i]
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteString(alphabet[rnd.IntN(len(alphabet))])
		}
		if _, _, found := p.Match([]byte(b.String())); !found {
			continue
		}
		matched++
		if !re.MatchString(latin(b.String())) {
			text, _ := p.Coarse()
			t.Fatalf("%q matches %q, and %q does not", expr, b.String(), text)
		}
	}
	if matched < 2000 {
		t.Errorf("only %d matches", matched)
	}
}

func TestCoarseOfNothing(t *testing.T) {
	for _, expr := range []string{"x*", "^", `\b`, `a?|b`, `(^|\b)$`, `\B`, `()`} {
		if re, ok := coarse(t, expr); ok {
			t.Errorf("%q becomes %v", expr, re)
		}
	}
}

func TestSelective(t *testing.T) {
	for expr, want := range map[string]bool{`needle`: true, `(?i)needle`: true, `\w+Handler\(`: true, `\d+`: false, `x\d`: false, `abc|d`: false, `abc|def`: true} {
		p, err := linepattern.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if p.Selective() != want {
			t.Errorf("%q: %v", expr, !want)
		}
	}
}
