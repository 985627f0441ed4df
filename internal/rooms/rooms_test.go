// Package rooms_test keeps the house in order: who may import whom.
package rooms_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/toolfs/toolfs"

// may says which rooms each room may import besides internal ones and the standard
// library. A room that is not listed here may not exist.
var may = map[string][]string{
	"sandbox":     {},
	"vfs":         {"sandbox"},
	"card":        {},
	"gate":        {"vfs"},
	"policy":      {"vfs", "gate"},
	"tool":        {"card"},
	"approval":    {"card", "sandbox", "tool"},
	"vfs/vfstest": {"vfs"},
	"localfs":     {"vfs", "sandbox", "search"},
	"memfs":       {"vfs"},
	"search":      {"vfs"},
	"wall":        {"vfs", "sandbox", "localfs"},
	"":            {"vfs", "card", "gate", "policy", "tool", "sandbox", "approval", "search"},
	"mcpserver":   {"", "vfs", "card", "tool", "policy", "sandbox", "approval"},
	"cmd/toolfs":  {"", "vfs", "card", "tool", "policy", "localfs", "mcpserver", "sandbox", "approval", "wall"},
}

// outside says which rooms may use which modules from elsewhere.
var outside = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"mcpserver"},
	"github.com/alecthomas/kong":             {"cmd/toolfs"},
	"github.com/go-json-experiment/json":     {"tool", "mcpserver"},
	"github.com/google/jsonschema-go":        {"mcpserver"},
	"github.com/rogpeppe/go-internal":        {"internal/linediff"},
	"github.com/landlock-lsm/go-landlock":    {"wall"},
	"golang.org/x/sys":                       {"localfs", "internal/atomicfile", "wall"},
	"golang.org/x/text":                      {"internal/textenc"},
}

type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
}

func list(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// room is a package's place in the house; programs of our own for measuring and
// testing may use everything.
func room(path string) (name string, ours bool) {
	rest, ours := strings.CutPrefix(path, module)
	return strings.TrimPrefix(rest, "/"), ours
}

func TestImportDirection(t *testing.T) {
	packages := list(t)
	if len(packages) < len(may) {
		t.Fatalf("only %d packages found", len(packages))
	}
	for _, p := range packages {
		name, _ := room(p.ImportPath)
		inside := strings.HasPrefix(name, "internal/")
		allowed, known := may[name]
		if !known && !inside {
			t.Errorf("%s is no room of the house: give it a place in ARCHITECTURE.md and here", name)
		}
		for _, imported := range p.Imports {
			other, ours := room(imported)
			switch {
			case !ours:
				checkOutside(t, name, imported, p.Name == "main" && inside)
			case strings.HasPrefix(other, "internal/"):
			case inside && p.Name != "main":
				t.Errorf("%s imports %q: what is internal knows no room", name, other)
			case !inside && !slices.Contains(allowed, other):
				t.Errorf("%s imports %q; it may import %q", name, other, allowed)
			}
		}
	}
}

func checkOutside(t *testing.T, name, imported string, program bool) {
	t.Helper()
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") || program {
		return
	}
	for prefix, rooms := range outside {
		if strings.HasPrefix(imported, prefix) {
			if !slices.Contains(rooms, name) {
				t.Errorf("%s imports %s, which is for %q", name, imported, rooms)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which no room may", name, imported)
}
