package mcpserver

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
)

// confined is a server of a directory in which nothing may be changed without approval.
type confined struct {
	*Server
	dir       string
	asker     *Asker
	approvals *approval.Service

	mu  sync.Mutex
	log []string // the outcomes of all requests for approval, "asked" for each question
}

func confine(t *testing.T, files map[string]string, o Options, a AskerOptions) *confined {
	t.Helper()
	c := &confined{dir: workspace(t, files)}
	set, asker, approvals, err := confinedTools(c.dir, a, func(e approval.Event) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if e.Asked() {
			c.log = append(c.log, "asked")
		} else {
			c.log = append(c.log, string(e.Outcome)+string(e.Scope))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Toolset, o.Cwd, o.Asker = set, c.dir, asker
	if c.Server, err = New(o); err != nil {
		t.Fatal(err)
	}
	c.asker, c.approvals = asker, approvals
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if len(asker.calls) > 0 {
			t.Errorf("calls left behind: %v", asker.calls)
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func confinedTools(dir string, a AskerOptions, record func(approval.Event) error) (*toolfs.Toolset, *Asker, *approval.Service, error) {
	asker := NewAsker(a)
	approvals, err := approval.NewService(approval.Options{Answerer: asker.Answer, Record: record})
	if err != nil {
		return nil, nil, nil, err
	}
	modes, err := sandbox.NewService(sandbox.Options{WorkspaceRoot: dir})
	if err != nil {
		return nil, nil, nil, err
	}
	files, err := localfs.Root([]string{dir}, localfs.Options{NoSync: true, Sandbox: &localfs.Sandbox{NoTemp: true}})
	if err != nil {
		return nil, nil, nil, err
	}
	set, err := toolfs.New(toolfs.Options{Provider: files, Sandbox: modes, Approval: approvals})
	return set, asker, approvals, err
}

// recorded checks what the log of approvals holds.
func (c *confined) recorded(t *testing.T, want ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(want, c.log); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// tree is what a directory holds: the content and the mode of each file by its path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if d.Type().IsRegular() {
			text, err = os.ReadFile(path)
		}
		all[path] = fmt.Sprintf("%v %q", info.Mode(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unchanged checks, when the returned function is called, that the directory is as it was.
func unchanged(t *testing.T, dir string) (check func()) {
	t.Helper()
	before := tree(t, dir)
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("the directory has changed (-before +after):\n%s", diff)
		}
	}
}

// wider is the arguments of a call that asks for more than its mode allows.
func wider(file string, members args) args {
	a := args{"file_path": file, "sandbox_permissions": "workspace-write", "justification": "It is needed."}
	for name, value := range members {
		a[name] = value
	}
	return a
}

// modern is a tools/call of the newest revision.
type modern struct {
	id        int
	tool      string
	arguments any
	state     string
	responses string // JSON of inputResponses, or ""
	mute      bool   // the client elicits nothing
}

func (m modern) line(t *testing.T) string {
	t.Helper()
	capabilities := args{"elicitation": args{"form": args{}}}
	if m.mute {
		capabilities = args{}
	}
	params := args{"name": m.tool, "arguments": m.arguments, "_meta": args{
		"io.modelcontextprotocol/protocolVersion":    newest,
		"io.modelcontextprotocol/clientCapabilities": capabilities,
	}}
	if m.state != "" {
		params["requestState"] = m.state
	}
	if m.responses != "" {
		params["inputResponses"] = json.RawMessage(m.responses)
	}
	data, err := json.Marshal(args{"jsonrpc": "2.0", "id": m.id, "method": "tools/call", "params": params})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (c *client) modern(m modern) answer {
	c.t.Helper()
	c.send(m.line(c.t))
	return parseAnswer(c.t, c.line())
}

// asks makes a call that must end in a question, and gives its state.
func (c *client) asks(m modern) (state string) {
	c.t.Helper()
	a := c.modern(m)
	if a.Result.ResultType != "input_required" || a.Result.RequestState == "" || len(a.Result.InputRequests) != 1 {
		c.t.Fatalf("no question: %+v", a)
	}
	return a.Result.RequestState
}

// decided is the inputResponses of a client whose person chose.
func decided(decision string) string {
	return fmt.Sprintf(`{"approval":{"action":"accept","content":{"decision":%q}}}`, decision)
}

// failed checks that a call failed with a text that ends so, and with a code.
func failed(t *testing.T, a answer, want, code string) {
	t.Helper()
	if text := a.text(t); !a.Result.IsError || len(text) < len(want) || text[len(text)-len(want):] != want {
		t.Errorf("got %+v, want %s", a, want)
	}
	var info struct{ Code string }
	if meta := a.Result.Meta[ErrorKey]; meta != nil {
		if err := json.Unmarshal(meta, &info); err != nil {
			t.Error(err)
		}
	}
	if info.Code != code {
		t.Errorf("the code is %q, not %q", info.Code, code)
	}
}
