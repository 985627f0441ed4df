package linediff

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// text is a text and where its lines begin. A line holds its line feed; only the
// last may lack it, and then differs from the same line with it.
type text struct {
	all    string
	starts []int // of every line, and the end of the text
}

func newText(s string) text {
	starts := make([]int, 1, strings.Count(s, "\n")+2)
	for at := 0; at < len(s); {
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			at += i + 1
		} else {
			at = len(s)
		}
		starts = append(starts, at)
	}
	return text{s, starts}
}

func (t *text) len() int { return len(t.starts) - 1 }

func (t *text) line(i int) string { return t.all[t.starts[i]:t.starts[i+1]] }

// size is the length of the lines from up to to.
func (t *text) size(from, to int) int { return t.starts[to] - t.starts[from] }

// join gives the lines from up to to, without a final line feed.
func (t *text) join(from, to int) string {
	return strings.TrimSuffix(t.all[t.starts[from]:t.starts[to]], "\n")
}

// pair is the two texts. The first same lines are equal on both sides; each line
// after them has its hash, so that most unequal lines are told apart by a number.
type pair struct {
	old, new         text
	same             int
	oldHash, newHash []uint64
}

func newPair(before, after string) *pair {
	p := &pair{old: newText(before), new: newText(after)}
	for p.same < min(p.old.len(), p.new.len()) && p.old.line(p.same) == p.new.line(p.same) {
		p.same++
	}
	seed := maphash.MakeSeed()
	hash := func(t *text) []uint64 {
		out := make([]uint64, t.len()-p.same)
		for i := range out {
			out[i] = maphash.String(seed, t.line(p.same+i))
		}
		return out
	}
	p.oldHash, p.newHash = hash(&p.old), hash(&p.new)
	return p
}

// equal compares lines beyond the first same ones.
func (p *pair) equal(x, y int) bool {
	return p.oldHash[x] == p.newHash[y] && p.old.line(p.same+x) == p.new.line(p.same+y)
}

// shared counts the lines that both sides have beyond the first same ones, in
// whatever order: no alignment can keep more of them.
func (p *pair) shared() int {
	count := make(map[uint64]int, len(p.oldHash))
	for _, h := range p.oldHash {
		count[h]++
	}
	n := 0
	for _, h := range p.newHash {
		if count[h] > 0 {
			count[h]--
			n++
		}
	}
	return n
}

// head gives the first whole lines of s that fit n bytes, or when not even one fits,
// as much of that line as does.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if i := strings.LastIndexByte(s[:n+1], '\n'); i >= 0 {
		return s[:i]
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
