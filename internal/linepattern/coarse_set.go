package linepattern

import (
	"fmt"
	"regexp/syntax"
	"unicode/utf8"
)

// set is some characters: which of ASCII, and whether there are others.
type set struct {
	ascii   [utf8.RuneSelf]bool
	beyond  bool
	ranges  []rune // of those, by pairs
	invalid bool   // bytes that are no text are among them
	single  bool   // a single byte stands for the others, since the set is repeated
}

// maxRanges is how many ranges beyond ASCII are written out. For more of them any bytes
// beyond ASCII will do.
const maxRanges = 96

func (s *set) add(low, high rune) {
	if high >= utf8.RuneSelf {
		s.beyond = true
		s.ranges = append(s.ranges, max(low, utf8.RuneSelf), high)
		s.invalid = s.invalid || low <= utf8.RuneError && utf8.RuneError <= high
	}
	for r := low; r <= high && r < utf8.RuneSelf; r++ {
		s.ascii[r] = r != '\n'
	}
}

func setOf(t *syntax.Regexp) *set {
	s := &set{}
	if t.Op != syntax.OpCharClass {
		s.add(0, utf8.MaxRune)
		return s
	}
	for i := 0; i+1 < len(t.Rune); i += 2 {
		s.add(t.Rune[i], t.Rune[i+1])
	}
	return s
}

func (s *set) empty() bool { return !s.beyond && s.ascii == [utf8.RuneSelf]bool{} }

func (s *set) write(c *coarse) {
	if s.empty() {
		c.ok = false
		return
	}
	ascii := ""
	for low := 0; low < len(s.ascii); low++ {
		if !s.ascii[low] {
			continue
		}
		high := low
		for high+1 < len(s.ascii) && s.ascii[high+1] {
			high++
		}
		ascii += fmt.Sprintf(`\x%02X-\x%02X`, low, high)
		low = high
	}
	switch {
	case !s.beyond:
		fmt.Fprintf(c, `(?-u:[%s])`, ascii)
	case !s.invalid && len(s.ranges) <= 2*maxRanges:
		fmt.Fprintf(c, `[%s`, ascii)
		for i := 0; i < len(s.ranges); i += 2 {
			fmt.Fprintf(c, `\x{%x}-\x{%x}`, s.ranges[i], s.ranges[i+1])
		}
		c.WriteByte(']')
	case s.single:
		fmt.Fprintf(c, `(?-u:[%s\x80-\xFF])`, ascii)
	case ascii == "":
		c.WriteString(`(?-u:[\x80-\xFF]{1,4})`)
	default:
		fmt.Fprintf(c, `(?-u:[%s]|[\x80-\xFF]{1,4})`, ascii)
	}
}

// matchesAll reports that, but for the edges of words, there is nothing to match.
func matchesAll(t *syntax.Regexp) bool {
	switch t.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpBeginLine, syntax.OpEndLine,
		syntax.OpBeginText, syntax.OpEndText, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpRepeat:
		return t.Min == 0 || matchesAll(t.Sub[0])
	case syntax.OpCapture, syntax.OpPlus:
		return matchesAll(t.Sub[0])
	case syntax.OpConcat:
		for _, sub := range t.Sub {
			if !matchesAll(sub) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range t.Sub {
			if matchesAll(sub) {
				return true
			}
		}
	}
	return false
}
