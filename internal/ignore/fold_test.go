package ignore

import (
	"strings"
	"testing"
)

func TestFoldCase(t *testing.T) {
	for _, r := range []row{
		{"a name", "Foo", "foo|FOO|a/fOo", "", "fo"},
		{"ends", "Foo*.Log\n/Bar/**\n**/Tmp/X", "FOO.LOG|fooX.log|bar/x|BAR/X|tmp/x|a/TMP/x", "", "foo.lo|x/bar/y"},
		{"between specials", "?a*b?/*C", "XAYBZ/xc|xab-/c", "", "xa/b-/c"},
		{"exceptions count as written", "*.key\n!Public.key", "public.key|PUBLIC.KEY|public.Key", "Public.key", "key"},
		{"a later denial beats an exception", "!a.key\n*.KEY", "a.key", "", "a"},
		{"simple folding", "é\nσ\n/Я*я", "É|é|Σ|ς|σ|яЯ|ЯЮя", "", "e|è|я"},
		{"letters that fold into ASCII", "key\n/?sh?", "\u212aey|x\u017fhx|xSHx", "", "\u212aeyx"},
		{"letters that fold out of ASCII", "\u212aey\n/?\u017fh?", "key|KEY|xshx|xSHx", "", "ey"},
		{"lengths that differ", "*\u2c65.x\n/?\u023a?", "\u023a.x|a\u2c65.x|x\u2c65x", "", "x\u2c65"},
		{"a class", "x[a-c]\ny[K]\nz[[:upper:]]", "XA|xB|xc|yk|y\u212a|zk|zK", "", "xd|yl|z1"},
		{"a negated class", "x[!a]", "xb|xa|XA", "", "x"},
		{"a class of bytes", "x[\xc3][\xa9]", "xé|XÉ", "", "xe"},
		{"? is any way to write the letter", "x?\nyy???", "x\u212a|yy\u212a|x\u017f", "", "xs1|xé|yys|yyk"},
		{"bytes that are no UTF-8", "*a\xff\n\xfe\n\xc3?b", "xA\xff|\xfe|éB|\xc3xb", "", "\xff|a\xfe|\ufffd"},
		{"the character for what is no UTF-8", "\ufffd*b", "\ufffdB", "", "\xffb|\xef\xbfb"},
		{"part of a character", "*\xa9\n/\xc3*x", "é|É|xé|éX", "", "a|\xc9|x"},
	} {
		t.Run(r.rule, func(t *testing.T) {
			rules := Parse([]byte(r.file), Options{FoldCase: true})
			r.each(func(path string, isDir bool, want Verdict) {
				if got := Decide([]Layer{{Rules: rules}}, path, isDir).Verdict; got != want {
					t.Errorf("%q is %v, want %v", path, got, want)
				}
			})
		})
	}
}

// What is ignored as written is ignored in any case, also when the path is shouted.
func TestFoldCaseIgnoresMore(t *testing.T) {
	for _, r := range rows {
		rules := Parse([]byte(r.file), Options{FoldCase: true})
		for p := range strings.SplitSeq(r.ignored, "|") {
			name, isDir := strings.CutSuffix(p, "/")
			if d := Decide([]Layer{{Rules: rules}}, name, isDir); name != "" && d.Verdict != Ignored {
				t.Errorf("%s: %q is %v", r.rule, name, d.Verdict)
			}
		}
	}
}

func TestFoldRune(t *testing.T) {
	for _, class := range []string{"aA", "kK\u212a", "sS\u017f", "éÉ", "σςΣ", "1", "\u0131", "\u0130", "\u023a\u2c65", "\ufffd"} {
		var want rune
		for i, r := range class {
			if i == 0 {
				want = foldRune(r)
			} else if got := foldRune(r); got != want {
				t.Errorf("%q folds to %q, another of %q to %q", r, got, class, want)
			}
		}
	}
	if foldRune('K') != 'k' || foldRune('\u212a') != 'k' || foldRune('[') != '[' {
		t.Error("ASCII is not what ASCII folds to")
	}
}
