package ignore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// row is what one file of patterns at the top says about some paths; a directory's name
// ends with a slash here.
type row struct {
	rule, file        string
	ignored, included string // separated by "|"
	none              string
}

// rows are held to git as well, by TestRowsAreAsGit.
var rows = []row{
	{"a name matches at any depth", "foo", "foo|a/foo|a/b/foo/", "", "foob|xfoo|Foo"},
	{"a slash at the start anchors", "/foo", "foo|foo/", "", "a/foo"},
	{"a slash within anchors", "a/b", "a/b|a/b/", "", "c/a/b|a/bc"},
	{"one slash at the start is dropped, no more", "//foo", "", "", "foo"},
	{"a slash at the end is for directories", "foo/", "foo/|a/foo/", "", "b/foo"},
	{"two slashes at the end match nothing", "foo//", "", "", "foo/"},
	{"a star stops at a slash", "/a*c", "ac|abc|a.c/", "", "ab/c|b/ac"},
	{"a star matches a leading dot", "*x", ".x|x|a/.x", "", "xa"},
	{"a star alone is everything", "*", "a|a/b|.c", "", ""},
	{"a star between slashes is one name", "a/*/c", "a/b/c", "", "a/c|a/b/b/c"},
	{"? is one byte, no slash", "a?c", "abc|a/abc", "", "ac|a/c|aéc"},
	{"? is no slash in a path either", "/a?c\n/b?/d", "abc|bc/d", "", "a/c|b/d"},
	{"?? is one character of two bytes", "a??c", "aéc", "", "abc"},
	{"**/ at the start is any depth, none too", "**/a/b", "a/b|c/a/b|c/d/a/b", "", "ca/b"},
	{"**/ in a row is one", "**/**/**/a/b", "a/b|c/d/a/b", "", "b"},
	{"/** at the end is what is within", "a/**", "a/b|a/b/c", "", "a/|b/a/c"},
	{"/**/ is any number of names", "a/**/b", "a/b|a/x/b|a/x/y/b", "", "ab|a/xb|c/a/b"},
	{"** within a name is a star", "a/x**y", "a/xy|a/xzy", "", "a/x/y|a/xz/zy"},
	{"** right after literal text is at a beginning", "a**/b", "ab|a/b|ax/y/b|axb/b", "", "axb|ba/b"},
	{"** that ends a path after literal text goes on below", "a/b**\n!a/*", "", "a/bc/|a/b|a/c", "b"},
	{"** after anything else is a star", "/?a**/b", "xa/b|xac/b", "", "xab|xa/c/b"},
	{"*** is **", "***/a/b", "a/b|c/d/a/b", "", "ca/b"},
	{"**\\/ stands for something", "**\\/a/b", "c/a/b|c/d/a/b", "", "a/b"},
	{"** without a slash is a star", "a**c", "ac|abbc|b/abc", "", "ab"},
	{"a class", "[abc]x", "ax|cx", "", "dx|x|Ax"},
	{"a range", "[b-d]", "b|c|d", "", "a|e|-"},
	{"a range the wrong way round is its first alone", "[d-b]", "d", "", "b|c|-"},
	{"a negated class, with either mark", "x[!a]\ny[^a]", "xb|yb|x!", "", "xa|ya|x"},
	{"a bracket first is a member", "[]a]\nx[!]a]", "]|a|xb", "", "b|x]"},
	{"a dash at either end is a member", "[a-]\nx[-a]", "-|a|x-|xa", "", "b"},
	{"a dash after a range is a member", "[a-c-e]", "a|b|-|e", "", "d"},
	{"a range may end with a bracket", "[Z-[:x]", "[|Z|:|x", "", "Y"},
	{"escapes in a class", `[\]\-\\]`, `]|-|\`, "", "a"},
	{"escapes in a range", `[\a-\c]`, "a|b|c", "", `\|d`},
	{"a class of bytes", "[\xc3][\xa9]", "é", "", "e"},
	{"no class matches a slash", "a[!b]c\nd[/]e", "axc", "", "a/c|d/e"},
	{"a slash in a class anchors", "[a/b]", "a|b", "", "c/a"},
	{"named classes", "[[:upper:][:digit:]_]x", "Ax|0x|_x", "", "ax|:x"},
	{"a dash after a named class is a member", "[[:digit:]-z]", "1|-|z", "", "y"},
	{"not quite a named class", "[[:a]", "[|:|a", "", "b"},
	{"an unknown named class matches nothing", "[[:nope:]a]", "", "", "a|n|:"},
	{"an open class matches nothing", "[a\nx[[:alpha:]\ny[", "", "", "a|[a|xa|y["},
	{"an escaped letter is itself", `\f\o\*\?`, "fo*?", "", "foxx"},
	{"an escape at the end matches nothing", `a\`, "", "", `a|a\`},
	{"an escaped slash at the end matches nothing", `a\/`, "", "", "a/"},
	{"an escaped slash within is a slash", `a\/b`, "a/b", "", "ab"},
	{"a comment", "#a\n\\#b\n #c", "#b| #c", "", "#a|a|#c"},
	{"an exception", "*\n!a\n\\!b", "b|!b|!a|x/a", "a", ""},
	{"only one mark makes an exception", "*\n!!a", "a", "!a", ""},
	{"the last pattern that matches decides", "a\n!a\na\n!b\nb\n!b", "a", "b", "c"},
	{"an exception alone", "!a", "", "a", "b"},
	{"spaces at the end go", "a  \nb", "a|b", "", "a  "},
	{"an escaped space at the end stays", "a\\ \nb\\  ", "a |b ", "", "a|b|b  "},
	{"an escape before an escape leaves the space alone", `a\\ `, `a\`, "", `a\ `},
	{"tabs at the end stay", "a\t", "a\t", "", "a"},
	{"spaces at the start stay", " a", " a", "", "a"},
	{"a space before a slash stays", "a /", "a /", "", "a/"},
	{"one CR before the LF goes", "a\r\nb\r\r\nc\r", "a|b\r|c", "", "a\r|b|c\r"},
	{"a CR shields spaces", "a \r \nb \r\n", "a \r|b", "", "a|a |b "},
	{"a NUL ends the line", "a\x00b\nc", "a|c", "", "b|ab"},
	{"a BOM at the start goes, once", "\xef\xbb\xbfa\n\xef\xbb\xbfb", "a|\xef\xbb\xbfb", "", "\xef\xbb\xbfa|b"},
	{"blank lines say nothing", "\n\r\n  \n!\n/\n!/\n\\ ", " ", "", "a|a/"},
	{"no newline at the end", "a\nb", "a|b", "", "c"},
	{"bytes that are no UTF-8", "\xff?\n*\xfe", "\xffa|a\xfe", "", "\xff|a"},
	{"a literal after a star, the last place counts", "a*b.o", "ab.ob.o|ab.o", "", "ab.ox"},
	{"ends may not overlap", "aba*aba", "abaaba|abaxaba", "", "aba|ababa"},
}

// each calls f for every path of a row.
func (r row) each(f func(path string, isDir bool, want Verdict)) {
	for i, paths := range []string{r.none, r.ignored, r.included} {
		for p := range strings.SplitSeq(paths, "|") {
			if name, isDir := strings.CutSuffix(p, "/"); name != "" {
				f(name, isDir, Verdict(i))
			}
		}
	}
}

func TestMatch(t *testing.T) {
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			rules := Parse([]byte(r.file), Options{})
			r.each(func(path string, isDir bool, want Verdict) {
				// Other than git, Match does not ask about the directories above.
				got := Decide([]Layer{{Rules: rules}}, path, isDir).Verdict
				if got != want {
					t.Errorf("%q is %v, want %v", path, got, want)
				}
			})
		})
	}
}

func TestMatchNamesThePattern(t *testing.T) {
	rules := Parse([]byte("# c\n\n*.o  \r\n!/keep/\n[x\n"), Options{})
	v, p := rules.Match("a/b.o", false)
	if v != Ignored || p.Text != "*.o" || p.Line != 3 || p.Negated || p.DirOnly {
		t.Errorf("%v by %+v", v, p)
	}
	v, p = rules.Match("keep", true)
	if v != Included || p.Text != "!/keep/" || p.Line != 4 || !p.Negated || !p.DirOnly {
		t.Errorf("%v by %+v", v, p)
	}
	if v, p = rules.Match("keep", false); v != None || p != nil {
		t.Errorf("%v by %+v", v, p)
	}
	if rules.Len() != 2 {
		t.Errorf("%d patterns, want 2", rules.Len())
	}
	if broken := rules.Broken(); len(broken) != 1 || broken[0].Text != "[x" || broken[0].Line != 5 {
		t.Errorf("broken: %+v", broken)
	}
}

func TestMatchIsAboutThePathAlone(t *testing.T) {
	if v, _ := Parse([]byte("a/"), Options{}).Match("a/b", false); v != None {
		t.Errorf("a/b is %v by a pattern for a", v)
	}
}

func TestNothingMatchesNothing(t *testing.T) {
	var none *Rules
	if v, p := none.Match("a", false); v != None || p != nil || none.Len() != 0 || none.Broken() != nil {
		t.Errorf("nil rules: %v %v", v, p)
	}
	if v, _ := Parse([]byte("*\n**\n"), Options{}).Match("", true); v != None {
		t.Errorf("the empty path is %v", v)
	}
}

func TestVerdictsHaveNames(t *testing.T) {
	got := []string{None.String(), Ignored.String(), Included.String()}
	if diff := cmp.Diff([]string{"none", "ignored", "included"}, got); diff != "" {
		t.Error(diff)
	}
}
