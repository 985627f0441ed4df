package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/tool"
)

// The keys of what the server adds to a result's _meta.
const (
	// CardKey holds {"call": …, "result": …}: what a person may be shown of the call,
	// as package card defines it. Texts are left out where they can be taken from
	// somewhere else: a call's diffs from its arguments, a read's lines from the
	// content, the one diff of a new file from the arguments.
	CardKey = "io.github.toolfs/card"

	// ErrorKey holds {"name": …, "code": …} of a failure that has them. They are no
	// structured content, since clients hold that against the output schema even if
	// the call failed.
	ErrorKey = "io.github.toolfs/error"
)

// result says what became of a call.
func (s *session) result(def *tool.Definition, args tool.Args, r tool.Result) *mcp.CallToolResult {
	res := &mcp.CallToolResult{IsError: r.IsError, Content: make([]mcp.Content, len(r.Content)), Meta: mcp.Meta{}}
	for i, b := range r.Content {
		res.Content[i] = &mcp.TextContent{Text: s.text(b.Text)}
	}
	if c := cardOf(def, args, r); c != nil {
		res.Meta[CardKey] = s.data(c)
	}
	if r.IsError {
		if r.Error != nil && r.Error.Info != nil {
			res.Meta[ErrorKey] = r.Error.Info
		}
		return res
	}
	if facts := s.server.structured(r); facts != nil {
		res.StructuredContent = s.data(facts)
	}
	return res
}

// text is what stands for a text in the SDK's result. On the line transport a long one
// is encoded once, into the line, and the SDK sees a token of it.
func (s *session) text(text string) string {
	if s.lines != nil && len(text) >= s.lines.spliceMin {
		return s.lines.held.hold(text)
	}
	return text
}

// data is what stands for a piece of data in the SDK's result.
func (s *session) data(v tool.Object) any {
	encoded := tool.AppendJSON(nil, v)
	if s.lines != nil && len(encoded) >= s.lines.spliceMin {
		return s.lines.held.hold(rawJSON(encoded))
	}
	return json.RawMessage(encoded)
}
