package toolfs

import (
	"fmt"
	"strings"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/tool"
)

// renderGlob is the model's text. Contract appendix A.6.
func renderGlob(v *GlobValue) string {
	if len(v.Paths) == 0 {
		text := "No files found"
		if v.Report.Stopped != "" {
			text += " before the search was stopped"
		}
		return text + v.notes(true)
	}
	var b strings.Builder
	for i, path := range v.page {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(quoted(path))
	}
	if len(v.page) < len(v.Paths) {
		fmt.Fprintf(&b, "\n\n(Showing %d of %s paths%s %s)", len(v.page), v.total(len(v.Paths)), v.basis,
			v.recovery("Full sorted result", "narrow pattern or path to see more."))
	}
	b.WriteString(v.notes(false))
	return b.String()
}

// total is how many results there are, which of a search that was stopped is not known.
func (s *Search) total(n int) string {
	if s.Report.Stopped != "" {
		return fmt.Sprint("at least ", n)
	}
	return fmt.Sprint(n)
}

// pathPage is the paths that are shown, and by what they were chosen.
func pathPage(all []string, prefix, most int, sample bool) (page []string, basis string) {
	if len(all) <= most {
		return all, ""
	}
	if !sample {
		return all[:most], "."
	}
	page, reached, groups := sampled(all, prefix, most)
	if groups == len(all) {
		return page, "."
	}
	basis = fmt.Sprintf(", sampled across %d of the %d top-level entries this pattern matched instead of taken in modification-time order.", reached, groups)
	if reached < groups {
		basis += " Narrow path to inspect a specific subtree."
	}
	return page, basis
}

// sampled takes paths from the top-level entries in turn, one from each until there are
// most, and gives them entry by entry. prefix is how much of a path comes before its
// top-level entry.
func sampled(paths []string, prefix, most int) (page []string, reached, groups int) {
	index := map[string]int{}
	var members [][]string
	for _, path := range paths {
		top, _, _ := strings.Cut(path[min(prefix, len(path)):], "/")
		i, known := index[top]
		if !known {
			i = len(members)
			index[top] = i
			members = append(members, nil)
		}
		if len(members[i]) < most {
			members[i] = append(members[i], path)
		}
	}
	take := make([]int, len(members))
	for left, round := most, 0; left > 0; round++ {
		for i := range members {
			if left > 0 && len(members[i]) > round {
				take[i]++
				left--
			}
		}
	}
	for i, n := range take {
		page = append(page, members[i][:n]...)
		if n > 0 {
			reached++
		}
	}
	return page, reached, len(members)
}

// presentSearchCall makes the pending card of a search. Contract appendix A.7.
func presentSearchCall(verb string) func(tool.Args) card.View {
	return func(a tool.Args) card.View {
		pattern, _ := a.String("pattern")
		title := verb + " " + pattern
		if path, ok := a.String("path"); ok {
			title += " in " + path
		}
		if include, ok := a.String("include"); ok && verb == "Grep" {
			title += " (" + include + ")"
		}
		c := card.NewGeneric(title, card.KindSearch)
		c.RawInput = pattern
		return c
	}
}

// presentSearchResult makes the finished card from what is stored.
func presentSearchResult(shape card.Shape) func(tool.Args, tool.StoredResult) card.View {
	return func(_ tool.Args, r tool.StoredResult) card.View {
		m, ok := card.ParseSearchMeta(r.Meta)
		if r.IsError || !ok || m.Shape != shape {
			return nil
		}
		return &card.Search{Card: "search", SearchMeta: m}
	}
}
