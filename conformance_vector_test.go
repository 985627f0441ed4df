//go:build linux

package toolfs_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/sandbox"
)

// The format of the vectors in testdata/conformance: results that another
// implementation of the same contract gave, as data.

type vectorFile struct {
	Area    string
	Vectors []vector
}

type vector struct {
	ID       string
	Provider string
	Policy   bool
	Search   bool
	User     string
	Tags     []string
	Config   struct {
		Tool, FS, Sandbox, Search json.RawMessage
	}
	Approval    json.RawMessage
	Sessions    map[string]session
	Setup       []diskOp
	SetupRoot   []diskOp `json:"setup_root"`
	Steps       []step
	FinalTree   json.RawMessage `json:"final_tree"`
	LoadError   *string         `json:"load_error"`
	Composition json.RawMessage
}

type session struct {
	Cwd            json.RawMessage // a string, null for none, absent for the workspace
	SandboxMode    sandbox.Mode    `json:"sandbox_mode"`
	ApprovalPolicy approval.Policy `json:"approval_policy"`
	OpenTurn       *bool           `json:"open_turn"` // absent: true
}

// step is a call, or changes behind the tools' back.
type step struct {
	Mutate   []diskOp
	Tool     string
	Args     json.RawMessage
	ArgsJSON string          `json:"args_json"`
	Session  json.RawMessage // a name, null for none, absent for A
	Abort    string
	Expect   json.RawMessage
}

type diskOp struct {
	Op             string
	Path           rawName
	From, To       json.RawMessage
	Target         string
	Content        *content
	Mode           string
	Mtime          *int64
	Owner          string
	Dir            string
	Prefix, Suffix string
	Pad            int
}

// rawName is a path as text, or as bytes that need not be UTF-8.
type rawName string

func (n *rawName) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(n))
	}
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	b, err := c.bytes()
	*n = rawName(b)
	return err
}

type content struct {
	B64   *string
	Lines *struct {
		From, To       int
		Prefix, Suffix string
	}
	Parts []content
	Times *int
	Text  *string
}

func (c *content) bytes() ([]byte, error) {
	var out []byte
	switch {
	case c.B64 != nil:
		var err error
		if out, err = base64.StdEncoding.DecodeString(*c.B64); err != nil {
			return nil, err
		}
	case c.Text != nil:
		out = []byte(*c.Text)
	case c.Lines != nil:
		for i := c.Lines.From; i <= c.Lines.To; i++ {
			out = fmt.Appendf(out, "%s%d%s", c.Lines.Prefix, i, c.Lines.Suffix)
		}
	case c.Parts != nil:
		for _, p := range c.Parts {
			b, err := p.bytes()
			if err != nil {
				return nil, err
			}
			out = append(out, b...)
		}
	default:
		return nil, fmt.Errorf("content of no known kind")
	}
	if c.Times != nil {
		out = []byte(strings.Repeat(string(out), *c.Times))
	}
	return out, nil
}

func loadVectors(t *testing.T, area string) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/conformance/" + area + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var f vectorFile
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatalf("%s: %v", area, err)
	}
	if f.Area != area || len(f.Vectors) == 0 {
		t.Fatalf("%s: %d vectors of area %q", area, len(f.Vectors), f.Area)
	}
	return f.Vectors
}

// arguments is the JSON text that a call sends: as it stands, so that nothing about
// it is lost, except that placeholders and concatenations are filled in.
func (s *step) arguments(p *places) ([]byte, error) {
	text := s.ArgsJSON
	if text == "" {
		text = string(s.Args)
	}
	text = p.fill(text)
	if !strings.Contains(text, `"$parts"`) {
		return []byte(text), nil
	}
	v, err := parseJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	args := v.(object)
	for i, m := range args {
		o, ok := m.value.(object)
		if !ok || len(o) != 1 || o[0].name != "$parts" {
			continue
		}
		c := content{}
		if err := json.Unmarshal([]byte(stringify(o[0].value)), &c.Parts); err != nil {
			return nil, err
		}
		b, err := c.bytes()
		if err != nil {
			return nil, err
		}
		args[i].value = string(b)
	}
	return []byte(stringify(args)), nil
}
