package ignore

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

// generator makes trees and patterns that have much to do with each other.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) name() string {
	if g.IntN(4) > 0 {
		return g.pick("a", "b", "ab", "ba", "aab", "abc", "x.o", "y.o", "foo", "bar", "foobar")
	}
	return g.pick("#h", "!n", "a b", "a ", " a", "[a]", "a]", "a-b", `a\b`, "*", "**", "?", "A", "Ab", "B.O",
		"é", "\xff", "a\xffb", "\xc3", "x\ty", "a\r", "0", "_", "x\x7f", ":a", ":", "a\nb", "\xef\xbb\xbfa", "日")
}

func (g generator) tree() *tree {
	tr := &tree{ignores: map[string]string{}}
	seen := map[string]bool{}
	for range 6 + g.IntN(8) {
		p := ""
		for depth := 1 + g.IntN(4); depth > 0; depth-- {
			p = path.Join(p, g.name())
			if !seen[p] && !slices.Contains(tr.files, p) && (depth > 1 || g.IntN(3) == 0) {
				seen[p] = true
				tr.dirs = append(tr.dirs, p)
			} else if !seen[p] {
				seen[p] = true
				tr.files = append(tr.files, p)
			}
			if slices.Contains(tr.files, p) {
				break
			}
		}
	}
	slices.Sort(tr.dirs) // a directory comes before what is in it
	if g.IntN(3) == 0 {
		tr.excludes = g.file(tr.paths(), "")
	}
	if g.IntN(3) == 0 {
		tr.info = g.file(tr.paths(), "")
	}
	for _, dir := range append([]string{""}, tr.dirs...) {
		if dir == "" || g.IntN(3) == 0 {
			tr.ignores[dir] = g.file(tr.paths(), dir)
		}
	}
	return tr
}

// file makes a file of patterns for the paths that are in dir.
func (g generator) file(paths []string, dir string) string {
	var b strings.Builder
	if g.IntN(8) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range 1 + g.IntN(7) {
		p := g.name()
		if g.IntN(6) > 0 {
			p = paths[g.IntN(len(paths))]
			if dir != "" {
				p = strings.TrimPrefix(p, dir+"/")
			}
			if g.IntN(3) == 0 {
				p = path.Base(p)
			}
		}
		if g.IntN(12) == 0 {
			p = g.noise()
		} else {
			p = g.blur(p)
		}
		if g.IntN(5) < 2 {
			p = "!" + p
		}
		b.WriteString(p)
		b.WriteString(g.pick("\n", "\n", "\n", "\n", "\r\n", " \n", "  \r\n", "\t\n", `\ `+"\n", "\r\r\n", "\x00a\n", "\n\n", "\n#c\n"))
	}
	return strings.TrimSuffix(b.String(), g.pick("", "\n"))
}

// blur makes a pattern that may match a path.
func (g generator) blur(p string) string {
	var b strings.Builder
	if g.IntN(5) == 0 {
		b.WriteByte('/')
	}
	if g.IntN(8) == 0 {
		b.WriteString(g.pick("**/", "*/", "**", "/**/", "***/", "**/**/", `**\/`))
	}
	rate := 3 + g.IntN(10)
	for i := 0; i < len(p); i++ {
		c := p[i : i+1]
		switch {
		case g.IntN(rate) > 0:
			b.WriteString(c)
		case c == "/":
			b.WriteString(g.pick("/", "/**/", "/**/**/", "**/", "/**", `\/`, "/*/", "*/", "/*", "*", "**", "***/", "?", "[/]", "//", `**\/`, `/**\/`))
		default:
			b.WriteString(g.pick("?", "*", "**", "["+c+"]", "[!"+c+"]", "[^x]", `\`+c, "", c+"*", "*"+c, c+"**", c+"***",
				"[a-c]", "[c-a]", "[[:alpha:]]", "[[:punct:]]", "[![:digit:]]", "[]"+c+"]", "["+c, `[\`+c+`]`, "["+c+"-", "["+c+"-]",
				"[a-[:alpha:]]", "[[:nope:]]", "[[:"+c+"]", "[]-a]", "[--0]", `[\\-\]]`, "[[a]", "[!]a]", "[[:upper:]-z]", "[[:alpha:]", "[a/b]", "[\x80-\xff]"))
			if g.IntN(6) == 0 { // the rest of the name goes
				for i+1 < len(p) && p[i+1] != '/' {
					i++
				}
			}
		}
	}
	if g.IntN(8) == 0 {
		b.WriteString(g.pick("/**", "/*", "**", "*", `\`, "/**/", `\ `, " ", "//", `\/`))
	}
	if g.IntN(5) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

// noise is a pattern of nothing but what is special.
func (g generator) noise() string {
	p := ""
	for range g.IntN(7) {
		p += g.pick("*", "**", "/", "?", "[", "]", "!", "^", "-", `\`, "a", "b", ".", "[a", "a]", "#", " ", "**/", "/**", ":", "[:")
	}
	return p
}
