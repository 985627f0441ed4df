package linepattern

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// literals is texts of which every match holds at least one; none says nothing.
type literals struct {
	texts []string
	fold  bool // in either case; the texts are ASCII, in lower case
}

// maxLiterals is how many texts are looked for at once.
const maxLiterals = 8

// required gives what every match of a tree holds. Of several possibilities it takes
// that which is probably the rarest in a text.
func required(tree *syntax.Regexp) literals {
	switch tree.Op {
	case syntax.OpLiteral:
		return literalOf(tree)
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpConcat:
		var best literals
		for _, sub := range tree.Sub {
			if l := required(sub); l.rarity() > best.rarity() {
				best = l
			}
		}
		return best
	case syntax.OpAlternate:
		return requiredOfAll(tree.Sub)
	}
	return literals{}
}

func requiredOfAll(list []*syntax.Regexp) (all literals) {
	for i, sub := range list {
		l := required(sub)
		if len(l.texts) == 0 || i > 0 && l.fold != all.fold || len(all.texts)+len(l.texts) > maxLiterals {
			return literals{}
		}
		all.fold = l.fold
		all.texts = append(all.texts, l.texts...)
	}
	return all
}

// literalOf gives the text of a literal. Of one that is in either case it is the
// longest part that is ASCII.
func literalOf(tree *syntax.Regexp) literals {
	text := string(tree.Rune)
	if strings.ContainsRune(text, utf8.RuneError) {
		return literals{} // it also matches bytes that are no text
	}
	if tree.Flags&syntax.FoldCase == 0 {
		return literals{texts: []string{text}}
	}
	longest := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	if longest == "" {
		return literals{}
	}
	return literals{texts: []string{strings.ToLower(longest)}, fold: true}
}

// only reports that the tree is the literal itself, as it stands.
func (l literals) only(tree *syntax.Regexp) bool {
	return !l.fold && len(l.texts) == 1 && l.texts[0] == string(tree.Rune)
}

// rarity estimates how rare the most frequent of the texts is.
func (l literals) rarity() int {
	if len(l.texts) == 0 {
		return 0
	}
	least := 1 << 30
	for _, text := range l.texts {
		n := 1
		for _, c := range []byte(text) {
			n += weight(c)
		}
		least = min(least, n)
	}
	return least
}

// weight is how much a byte says in a text of code or prose.
func weight(c byte) int {
	switch {
	case c == ' ' || c == '\t':
		return 1
	case strings.IndexByte("etaoinsr", c) >= 0:
		return 4
	case 'a' <= c && c <= 'z':
		return 6
	}
	return 7
}

// folds reports that a text holds a letter that is another's other case: the Kelvin sign
// and the long s, for which no byte is the same.
func (l literals) folds(text []byte) bool {
	return l.fold && slices.ContainsFunc(l.texts, func(s string) bool { return strings.ContainsAny(s, "ks") }) &&
		(bytes.Contains(text, []byte("\u212a")) || bytes.Contains(text, []byte("\u017f")))
}

// rare reports that most lines of a text hold none of the texts.
func (l literals) rare() bool { return len(l.texts) <= 2 && l.rarity() > 7 }
