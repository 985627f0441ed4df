package toolfs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/search"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// GlobValue is the files that match a pattern, the newest first, then by path. Root is
// where the search started, as it is shown.
type GlobValue struct {
	Root  string
	Paths []string
	Search

	page  []string // what is shown
	basis string   // by what it was chosen
}

// Shown is the paths that the answer shows.
func (v *GlobValue) Shown() []string { return v.page }

// JSONValue implements tool.Value.
func (v *GlobValue) JSONValue() any {
	return tool.Object{
		{Name: "root", Value: v.Root},
		{Name: "paths", Value: tool.Array{Len: len(v.Paths), At: func(i int) any { return v.Paths[i] }}},
	}
}

func globTool(f *files) (*tool.Definition, string, error) {
	most := strconv.Itoa(f.limits.GlobMaxResults)
	fill := []string{
		"a larger result {{overCap}}", "a larger result instead returns " + most + " paths sampled across top-level entries",
		"a larger one {{overCap}}", "a larger one is sampled across top-level entries, so it spans the tree instead of one subtree",
	}
	if f.search.HeadOverCap {
		fill[1] = "a larger result returns the first " + most + " paths in modification-time order"
		fill[3] = "a larger one keeps the modification-time-ordered head"
	}
	def, guidance, err := f.define("glob", fill...)
	if err != nil {
		return nil, "", err
	}
	f.declareSearch(def)
	def.Execute = f.glob
	def.Output.Render = func(_ tool.Args, v tool.Value) []tool.Block {
		return []tool.Block{tool.TextBlock(renderGlob(v.(*GlobValue)))}
	}
	def.Output.Meta = func(_ tool.Args, v tool.Value) any {
		g := v.(*GlobValue)
		return card.NewPathsMeta(g.page, len(g.Paths), len(g.page) < len(g.Paths) || g.Report.Stopped != "", f.limits.SearchMetaMaxBytes)
	}
	def.PresentCall = presentSearchCall("Glob")
	def.PresentResult = presentSearchResult(card.ShapePaths)
	return def, guidance, nil
}

// declareSearch sets what the two searches have in common.
func (f *files) declareSearch(def *tool.Definition) {
	def.Hints = tool.Hints{ReadOnly: true, Idempotent: true}
	def.ConcurrencySafe = func(tool.Args) bool { return true }
	def.Partial = true
	def.Timeout = f.timeout()
}

// glob looks at names and times, and observes nothing.
func (f *files) glob(ctx context.Context, e *tool.Exec) (tool.Value, error) {
	pattern, _ := e.Args.String("pattern")
	if textenc.Blank(pattern) {
		return nil, errors.New("pattern must be a non-empty string")
	}
	ctx, cancel, from, err := f.begin(ctx, e)
	if err != nil {
		return nil, err
	}
	defer cancel()
	v := &GlobValue{Root: from.root, Search: Search{Timeout: f.timeout()}}
	if from.vcs {
		return v, nil
	}
	var found []vfs.FoundFile
	left := f.limits.RawOutputMaxBytes
	var seen atomic.Int64
	defer f.gettingOn(e, &seen)()
	q := vfs.GlobQuery{Dir: from.target, Pattern: below(from.target, pattern), Seen: &seen}
	v.Report, err = search.Glob(ctx, f.provider, q, func(file vfs.FoundFile) bool {
		if left -= int64(len(from.prefix) + len(file.Path) + 1); left < 0 {
			return false
		}
		found = append(found, file)
		return true
	})
	if err != nil {
		return nil, searchFailed(e.Name, err)
	}
	slices.SortFunc(found, func(a, b vfs.FoundFile) int {
		return cmp.Or(cmp.Compare(b.ModTime, a.ModTime), strings.Compare(a.Path, b.Path))
	})
	v.Paths = make([]string, len(found))
	for i, file := range found {
		v.Paths[i] = from.at(file.Path)
	}
	v.page, v.basis = pathPage(v.Paths, len(from.prefix), f.limits.GlobMaxResults, !f.search.HeadOverCap)
	if len(v.page) < len(v.Paths) {
		f.keep(ctx, e, &v.Search, "glob-results", func(w io.Writer) error { return writePaths(w, v.Paths) })
	}
	return v, nil
}

// below makes of a pattern that begins with the path of the directory searched one from
// there.
func below(dir vfs.Target, pattern string) string {
	if rest, ok := strings.CutPrefix(pattern, strings.TrimSuffix(dir.Path, "/")+"/"); ok && dir.Path != "/" {
		return "/" + rest
	}
	return pattern
}

func writePaths(w io.Writer, paths []string) error {
	for _, path := range paths {
		if _, err := io.WriteString(w, quoted(path)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
