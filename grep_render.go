package toolfs

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolfs/toolfs/card"
)

// renderGrep is the model's text. Contract appendix A.6.
func renderGrep(v *GrepValue, maxLine int) string {
	if len(v.Matches) == 0 {
		text := "No matches found"
		if v.Report.Stopped != "" {
			text += " before the search was stopped"
		}
		return text + v.notes(true)
	}
	var b strings.Builder
	writeMatches(&b, v, v.shown, maxLine)
	text := strings.TrimSuffix(b.String(), "\n")
	if v.shown < len(v.Matches) {
		text += "\n\n(" + v.recovery("Full grep result", "narrow pattern, path, or include to see more.") + ")"
	}
	return text + v.notes(false)
}

// writeMatches writes the header and the first matches, file by file.
func writeMatches(w io.Writer, v *GrepValue, shown, maxLine int) error {
	switch n := len(v.Matches); {
	case shown < n:
		fmt.Fprintf(w, "Found %d of %s matches\n", shown, v.total(n))
	case n == 1 && v.Report.Stopped == "":
		fmt.Fprint(w, "Found 1 match\n")
	default:
		fmt.Fprintf(w, "Found %s matches\n", v.total(n))
	}
	path := ""
	for i := range v.Matches[:shown] {
		m := &v.Matches[i]
		if i == 0 || m.Path != path {
			path = m.Path
			fmt.Fprint(w, "\n", quoted(path), "\n")
		}
		if _, err := io.WriteString(w, "Line "+strconv.Itoa(m.LineNumber)+": "+m.preview(maxLine)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

const lineCut = " (line truncated)"

// preview is the line, or of one above most bytes the part with the match, cut between
// characters. Where the start alone shows the match, it is the start.
func (m *GrepMatch) preview(most int) string {
	if len(m.Line) <= most {
		if m.cut {
			return m.Line + lineCut
		}
		return m.Line
	}
	from := 0
	if m.end > most || m.at >= most {
		from = max(0, m.at-most/4)
		for from < m.at && !utf8.RuneStart(m.Line[from]) {
			from++
		}
	}
	to := min(from+most, len(m.Line))
	for to > from && to < len(m.Line) && !utf8.RuneStart(m.Line[to]) {
		to--
	}
	text := m.Line[from:to] + lineCut
	if from > 0 {
		text = "… " + text
	}
	return text
}

// byFile gives matches as the card has them.
func byFile(matches []GrepMatch, maxLine int) (files []card.FileMatches) {
	for i := range matches {
		m := &matches[i]
		if i == 0 || m.Path != matches[i-1].Path {
			files = append(files, card.FileMatches{Path: m.Path})
		}
		last := &files[len(files)-1]
		last.Matches = append(last.Matches, card.Match{LineNumber: m.LineNumber, Line: m.preview(maxLine)})
	}
	return files
}
