package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

type catalogCommand struct {
	Format string     `enum:"json,mcp,anthropic,openai,markdown" default:"json" help:"One of ${enum}."`
	Limits limitFlags `embed:""`
}

// Help is shown below the command's flags.
func (catalogCommand) Help() string {
	return `The schemas name the limits, so give the same limits here as to the tools.

Formats:
  json        everything: schemas of arguments and results, hints, guidance
  mcp         as an MCP server lists them, with the instructions
  anthropic   "tools" for a Messages request, and the "system" text
  openai      "tools" for a Chat Completions request, and the "system" text
  markdown    for people`
}

// catalog is what is known of the tools, in the order in which a model sees them.
type catalog struct {
	tools    []*tool.Definition
	guidance string
	sections []toolfs.Section
}

// Run prints the catalogue; it touches no file.
func (c *catalogCommand) Run(_ context.Context, s streams) error {
	limits, err := c.Limits.parse()
	if err != nil {
		return err
	}
	provider, err := workspace{Host: true}.provider()
	if err != nil {
		return err
	}
	set, err := toolfs.New(toolfs.Options{Provider: provider, Limits: limits})
	if err != nil {
		return err
	}
	defer set.Close()
	all := catalog{tools: set.Registry().Definitions(nil), guidance: set.Guidance(), sections: set.Sections()}
	slices.SortFunc(all.tools, func(a, b *tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	switch c.Format {
	case "mcp":
		return printJSON(s.out, all.mcp())
	case "anthropic":
		return printJSON(s.out, all.anthropic())
	case "openai":
		return printJSON(s.out, all.openai())
	case "markdown":
		return all.markdown(s.out)
	}
	return printJSON(s.out, all.json())
}

func (c catalog) guidanceOf(name string) string {
	for _, s := range c.sections {
		if s.Name == "tool:"+name {
			return s.Text
		}
	}
	return ""
}

// hints is a tool's effects under MCP's names.
type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

func (c catalog) json() any {
	type entry struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Output      json.RawMessage `json:"output"`
		Hints       hints           `json:"hints"`
		Guidance    string          `json:"guidance"`
	}
	entries := make([]entry, len(c.tools))
	for i, t := range c.tools {
		entries[i] = entry{t.Name, t.Title, t.Description, t.Parameters.JSON(), t.Output.Schema.JSON(), hints(t.Hints), c.guidanceOf(t.Name)}
	}
	return map[string]any{"tools": entries}
}

func (c catalog) mcp() any {
	type entry struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations hints           `json:"annotations"`
	}
	entries := make([]entry, len(c.tools))
	for i, t := range c.tools {
		entries[i] = entry{t.Name, t.Title, t.Description, t.Parameters.JSON(), hints(t.Hints)}
	}
	return struct {
		Instructions string  `json:"instructions"`
		Tools        []entry `json:"tools"`
	}{c.guidance, entries}
}

func (c catalog) anthropic() any {
	type entry struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	entries := make([]entry, len(c.tools))
	for i, t := range c.tools {
		entries[i] = entry{t.Name, t.Description, t.Parameters.JSON()}
	}
	return request[entry]{c.guidance, entries}
}

func (c catalog) openai() any {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type entry struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	entries := make([]entry, len(c.tools))
	for i, t := range c.tools {
		entries[i] = entry{"function", function{t.Name, t.Description, t.Parameters.JSON()}}
	}
	return request[entry]{c.guidance, entries}
}

// request is the parts of a model request that concern tools.
type request[T any] struct {
	System string `json:"system"`
	Tools  []T    `json:"tools"`
}

func (c catalog) markdown(w io.Writer) error {
	for _, t := range c.tools {
		_, err := fmt.Fprintf(w, "## %s\n\n%s\n\n%s\n\nArguments:\n\n```json\n%s\n```\n\nResult:\n\n```json\n%s\n```\n\n",
			t.Name, t.Description, c.guidanceOf(t.Name), t.Parameters.JSON(), t.Output.Schema.JSON())
		if err != nil {
			return err
		}
	}
	return nil
}
