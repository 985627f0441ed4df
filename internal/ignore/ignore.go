// Package ignore says which paths a file of ignore patterns means, exactly as git reads
// such a file: for searches that leave out what .gitignore leaves out, and for decisions
// about access, where a wrong answer is a hole. It works on names and bytes alone; it must
// never know a disk, a provider or a policy, nor what somebody does with a verdict.
//
// Paths are relative, slash-separated and clean: no empty segment, no "." or "..", no
// slash at either end. Names are bytes, as they are for git, and need not be UTF-8; in
// particular ? and a class stand for one byte. No normalization of Unicode takes place.
//
// Matching takes time proportional to the pattern times the path at worst, however the
// pattern is built.
package ignore

import "strings"

// Options change how a file of patterns is read. The zero value is git.
type Options struct {
	// FoldCase makes a pattern that ignores match whatever the case of the letters in the
	// path, in ASCII and by Unicode's simple folding, while an exception ("!") counts only
	// as it is written: a denial cannot be evaded where a disk does not tell case apart,
	// and whatever is ignored without FoldCase is ignored with it. What ? and a class see
	// is each case of a letter in turn; an ASCII letter stays ASCII for them.
	FoldCase bool
}

// Verdict is what a pattern or a set of layers says about a path.
type Verdict int

// The verdicts.
const (
	None     Verdict = iota // nothing matches
	Ignored                 // a pattern that ignores decides
	Included                // an exception decides
)

// String is the verdict in a word.
func (v Verdict) String() string {
	switch v {
	case Ignored:
		return "ignored"
	case Included:
		return "included"
	default:
		return "none"
	}
}

// Pattern is one line that is a pattern.
type Pattern struct {
	Text    string // the line without its ending and the blanks that do not count
	Line    int    // where it stands, from 1
	Negated bool   // an exception: what it matches is included
	DirOnly bool   // it matches directories alone

	form form
	glob glob
}

// Verdict is what the pattern says about a path that it matches.
func (p *Pattern) Verdict() Verdict {
	if p.Negated {
		return Included
	}
	return Ignored
}

// Rules are the patterns of one file. They do not change, and many may use them at once.
// The nil Rules match nothing.
type Rules struct {
	patterns []Pattern
	keys     []key // of the patterns, close together
	broken   []Pattern
	fold     bool
}

// Parse reads a file of patterns. It never fails: a line that is no valid pattern matches
// nothing, as it does for git.
func Parse(data []byte, o Options) *Rules {
	r := &Rules{fold: o.FoldCase}
	text := strings.TrimPrefix(string(data), "\xef\xbb\xbf")
	for n := 1; text != ""; n++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if line = clean(line); line == "" {
			continue
		}
		p, ok := parse(line, o.FoldCase)
		p.Line = n
		if ok {
			r.patterns = append(r.patterns, p)
			r.keys = append(r.keys, p.key())
		} else {
			r.broken = append(r.broken, p)
		}
	}
	return r
}

// Len is the number of patterns that can match something.
func (r *Rules) Len() int {
	if r == nil {
		return 0
	}
	return len(r.patterns)
}

// Broken are the lines that were meant to be patterns and match nothing, because a class
// is not closed or unknown, an escape escapes nothing, or nothing is left to match. Whoever
// relies on the patterns will want to hear of them.
func (r *Rules) Broken() []Pattern {
	if r == nil {
		return nil
	}
	return append([]Pattern(nil), r.broken...)
}

// Match gives the verdict on a path relative to the directory that the patterns are for,
// by the last pattern that matches, and that pattern. It is about this path alone and does
// not ask about the directories above it; Decide does.
func (r *Rules) Match(path string, isDir bool) (Verdict, *Pattern) {
	return r.match(path, isDir, true)
}

// match is Match, with exceptions or without any.
func (r *Rules) match(path string, isDir, exceptions bool) (Verdict, *Pattern) {
	if r == nil || path == "" {
		return None, nil
	}
	s := newSubject(path, r.fold)
	for i := len(r.keys) - 1; i >= 0; i-- {
		if !s.may(r.keys[i]) {
			continue
		}
		p := &r.patterns[i]
		if p.DirOnly && !isDir || p.Negated && !exceptions {
			continue
		}
		if p.matches(&s) {
			return p.Verdict(), p
		}
	}
	return None, nil
}
