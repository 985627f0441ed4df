package main

import (
	"context"
	"errors"

	"github.com/toolfs/toolfs/tool"
)

// addDiagnostics adds the two of the conformance suite's tools whose results are of the
// kind that file tools give: a text, and a failure.
func addDiagnostics(r *tool.Registry) error {
	for name, failure := range map[string]error{
		"test_simple_text":    nil,
		"test_error_handling": errors.New("this failure is what the tool is for"),
	} {
		_, err := r.Register(&tool.Definition{
			Name:        name,
			Description: "A tool of the conformance suite.",
			Parameters:  tool.MustParseSchema([]byte(`{"type":"object","properties":{}}`)),
			Output: tool.Output{
				Schema: tool.MustParseSchema([]byte(`{"type":"string"}`)),
				Render: func(_ tool.Args, v tool.Value) []tool.Block {
					return []tool.Block{tool.TextBlock(string(v.(text)))}
				},
			},
			ConcurrencySafe: func(tool.Args) bool { return true },
			Execute: func(context.Context, *tool.Exec) (tool.Value, error) {
				return text("This is a simple text response for testing."), failure
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type text string

func (t text) JSONValue() any { return string(t) }
