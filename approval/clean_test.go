package approval_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/toolfs/toolfs/approval"
)

func TestCleanTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"plain":                           "plain",
		" réason 😀\nline2 ":               "réason 😀 line2",
		"a\r\n\r\n\tb":                    "a b",
		"\x1b[2J\x1b[31mred\x1b[0m":       "[2J [31mred [0m",
		"a\x00b\x07c\x7fd":                "a b c d",
		"a\u0085b\u2028c\u2029d":          "a b c d",
		"fine\u202etxt.exe\u202c":         "finetxt.exe",
		"\u2066x\u2069\u200b\u200d\ufeff": "x",
		"tag\U000E0041\U000E007F":         "tag",
		"private\ue000":                   "private",
		"bad\xff\xfebytes":                "bad\ufffd\ufffdbytes",
		"\u200b\u00a0\u3000\n":            "",
	} {
		if got := approval.Clean(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
	for _, unit := range []string{"x", "é", "😀", "x ", "x\n"} {
		got := approval.Clean(strings.Repeat(unit, 10_000))
		if n := utf8.RuneCountInString(got); n < 499 || n > 501 || !strings.HasSuffix(got, "…") {
			t.Errorf("%q: %d characters, ending in %q", unit, n, got[len(got)-5:])
		}
	}
	if exact := strings.Repeat("é", 500); approval.Clean(exact) != exact {
		t.Error("500 characters are cut")
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "a\nb", "\x1b[0m", "\u202e", "\xff", strings.Repeat("a ", 400)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := approval.Clean(text)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 501 || strings.TrimSpace(got) != got {
			t.Errorf("%q becomes %q", text, got)
		}
		if strings.IndexFunc(got, hidden) >= 0 {
			t.Errorf("%q keeps something hidden: %q", text, got)
		}
		if again := approval.Clean(got); again != got {
			t.Errorf("%q is not clean yet: %q", got, again)
		}
	})
}

// hidden reports what moves a cursor, turns a direction, or is not seen.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func TestVisibleTexts(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\tand é 😀\n": "plain\n\tand é 😀\n",
		"a\x1b[2Jb":          `a\u001b[2Jb`,
		"a\rb":               `a\rb`,
		"if (\u202e) {":      `if (\u202e) {`,
		"bad\xff":            `bad\xff`,
		`"quoted" \ </b>`:    `"quoted" \ </b>`,
	} {
		if got := approval.Visible(text); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := approval.Visible(text)
		if !utf8.ValidString(got) || strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q is shown as %q", text, got)
		}
		if strings.IndexFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }) >= 0 {
			t.Errorf("%q keeps something hidden: %q", text, got)
		}
	})
}
