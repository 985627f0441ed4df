package card_test

import (
	"encoding/json"
	"testing"

	"github.com/toolfs/toolfs/card"
)

func TestReadMetaNarrowing(t *testing.T) {
	tests := []struct {
		name, meta string
		ok         bool
	}{
		{"well formed", `{"path":"/f","offset":2,"lines":[{"number":2,"text":"a"},{"number":3,"text":""}],"totalLines":9,"lang":"go"}`, true},
		{"no language", `{"path":"/f","offset":1,"lines":[],"totalLines":0}`, true},
		{"an empty window at any offset", `{"path":"/f","offset":7,"lines":[],"totalLines":3}`, true},
		{"no object", `[]`, false},
		{"nothing", ``, false},
		{"no path", `{"offset":1,"lines":[],"totalLines":0}`, false},
		{"path no string", `{"path":1,"offset":1,"lines":[],"totalLines":0}`, false},
		{"offset zero", `{"path":"/f","offset":0,"lines":[],"totalLines":0}`, false},
		{"offset a fraction", `{"path":"/f","offset":1.5,"lines":[],"totalLines":0}`, false},
		{"a negative total", `{"path":"/f","offset":1,"lines":[],"totalLines":-1}`, false},
		{"no lines", `{"path":"/f","offset":1,"totalLines":0}`, false},
		{"a line before the offset", `{"path":"/f","offset":2,"lines":[{"number":1,"text":""}],"totalLines":9}`, false},
		{"a line past the end", `{"path":"/f","offset":1,"lines":[{"number":2,"text":""}],"totalLines":1}`, false},
		{"numbers that do not ascend", `{"path":"/f","offset":1,"lines":[{"number":1,"text":""},{"number":1,"text":""}],"totalLines":9}`, false},
		{"a fraction as number", `{"path":"/f","offset":1,"lines":[{"number":1.5,"text":""}],"totalLines":9}`, false},
		{"a line without text", `{"path":"/f","offset":1,"lines":[{"number":1}],"totalLines":9}`, false},
		{"a language that is no string", `{"path":"/f","offset":1,"lines":[],"totalLines":0,"lang":1}`, false},
		{"a language that is null", `{"path":"/f","offset":1,"lines":[],"totalLines":0,"lang":null}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, ok := card.ParseReadMeta([]byte(tt.meta)); ok != tt.ok {
				t.Errorf("got %t", ok)
			}
		})
	}
}

func TestDiffMetaNarrowing(t *testing.T) {
	tests := []struct {
		name, meta string
		ok         bool
	}{
		{"well formed", `{"diffs":[{"path":"f","oldText":"a","newText":"b"}]}`, true},
		{"nothing before", `{"diffs":[{"path":"f","oldText":null,"newText":"b"}]}`, true},
		{"no diffs", `{"diffs":[]}`, false},
		{"diffs no array", `{"diffs":{}}`, false},
		{"no object", `[]`, false},
		{"nothing", ``, false},
		{"no old text", `{"diffs":[{"path":"f","newText":"b"}]}`, false},
		{"old text a number", `{"diffs":[{"path":"f","oldText":1,"newText":"b"}]}`, false},
		{"no new text", `{"diffs":[{"path":"f","oldText":"a"}]}`, false},
		{"no path", `{"diffs":[{"oldText":"a","newText":"b"}]}`, false},
		{"one bad among good", `{"diffs":[{"path":"f","oldText":"a","newText":"b"},{}]}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, ok := card.ParseDiffMeta([]byte(tt.meta)); ok != tt.ok {
				t.Errorf("got %t", ok)
			}
		})
	}
}

func TestMetaSurvivesStorage(t *testing.T) {
	old := "a"
	diff, err := json.Marshal(card.DiffMeta{Diffs: []card.FileDiff{{Path: "f", OldText: &old, NewText: "b"}, {Path: "g", NewText: "c"}}})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := card.ParseDiffMeta(diff); !ok || *m.Diffs[0].OldText != "a" || m.Diffs[1].OldText != nil {
		t.Errorf("%s reads as %+v, %t", diff, m, ok)
	}
}

func TestLang(t *testing.T) {
	for path, want := range map[string]string{
		"a.TS": "ts", "/x/y.cjs": "js", "a.jsonc": "json", "a.h": "c", "a.hpp": "cpp", "a.kt": "kotlin", "a.zsh": "sh", "a.yml": "yaml",
		"a.mdx": "mdx", "a.markdown": "md", "a.htm": "html", `C:\src\main.rs`: "rs", "main.go": "go",
		"a.py.bak": "", "archive.tar.gz": "", "/dir.py/plain": "", ".gitignore": "", "trailingdot.": "", "foo.constructor": "", "foo.__proto__": "",
	} {
		if got := card.Lang(path); got != want {
			t.Errorf("Lang(%q) = %q, want %q", path, got, want)
		}
	}
}
