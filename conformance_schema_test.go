//go:build linux

package toolfs_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// compose compares how the tools are put together: the text of a refusal to load, or
// what a model is told of the tools.
func compose(v *vector, s setting) ([]difference, error) {
	t, err := openToolset(s)
	if v.LoadError != nil {
		var ours any = absent{}
		if err != nil {
			ours = err.Error()
		} else if err := t.close(); err != nil {
			return nil, err
		}
		return compare("load_error", *v.LoadError, ours), nil
	}
	if err != nil {
		return nil, err
	}
	golden, err := parseJSON(v.Composition)
	if err != nil {
		return nil, err
	}
	found, err := t.composition(golden.(object))
	if err != nil {
		return nil, err
	}
	return found, t.close()
}

func (t *toolset) composition(golden object) ([]difference, error) {
	var p problems
	names, tools := []any{}, object{}
	for _, def := range t.Registry().Definitions(nil) {
		names = append(names, def.Name)
		parts := object{
			{"description", def.Description},
			{"parameters", string(def.Parameters.JSON())},
			{"output_schema", string(def.Output.Schema.JSON())},
		}
		if def.Timeout > 0 {
			parts = append(parts, member{"timeoutMs", json.Number(strconv.FormatInt(def.Timeout.Milliseconds(), 10))})
		}
		tools = append(tools, member{def.Name, parts})
	}
	ours := object{{"tool_order", names}, {"tools", tools}}

	// A model's request carries the tools by name, whatever the order they were
	// registered in: a matter of whoever makes the request, as the harness's own
	// sections are.
	byName := slices.SortedFunc(slices.Values(names), func(a, b any) int {
		return strings.Compare(a.(string), b.(string))
	})
	ours = append(ours, member{"assembled_tool_order", byName})

	sections, prompt := harness(golden)
	for _, s := range t.Sections() {
		sections = append(sections, object{{"name", s.Name}, {"text", s.Text}})
		prompt += "\n\n" + s.Text
	}
	ours = append(ours, member{"sections", sections}, member{"rendered_prompt", prompt}, member{"contexts", t.contexts(t.cwd)})
	return compareObjects("composition", withSchemaTexts(golden).sorted(), ours.sorted()), p.err
}

// harness gives the recorded sections that are no tool's, and the prompt they make.
func harness(golden object) (sections []any, prompt string) {
	all, _ := golden.get("sections")
	for _, s := range all.([]any) {
		name, _ := s.(object).get("name")
		if !strings.HasPrefix(name.(string), "tool:") {
			sections = append(sections, s)
			text, _ := s.(object).get("text")
			prompt += text.(string)
		}
	}
	return sections, prompt
}

// withSchemaTexts gives the composition with its schemas as text, so that they are
// compared byte for byte.
func withSchemaTexts(golden object) object {
	out := slices.Clone(golden)
	for i, m := range out {
		if m.name != "tools" {
			continue
		}
		tools := slices.Clone(m.value.(object))
		for j, tool := range tools {
			parts := slices.Clone(tool.value.(object))
			for k, part := range parts {
				if _, isObject := part.value.(object); isObject {
					parts[k].value = stringify(part.value)
				}
			}
			tools[j].value = parts
		}
		out[i].value = tools
	}
	return out
}
