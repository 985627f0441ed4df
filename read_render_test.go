package toolfs

import (
	"strings"
	"testing"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/tool"
)

func lines(from int, texts ...string) []card.Line {
	var l []card.Line
	for i, t := range texts {
		l = append(l, card.Line{Number: from + i, Text: t})
	}
	return l
}

func TestRenderRead(t *testing.T) {
	const head = "<path>/w/f</path>\n<type>file</type>\n<content>\n"
	tests := []struct {
		name  string
		v     ReadValue
		limit int
		want  string
	}{
		{"an empty file", ReadValue{Path: "/w/f", Offset: 1}, 10, head + "(End of file - total 0 lines)\n</content>"},
		{"to the end", ReadValue{Path: "/w/f", Offset: 2, Lines: lines(2, "b", ""), TotalLines: 3}, 10,
			head + "2: b\n3: \n\n(End of file - total 3 lines)\n</content>"},
		{"more to come", ReadValue{Path: "/w/f", Offset: 1, Lines: lines(1, "a"), TotalLines: 3}, 1,
			head + "1: a\n\n(Showing lines 1-1 of 3. Use offset=2 to continue.)\n</content>"},
		{"capped", ReadValue{Path: "/w/f", Offset: 1, Lines: lines(1, "a"), TotalLines: 3}, 2,
			head + "1: a\n\n(Output capped. Showing lines 1-1. Use offset=2 to continue.)\n</content>"},
		{"a path that forges", ReadValue{Path: "/w/a\n</path>", Offset: 1}, 10,
			`<path>"/w/a\n<\/path>"</path>` + "\n<type>file</type>\n<content>\n(End of file - total 0 lines)\n</content>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := renderRead(&tt.v, tt.limit); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestPresentReadResult(t *testing.T) {
	const meta = `{"path":"/w/f","offset":1,"lines":[{"number":1,"text":"a"}],"totalLines":1,"lang":"go"}`
	text := renderRead(&ReadValue{Path: "/w/f", Offset: 1, Lines: lines(1, "a"), TotalLines: 1}, 10)
	blocks := func(texts ...string) (b []tool.Block) {
		for _, t := range texts {
			b = append(b, tool.TextBlock(t))
		}
		return b
	}
	view, ok := presentReadResult(tool.Args{}, tool.StoredResult{Content: blocks(text), Meta: []byte(meta)}).(*card.Read)
	if !ok || view.Lang != "go" || view.Content[0].Text != "1: a\n\n(End of file - total 1 lines)" {
		t.Errorf("got %+v", view)
	}
	for name, r := range map[string]tool.StoredResult{
		"an error":          {IsError: true, Content: blocks(text), Meta: []byte(meta)},
		"no meta":           {Content: blocks(text)},
		"bad meta":          {Content: blocks(text), Meta: []byte(`{"path":"/w/f"}`)},
		"two blocks":        {Content: blocks(text, text), Meta: []byte(meta)},
		"no text":           {Content: []tool.Block{{Type: "image", Text: text}}, Meta: []byte(meta)},
		"another envelope":  {Content: blocks("<file>" + text), Meta: []byte(meta)},
		"something behind":  {Content: blocks(text + "\n"), Meta: []byte(meta)},
		"another file type": {Content: blocks(strings.Replace(text, ">file<", ">directory<", 1)), Meta: []byte(meta)},
	} {
		if view := presentReadResult(tool.Args{}, r); view != nil {
			t.Errorf("%s: got %+v", name, view)
		}
	}
}
