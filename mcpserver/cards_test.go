package mcpserver

import (
	"testing"

	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/tool"
)

// What is unusual about a change or a read reaches the client, and nothing else is said.
func TestCardSaysWhatIsUnusual(t *testing.T) {
	for _, c := range []struct {
		rule string
		meta any
		want string
	}{
		{"a usual change", &card.DiffMeta{}, `{"card":"diff","title":"T"}`},
		{"a weaker one", &card.DiffMeta{Change: card.Change{Guarantee: "in-place", Durable: new(false), LinkCount: 2, Encoding: "utf-8", EncodingChanged: true}},
			`{"card":"diff","title":"T","guarantee":"in-place","durable":false,"linkCount":2,"encoding":"utf-8","encodingChanged":true}`},
		{"a usual read", &card.ReadMeta{Path: "p", Offset: 1}, `{"card":"read","path":"p","offset":1,"totalLines":0}`},
		{"a torn one", &card.ReadMeta{Path: "p", Offset: 1, Unstable: true, Encoding: "utf-16le"},
			`{"card":"read","path":"p","offset":1,"totalLines":0,"unstable":true,"encoding":"utf-16le"}`},
	} {
		if got := string(tool.AppendJSON(nil, resultCard("T", c.meta))); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}
