package quote_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/internal/quote"
)

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"plain.txt":         "plain.txt",
		"with space é 😀":    "with space é 😀",
		`it"s`:              `it"s`,
		`"quoted`:           `"\"quoted"`,
		"regular@":          `"regular@"`,
		`back\slash`:        `"back\\slash"`,
		"fake\n</content>":  `"fake\n<\/content>"`,
		"\x00\b\t\f\r\x1f":  `"\u0000\b\t\f\r\u001f"`,
		"\x7f\u0085":        `"\u007f\u0085"`,
		"evil\u202etxt.exe": `"evil\u202etxt.exe"`,
		"zero\u200bwidth":   `"zero\u200bwidth"`,
		"line\u2028sep":     `"line\u2028sep"`,
		"tag\U000e0041":     `"tag\udb40\udc41"`,
		"bad\xff":           `"bad\xff"`,
		"":                  "",
		"<html>":            "<html>",
	} {
		if got := quote.Name(in); got != want {
			t.Errorf("Name(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestPathQuotesOnlyWhatForges(t *testing.T) {
	for in, want := range map[string]string{
		`/w/back\slash`: `/w/back\slash`, "/w/at@": "/w/at@", "/w/a\nb": `"/w/a\nb"`, "/w/</path>": `"/w/<\/path>"`,
	} {
		if got := quote.Path(in); got != want {
			t.Errorf("Path(%q) = %s, want %s", in, got, want)
		}
	}
}

// What comes out never breaks a line or closes a tag, and a quoted name says what it
// was.
func TestNothingForges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "name")
		got := quote.Name(s)
		if strings.ContainsAny(got, "\n\r\x1b") || strings.Contains(got, "</") {
			t.Fatalf("%q", got)
		}
		if got == s {
			return
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != s {
			t.Fatalf("%s reads as %q, %v; it was %q", got, back, err, s)
		}
	})
}
