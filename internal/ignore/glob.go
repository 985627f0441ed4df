package ignore

import (
	"strings"
	"unicode/utf8"
)

// glue is what stands between the literal ends of a pattern.
type glue uint8

const (
	glueNone  glue = iota // nothing: head is all
	glueStar              // bytes but slashes
	glueDeep              // bytes
	glueMaybe             // nothing, or bytes that end with a slash
	glueOps               // more than that
)

// glob is a compiled pattern with its literal ends taken off: nearly all patterns are
// decided by them, and nearly all paths fail at them.
type glob struct {
	head, tail string
	glue       glue
	ops        []op   // all of them if they fold case, else those after the head
	least      int    // how many bytes ops read at least
	need       string // the longest literal text in their midst
}

// shape takes the literal ends off. Those of ops that fold case are folded.
func shape(ops []op, foldCase bool) glob {
	// A mere byte among ops that fold case is part of no character: it is no literal,
	// since it may meet a part of one.
	lit := opByte
	if foldCase {
		lit = opRune
	}
	var g glob
	from, to := 0, len(ops)
	for from < to && ops[from].kind == lit {
		from++
	}
	for from < to && ops[to-1].kind == lit {
		to--
	}
	g.head, g.tail = literal(ops[:from]), literal(ops[to:])
	middle := ops[from:to]
	maybe := len(middle) >= 2 && ops[to-2].kind == opMaybe
	if maybe { // the slash belongs to what may stand for nothing
		g.tail = g.tail[1:]
	}
	switch {
	case len(middle) == 0:
		g.glue = glueNone
	case len(middle) == 2 && maybe:
		g.glue = glueMaybe
	case len(middle) == 1 && middle[0].kind == opStar:
		g.glue = glueStar
	case len(middle) == 1 && middle[0].kind == opDeep:
		g.glue = glueDeep
	case foldCase:
		g.glue, g.ops = glueOps, ops
	default:
		g.glue, g.ops = glueOps, ops[from:]
	}
	g.least = least(g.ops)
	if g.glue == glueOps {
		g.need = need(middle, lit)
	}
	return g
}

// least is how many bytes ops read at least.
func least(ops []op) int {
	n := 0
	for _, o := range ops {
		switch o.kind {
		case opByte, opRune, opAny, opSet:
			n++
		case opMaybe: // its slash
			n--
		}
	}
	return n
}

// need is the longest literal text that ops cannot do without.
func need(ops []op, lit kind) string {
	longest := ""
	for i := 0; i < len(ops); {
		if ops[i].kind == opMaybe { // with its slash
			i += 3
			continue
		}
		n := i
		for n < len(ops) && ops[n].kind == lit {
			n++
		}
		if text := literal(ops[i:n]); len(text) > len(longest) {
			longest = text
		}
		i = max(n, i+1)
	}
	return longest
}

// literal is the text that literal ops stand for.
func literal(ops []op) string {
	var b []byte
	for _, o := range ops {
		if o.kind == opRune {
			b = utf8.AppendRune(b, o.r)
		} else {
			b = append(b, o.b)
		}
	}
	return string(b)
}

// match reports whether the pattern matches a text as it is written.
func (g *glob) match(text string) bool {
	rest, ok := g.ends(text)
	if !ok || g.glue != glueOps {
		return ok
	}
	return g.least <= len(rest) && strings.Contains(rest, g.need) && run(g.ops, rest)
}

// matchFold reports whether the pattern matches a text in any case; folded is the text
// after folding.
func (g *glob) matchFold(text, folded string) bool {
	rest, ok := g.ends(folded)
	if !ok || g.glue != glueOps {
		return ok
	}
	return g.least <= utf8.UTFMax*len(text) && strings.Contains(rest, g.need) && runFold(g.ops, text)
}

// ends checks the literal ends and, unless there are ops, all the rest. It gives what
// comes after the head.
func (g *glob) ends(text string) (rest string, ok bool) {
	if len(text) < len(g.head)+len(g.tail) || text[:len(g.head)] != g.head {
		return "", false
	}
	rest = text[len(g.head):]
	cut := len(rest) - len(g.tail)
	if rest[cut:] != g.tail {
		return "", false
	}
	switch g.glue {
	case glueNone:
		return rest, rest == ""
	case glueStar:
		return rest, strings.IndexByte(rest[:cut], '/') < 0
	case glueMaybe:
		return rest, cut == 0 || rest[cut-1] == '/'
	default:
		return rest, true
	}
}
