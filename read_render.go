package toolfs

import (
	"strconv"
	"strings"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/internal/quote"
	"github.com/toolfs/toolfs/tool"
)

// renderRead is the model's text of a window that was asked for with a limit of
// lines. Contract section 12.2.6.
func renderRead(v *ReadValue, limit int) string {
	size := len(v.Path) + 160
	for _, l := range v.Lines {
		size += len(l.Text) + 12
	}
	b := make([]byte, 0, size)
	b = append(b, "<path>"...)
	b = append(b, quote.Path(v.Path)...)
	b = append(b, readOpening...)
	for _, l := range v.Lines {
		b = strconv.AppendInt(b, int64(l.Number), 10)
		b = append(b, ": "...)
		b = append(b, l.Text...)
		b = append(b, '\n')
	}
	if len(v.Lines) > 0 {
		b = append(b, '\n')
	}
	b = append(b, readFooter(v, limit)...)
	b = append(b, readClosing...)
	return string(b)
}

const (
	readOpening = "</path>\n<type>file</type>\n<content>\n"
	readClosing = "\n</content>"
)

func readFooter(v *ReadValue, limit int) string {
	end := max(0, v.Offset-1)
	if n := len(v.Lines); n > 0 {
		end = v.Lines[n-1].Number
	}
	shown := "Showing lines " + strconv.Itoa(v.Offset) + "-" + strconv.Itoa(end)
	next := ". Use offset=" + strconv.Itoa(end+1) + " to continue.)"
	total := strconv.Itoa(v.TotalLines)
	switch {
	case end >= v.TotalLines:
		return "(End of file - total " + total + " lines)"
	case len(v.Lines) < limit:
		return "(Output capped. " + shown + next
	default:
		return "(" + shown + " of " + total + next
	}
}

func presentReadCall(a tool.Args) card.View {
	path, ok := a.String("file_path")
	if !ok {
		return nil
	}
	offset, offsetGiven := a.Number("offset")
	limit, limitGiven := a.Number("limit")
	line, _ := whole(a, "offset")
	if !offsetGiven {
		offset, line = tool.Number{Value: 1, Text: "1"}, 1
	}
	title := "Read " + path
	switch {
	case limitGiven && limit.Value > 0:
		title += " (" + jsNumber(offset.Value) + " - " + jsNumber(offset.Value+limit.Value-1) + ")"
	case offsetGiven:
		title += " (from line " + jsNumber(offset.Value) + ")"
	}
	return card.NewGeneric(title, card.KindRead, card.Location{Path: path, Line: line})
}

// jsNumber writes a number as ECMAScript does: 2, 0.5, 1e+21.
func jsNumber(f float64) string { return string(tool.AppendJSON(nil, f)) }

// presentReadResult rebuilds the card from what is stored, if the text is still the
// envelope that belongs to it. Contract section 13.5.
func presentReadResult(_ tool.Args, r tool.StoredResult) card.View {
	m, ok := card.ParseReadMeta(r.Meta)
	if r.IsError || !ok || len(r.Content) != 1 || r.Content[0].Type != "text" {
		return nil
	}
	first, rest, ok := strings.Cut(r.Content[0].Text, "\n")
	if !ok || !strings.HasPrefix(first, "<path>") || !strings.HasSuffix(first, "</path>") {
		return nil
	}
	body, ok := strings.CutPrefix(rest, strings.TrimPrefix(readOpening, "</path>\n"))
	if !ok {
		return nil
	}
	body, ok = strings.CutSuffix(body, readClosing)
	if !ok {
		return nil
	}
	return &card.Read{Card: "read", Path: m.Path, Offset: m.Offset, Lines: m.Lines, TotalLines: m.TotalLines,
		Lang: m.Lang, Content: []card.Text{card.TextBlock(body)}, Unstable: m.Unstable, Encoding: m.Encoding}
}
