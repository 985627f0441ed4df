package ignore

import "strings"

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

// addRange adds the bytes from low to high, none if they are the wrong way round.
func (s *byteSet) addRange(low, high byte) {
	for c := int(low); c <= int(high); c++ {
		s.add(byte(c))
	}
}

// parseClass reads a class whose "[" stands before i, and says where the pattern goes on.
func parseClass(pattern string, i int) (set *byteSet, next int, ok bool) {
	set = new(byteSet)
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	first := i
	from := -1 // what a "-" would make a range of
	for ; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == ']' && i > first:
			if negated {
				for w := range set {
					set[w] = ^set[w]
				}
			}
			set[0] &^= 1 << '/' // no class matches a slash
			return set, i + 1, true
		case c == '\\':
			if i++; i == len(pattern) {
				return nil, 0, false
			}
			set.add(pattern[i])
			from = int(pattern[i])
		case c == '-' && from >= 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			if i++; pattern[i] == '\\' {
				if i++; i == len(pattern) {
					return nil, 0, false
				}
			}
			set.addRange(byte(from), pattern[i])
			from = -1
		case c == '[' && strings.HasPrefix(pattern[i+1:], ":"):
			name, _, closed := strings.Cut(pattern[i+2:], "]")
			if !closed {
				return nil, 0, false
			}
			if !strings.HasSuffix(name, ":") { // just a "["
				set.add(c)
				from = int(c)
				break
			}
			if !set.addNamed(strings.TrimSuffix(name, ":")) {
				return nil, 0, false
			}
			i += len("[:") + len(name)
			from = -1
		default:
			set.add(c)
			from = int(c)
		}
	}
	return nil, 0, false
}

// addNamed adds the ASCII characters of a named class. Space lacks vertical tab and form
// feed, as it does for git.
func (s *byteSet) addNamed(name string) bool {
	var in func(c byte) bool
	switch name {
	case "alnum":
		in = func(c byte) bool { return letter(c) || digit(c) }
	case "alpha":
		in = letter
	case "blank":
		in = func(c byte) bool { return c == ' ' || c == '\t' }
	case "cntrl":
		in = func(c byte) bool { return c < ' ' || c == 0x7f }
	case "digit":
		in = digit
	case "graph":
		in = func(c byte) bool { return c > ' ' && c < 0x7f }
	case "lower":
		in = func(c byte) bool { return c >= 'a' && c <= 'z' }
	case "print":
		in = func(c byte) bool { return c >= ' ' && c < 0x7f }
	case "punct":
		in = func(c byte) bool { return c > ' ' && c < 0x7f && !letter(c) && !digit(c) }
	case "space":
		in = func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	case "upper":
		in = func(c byte) bool { return c >= 'A' && c <= 'Z' }
	case "xdigit":
		in = func(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
	default:
		return false
	}
	for c := range 256 {
		if in(byte(c)) {
			s.add(byte(c))
		}
	}
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
