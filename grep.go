package toolfs

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// GrepValue is the lines that match, in the order of paths and lines.
type GrepValue struct {
	Matches []GrepMatch
	Search

	shown int // how many of them are shown
}

// Shown is the lines that the answer shows, which it may cut.
func (v *GrepValue) Shown() []GrepMatch { return v.Matches[:v.shown] }

// GrepMatch is one line. LineNumber is 1-based; of a line above vfs.MaxFoundLine bytes,
// Line is the part around the match.
type GrepMatch struct {
	Path       string
	LineNumber int
	Line       string

	at, end int  // where the match is in Line
	cut     bool // Line is a part
}

// JSONValue implements tool.Value.
func (v *GrepValue) JSONValue() any {
	match := tool.Object{{Name: "path"}, {Name: "lineNumber"}, {Name: "line"}}
	var element any = match
	return tool.Object{{Name: "matches", Value: tool.Array{Len: len(v.Matches), At: func(i int) any {
		m := &v.Matches[i]
		match[0].Value, match[1].Value, match[2].Value = m.Path, m.LineNumber, m.Line
		return element
	}}}}
}

func grepTool(f *files) (*tool.Definition, string, error) {
	def, guidance, err := f.define("grep")
	if err != nil {
		return nil, "", err
	}
	f.declareSearch(def)
	def.Execute = f.grep
	def.Output.Render = func(_ tool.Args, v tool.Value) []tool.Block {
		return []tool.Block{tool.TextBlock(renderGrep(v.(*GrepValue), f.limits.GrepMaxLineBytes))}
	}
	def.Output.Meta = func(_ tool.Args, v tool.Value) any {
		g := v.(*GrepValue)
		return card.NewMatchesMeta(byFile(g.Shown(), f.limits.GrepMaxLineBytes), len(g.Matches),
			g.shown < len(g.Matches) || g.Report.Stopped != "", f.limits.SearchMetaMaxBytes)
	}
	def.PresentCall = presentSearchCall("Grep")
	def.PresentResult = presentSearchResult(card.ShapeMatches)
	return def, guidance, nil
}

// grep reads files, and observes none: who sees a line has not seen its file.
func (f *files) grep(ctx context.Context, e *tool.Exec) (tool.Value, error) {
	pattern, _ := e.Args.String("pattern")
	if pattern == "" {
		return nil, errors.New("pattern must be a non-empty string")
	}
	include, err := includeOf(e.Args)
	if err != nil {
		return nil, err
	}
	ctx, cancel, from, err := f.begin(ctx, e)
	if err != nil {
		return nil, err
	}
	defer cancel()
	var seen atomic.Int64
	defer f.gettingOn(e, &seen)()
	q := vfs.GrepQuery{Dir: from.target, Pattern: pattern, Include: include, GlobalIgnore: f.search.GlobalIgnore, Seen: &seen}
	v := &GrepValue{Search: Search{Timeout: f.timeout()}}
	left := f.limits.RawOutputMaxBytes
	v.Report, err = search.Grep(ctx, f.provider, q, func(found vfs.FoundLines) bool {
		path := from.at(found.Path)
		for _, l := range found.Lines {
			if left -= int64(matchOverhead + len(path) + len(l.Text)); left < 0 {
				return false
			}
			v.Matches = append(v.Matches, grepMatch(path, l))
		}
		return true
	})
	if err != nil {
		return nil, searchFailed(e.Name, err)
	}
	if v.shown = min(len(v.Matches), f.limits.GrepMaxMatches); v.shown < len(v.Matches) {
		f.keep(ctx, e, &v.Search, "grep-results", func(w io.Writer) error {
			return writeMatches(w, v, len(v.Matches), f.limits.GrepMaxLineBytes)
		})
	}
	return v, nil
}

// matchOverhead is what one match counts, beside its path and its line, against
// Limits.RawOutputMaxBytes: about what a search program writes around them.
const matchOverhead = 160

func grepMatch(path string, l vfs.FoundLine) GrepMatch {
	m := GrepMatch{Path: path, LineNumber: l.Number, Line: l.Text, at: l.At, end: l.End, cut: l.Cut}
	if !utf8.ValidString(l.Text) {
		m.Line, m.at, m.end = "(line is not valid UTF-8)", 0, 0
	}
	return m
}

// includeOf is the include argument. Contract appendix A.4.
func includeOf(a tool.Args) (string, error) {
	include, given := a.String("include")
	switch {
	case !given:
		return "", nil
	case textenc.Blank(include):
		return "", errors.New("include must be a non-empty glob when given")
	case strings.HasPrefix(include, "!"):
		return "", errors.New(`include must be a positive glob filter; negated patterns ("!…") are not supported`)
	case commaOutside(include):
		return "", errors.New("include must be one glob, not a comma-separated list (use {a,b} alternation instead)")
	}
	return include, nil
}

// commaOutside reports a comma that is in no braces.
func commaOutside(s string) bool {
	depth := 0
	for _, c := range s {
		switch c {
		case '{':
			depth++
		case '}':
			depth = max(0, depth-1)
		case ',':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}
