package linepattern

import (
	"math/rand/v2"
	"strings"
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
