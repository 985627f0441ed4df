package ignore

import "strings"

// kind is what an op of a compiled pattern does.
type kind uint8

const (
	opByte  kind = iota // one byte, b
	opRune              // one rune in any case; r is the folded one
	opAny               // one byte but a slash
	opSet               // one byte of a class
	opStar              // any bytes but slashes
	opDeep              // any bytes
	opMaybe             // what follows, or all but the next two ops: "**/" may stand for nothing
)

type op struct {
	kind kind
	b    byte
	r    rune
	set  *byteSet
}

// compile makes ops of a pattern; paths says that it is matched against whole paths, where
// "**" has a meaning. It fails for what can never match.
func compile(pattern string, paths bool) ([]op, bool) {
	// git compares the text before the first special byte by itself and sees what comes
	// after it as a pattern of its own. Hence "**" counts as a path's beginning not only
	// after a slash but also right there: "a**/b" matches "ab" and "ax/y/b".
	head := strings.IndexAny(pattern, special)
	if head < 0 {
		head = len(pattern)
	}
	ops := make([]op, 0, len(pattern)+2)
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '\\':
			if i+1 == len(pattern) {
				return nil, false
			}
			ops = append(ops, op{kind: opByte, b: pattern[i+1]})
			i += 2
		case '?':
			ops = append(ops, op{kind: opAny})
			i++
		case '[':
			set, next, ok := parseClass(pattern, i+1)
			if !ok {
				return nil, false
			}
			ops = append(ops, op{kind: opSet, set: set})
			i = next
		case '*':
			begins := i == head || pattern[i-1] == '/'
			stars := i
			for i < len(pattern) && pattern[i] == '*' {
				i++
			}
			rest := pattern[i:]
			ends := rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)
			switch {
			case !paths || i-stars == 1 || !begins || !ends:
				ops = append(ops, op{kind: opStar})
			case rest != "" && rest[0] == '/':
				i++
				if !endsDeep(ops) { // a second one says nothing new
					ops = append(ops, op{kind: opMaybe}, op{kind: opDeep}, op{kind: opByte, b: '/'})
				}
			default:
				ops = append(ops, op{kind: opDeep})
			}
		default:
			ops = append(ops, op{kind: opByte, b: c})
			i++
		}
	}
	return ops, true
}

// endsDeep reports whether the ops end with those of a "**/".
func endsDeep(ops []op) bool {
	n := len(ops)
	return n >= 3 && ops[n-3].kind == opMaybe
}
