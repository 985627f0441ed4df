package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/internal/quote"
)

// choice is something that a person may decide, by its value in the form.
type choice struct {
	value, title string
	answer       approval.Answer
}

// choices are what may be decided about a request. In a session that several people may
// share nobody can speak for its rest.
func (s *session) choices(r approval.Request) []choice {
	list := []choice{{"allow_once", "Allow this change, once", approval.Answer{Outcome: approval.AllowedOnce}}}
	if !s.shared {
		list = append(list, choice{"allow_file", "Allow every change of this file, until the session ends",
			approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeFile}})
		if r.Dir != "" {
			list = append(list, choice{"allow_directory", "Allow every change in " + quote.Path(r.Dir) + " and below it, until the session ends",
				approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeDirectory}})
		}
	}
	return append(list, choice{"reject", "Do not allow it", approval.Answer{Outcome: approval.Rejected}})
}

// decision is the one property of the form. Nothing is chosen beforehand.
type decision struct {
	Type      string   `json:"type"`
	Title     string   `json:"title"`
	Enum      []string `json:"enum,omitempty"`
	EnumNames []string `json:"enumNames,omitempty"`
	OneOf     []titled `json:"oneOf,omitempty"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// form is the question for a client that speaks a revision.
func (s *session) form(r approval.Request, revision string) *mcp.ElicitParams {
	d := decision{Type: "string", Title: "Decision"}
	for _, c := range s.choices(r) {
		if revision < "2025-11-25" { // which has titles in another way
			d.Enum, d.EnumNames = append(d.Enum, c.value), append(d.EnumNames, c.title)
		} else {
			d.OneOf = append(d.OneOf, titled{c.value, c.title})
		}
	}
	schema, err := json.Marshal(struct {
		Type       string              `json:"type"`
		Properties map[string]decision `json:"properties"`
		Required   []string            `json:"required"`
	}{"object", map[string]decision{"decision": d}, []string{"decision"}})
	if err != nil {
		panic(err) // strings always can be
	}
	return &mcp.ElicitParams{Mode: "form", Message: message(r), RequestedSchema: json.RawMessage(schema)}
}

// reply is the answer of a client. What is none of the choices allows nothing.
func reply(response mcp.InputResponse, choices []choice) approval.Answer {
	res, ok := response.(*mcp.ElicitResult)
	if !ok || res == nil {
		return approval.Answer{Outcome: approval.Unavailable}
	}
	switch res.Action {
	case "decline":
		return approval.Answer{Outcome: approval.Rejected}
	case "cancel":
		return approval.Answer{Outcome: approval.Cancelled}
	case "accept":
		for _, c := range choices {
			if res.Content["decision"] == c.value {
				return c.answer
			}
		}
	}
	return approval.Answer{Outcome: approval.Unavailable}
}

// message is what a person reads. What comes from a model or from a file cannot pass for
// a line of ours: it stands in quotes or behind the mark of a diff's line.
func message(r approval.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The tool %q wants to change a file for which its sandbox mode is not enough.\n\n", r.Tool)
	fmt.Fprintf(&b, "File: %s\n", quote.Path(r.Path))
	fmt.Fprintf(&b, "Operation: %s\n", r.Operation)
	fmt.Fprintf(&b, "Mode wanted: %s (in force: %s)\n", r.Mode, r.Standing)
	fmt.Fprintf(&b, "Why it is not enough: %s\n", visible(r.Rule, maxLine))
	fmt.Fprintf(&b, "The model's own words: %s\n\n", quote.JSON(r.Justification))
	b.WriteString("What would change:\n")
	changes(&b, r)
	return b.String()
}
