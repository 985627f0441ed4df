package glob_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolfs/toolfs/internal/glob"
)

func compile(t *testing.T, pattern string) *glob.Pattern {
	t.Helper()
	p, err := glob.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func match(p *glob.Pattern, path string) bool {
	return p.Match(path, strings.LastIndexByte(path, '/')+1)
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ rule, pattern, yes, no string }{
		{"without a slash it is of names", "*.go", "a.go d/a.go .go", "a.gox d.go/x"},
		{"a name as it is", "Makefile", "Makefile d/Makefile", "xMakefile Makefile/x"},
		{"a star is any text of a name", "*", "a a/b .a", ""},
		{"a star before and behind", "*mid*", "mid amidb d/xmid", "md mid/x"},
		{"a star stays within a name", "src/*.go", "src/a.go", "src/d/a.go a.go x/src/a.go"},
		{"a question mark is one character", "?otes", "notes éotes", "otes nnotes"},
		{"a question mark is no slash", "a/?", "a/b", "a// a"},
		{"a leading slash anchors", "/*.go", "a.go", "d/a.go"},
		{"a leading ./ anchors", "./*.go", "a.go", "d/a.go"},
		{"** spans directories, or none", "**/a", "a d/a d/e/a", "ba a/b"},
		{"** in between", "a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"},
		{"** at the end is all below", "a/**", "a/b a/b/c", "a ab"},
		{"** alone is everything", "**", "a a/b .a/b", ""},
		{"** within a name is a star", "a**b", "ab axb", "a/b"},
		{"a slash at the end is all below", "build/", "build/x a/build/x build/a/b", "build xbuild/a"},
		{"alternatives", "*.{ts,tsx}", "a.ts a.tsx", "a.t a.tsxx"},
		{"an alternative may be empty", "a{,b}", "a ab", "b"},
		{"alternatives nest", "{a,{b,c}d}x", "ax bdx cdx", "bx"},
		{"alternatives hold slashes", "{src,lib/x}/*.go", "src/a.go lib/x/a.go", "lib/a.go"},
		{"alternatives hold **", "{**/a,b}", "a x/a b", "x/b"},
		{"a class", "[ab]*.go", "a.go bx.go", "c.go"},
		{"a class by range, with a bracket", "[]a-c]", "] b", "d ["},
		{"a negated class", "[!a]", "b", "a"},
		{"a negated class is no slash", "a[!b]c", "axc", "a/c abc"},
		{"a backslash takes what follows literally", `\*`, "*", "a"},
		{"a class that leaves nothing", "a[/]b", "", "a/b ab"},
		{"an exclamation mark negates", "!*.go", "a.c d/x", "a.go d/a.go"},
		{"upper case is not lower case", "A", "A", "a"},
		{"names of any bytes", "a*", "a\xff a\n", "b\xff"},
		{"a dot is a character", ".*", ".a x/.b", "a.b"},
	} {
		p := compile(t, c.pattern)
		for path := range strings.FieldsFuncSeq(c.yes, func(r rune) bool { return r == ' ' }) {
			if !match(p, path) {
				t.Errorf("%s: %q does not match %q", c.rule, c.pattern, path)
			}
		}
		for path := range strings.FieldsFuncSeq(c.no, func(r rune) bool { return r == ' ' }) {
			if match(p, path) {
				t.Errorf("%s: %q matches %q", c.rule, c.pattern, path)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"*[":                       "unclosed character class; missing ']'",
		"{a,b":                     "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
		"a}":                       "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)",
		`a\`:                       `dangling '\'`,
		"[z-a]":                    "invalid range; 'z' > 'a'",
		"../x":                     `".." leads out`,
		"a/../b":                   `".." leads out`,
		strings.Repeat("{", 40):    "nested",
		strings.Repeat("a", 10000): "bytes",
	} {
		if _, err := glob.Compile(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", pattern, err)
		}
	}
}

func TestShape(t *testing.T) {
	for _, c := range []struct {
		pattern string
		prefix  []string
		literal bool
		depth   int
	}{
		{"*.go", nil, false, 0},
		{"src/*.go", []string{"src"}, false, 2},
		{"src/a/**", []string{"src", "a"}, false, 0},
		{".github/**/*.yml", []string{".github"}, false, 0},
		{"dist/app.js", []string{"dist", "app.js"}, true, 2},
		{"/a", []string{"a"}, true, 1},
		{"*/x/*", nil, false, 3},
		{"**/x/y", nil, false, 0},
		{"{a,b/c}/d", nil, false, 0},
		{"!src/x", nil, false, 0},
	} {
		p := compile(t, c.pattern)
		prefix, literal := p.Prefix()
		if !slices.Equal(prefix, c.prefix) || literal != c.literal || p.Depth() != c.depth {
			t.Errorf("%q: %q %v %d", c.pattern, prefix, literal, p.Depth())
		}
	}
}

// TestBlowUp: alternatives are never multiplied out.
func TestBlowUp(t *testing.T) {
	start := time.Now()
	for _, pattern := range []string{strings.Repeat("{a,aa}", 25), strings.Repeat("{a,b,c,d}", 300), strings.Repeat("*a", 500), strings.Repeat("**/", 300) + "x", strings.Repeat("{a,", 30) + strings.Repeat("}", 30)} {
		p, err := glob.Compile(pattern)
		if err != nil {
			t.Fatalf("%.20q: %v", pattern, err)
		}
		match(p, strings.Repeat("a", 255)+"b")
		match(p, strings.Repeat("a/", 1000)+"b")
	}
	if took := time.Since(start); took > time.Minute { // without the bound it would be years
		t.Errorf("it took %v", took)
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"{a,aa}{a,aa}{a,aa}", "**/*.{ts,tsx}", "[!a-z]", "a/**/b", `\{`, "./x/", "!a", "[[:x:]]", "{**,a}/b"} {
		f.Add(s, "a/b/c.ts")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := glob.Compile(pattern)
		if err != nil {
			return
		}
		ok := match(p, path)
		prefix, literal := p.Prefix()
		if !ok || p.Negated() {
			return
		}
		if want := strings.Join(prefix, "/"); literal && path != want || !literal && want != "" && !strings.HasPrefix(path, want+"/") {
			t.Errorf("%q matches %q, which is not below %q", pattern, path, want)
		}
		if d := p.Depth(); d > 0 && strings.Count(path, "/") >= d {
			t.Errorf("%q matches %q, which is deeper than %d", pattern, path, d)
		}
	})
}
