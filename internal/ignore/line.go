package ignore

import "strings"

// special are the bytes with which something other than literal text begins.
const special = `*?[\`

// clean is what a line holds of a pattern, or "". One CR before the LF is part of the
// ending; a NUL ends the line early, since to git the line is a C string.
func clean(line string) string {
	if line == "" || line[0] == '#' {
		return ""
	}
	line, _, _ = strings.Cut(strings.TrimSuffix(line, "\r"), "\x00")
	return trimBlanks(line)
}

// trimBlanks drops the spaces at the end, but not one that is escaped. Tabs stay.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// parse makes a pattern of a clean line, and reports whether it can match anything.
func parse(line string, foldCase bool) (Pattern, bool) {
	p := Pattern{Text: line}
	rest, negated := strings.CutPrefix(line, "!")
	rest, dirOnly := strings.CutSuffix(rest, "/")
	p.Negated, p.DirOnly = negated, dirOnly
	// A slash anchors wherever it stands, be it within a class.
	anchored := strings.IndexByte(rest, '/') >= 0
	rest = strings.TrimPrefix(rest, "/")
	ops, ok := compile(rest, anchored)
	if rest == "" || !ok {
		return p, false
	}
	if !anchored {
		p.form |= formBase
	}
	if foldCase && !negated {
		p.form |= formFold
		ops = foldOps(ops)
	}
	p.glob = shape(ops, p.form&formFold != 0)
	return p, true
}
