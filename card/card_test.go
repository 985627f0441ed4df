package card_test

import (
	"encoding/json"
	"reflect"
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
		{"unstable no boolean", `{"path":"/f","offset":1,"lines":[],"totalLines":0,"unstable":1}`, false},
		{"an encoding that is no string", `{"path":"/f","offset":1,"lines":[],"totalLines":0,"encoding":1}`, false},
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
		{"a guarantee that is no string", `{"diffs":[{"path":"f","oldText":"a","newText":"b"}],"guarantee":1}`, false},
		{"durable no boolean", `{"diffs":[{"path":"f","oldText":"a","newText":"b"}],"durable":"no"}`, false},
		{"less than no name", `{"diffs":[{"path":"f","oldText":"a","newText":"b"}],"linkCount":-1}`, false},
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
	old, durable := "a", false
	change := card.Change{Guarantee: "in-place", Durable: &durable, LinkCount: 3, Encoding: "utf-16le", EncodingChanged: true}
	diffs := []card.FileDiff{{Path: "f", OldText: &old, NewText: "b"}, {Path: "g", NewText: "c", Truncated: true}}
	for _, want := range []card.DiffMeta{{Diffs: diffs}, {Diffs: diffs, Change: change}, {Change: change}, {}} {
		stored := store(t, want)
		if m, ok := card.ParseDiffMeta(stored); ok != (want.Diffs != nil) || !reflect.DeepEqual(m, want) {
			t.Errorf("%s reads as %+v, %t", stored, m, ok)
		}
	}
	read := card.ReadMeta{Path: "f", Offset: 1, Lines: []card.Line{{Number: 1, Text: "a"}}, TotalLines: 1}
	for _, change := range []func(){func() {}, func() { read.Unstable = true }, func() { read.Encoding = "shift_jis" }} {
		change()
		stored := store(t, read)
		if m, ok := card.ParseReadMeta(stored); !ok || !reflect.DeepEqual(m, read) {
			t.Errorf("%s reads as %+v, %t", stored, m, ok)
		}
	}
}

func store(t *testing.T, meta any) []byte {
	t.Helper()
	data, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What is usual is not in a card at all.
func TestUsualCardsAreSilent(t *testing.T) {
	if got := string(store(t, card.NewDiff("Write f", []card.FileDiff{{Path: "f", NewText: "a"}}))); got != `{"card":"diff","title":"Write f","diffs":[{"path":"f","oldText":null,"newText":"a"}]}` {
		t.Errorf("a diff is %s", got)
	}
	if got := string(store(t, &card.Read{Card: "read", Path: "f", Offset: 1, Lines: []card.Line{}})); got != `{"card":"read","path":"f","offset":1,"lines":[],"totalLines":0}` {
		t.Errorf("a read is %s", got)
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
