package tool

import (
	"fmt"
	"slices"
)

// compiler turns a schema's data into nodes. After an error its trail still leads to
// the place that is wrong.
type compiler struct{ trail }

func (c *compiler) fail(text string) error {
	return fmt.Errorf("schema: %s %s", c.label(), text)
}

func (c *compiler) node(value any) (n node, err error) {
	object, ok := value.(Object)
	if !ok {
		return n, c.fail("must be an object")
	}
	for _, m := range object {
		c.member(m.Name)
		if err := c.keyword(&n, m); err != nil {
			return n, err
		}
		c.up()
	}
	return n, nil
}

func (c *compiler) keyword(n *node, m Member) (err error) {
	switch m.Name {
	case "type":
		name, _ := m.Value.(string)
		var ok bool
		if n.kind, ok = kindByName(name); !ok {
			return c.fail("must be one of string, number, integer, boolean, null, array, object")
		}
	case "oneOf":
		n.oneOf, err = c.nodes(m.Value)
	case "properties":
		n.props, err = c.properties(m.Value)
	case "required":
		n.required, err = c.names(m.Value)
	case "additionalProperties":
		open, ok := m.Value.(bool)
		if !ok {
			return c.fail("must be a boolean")
		}
		n.closed = !open
	case "items":
		var items node
		items, err = c.node(m.Value)
		n.items = &items
	case "enum":
		list, ok := m.Value.(Array)
		if !ok || list.Len == 0 {
			return c.fail("must be an array that is not empty")
		}
		n.enum, n.enumText = elements(list), string(AppendJSON(nil, list))
	case "const":
		n.constant = &constant{m.Value, string(AppendJSON(nil, m.Value))}
	case "description", "title":
		if _, ok := m.Value.(string); !ok {
			return c.fail("must be a string")
		}
	case "examples":
		if _, ok := m.Value.(Array); !ok {
			return c.fail("must be an array")
		}
	case "default":
	default:
		return c.fail("is not a supported keyword")
	}
	return err
}

func elements(a Array) []any {
	list := make([]any, a.Len)
	for i := range list {
		list[i] = a.At(i)
	}
	return list
}

func (c *compiler) nodes(value any) ([]node, error) {
	list, ok := value.(Array)
	if !ok || list.Len < 2 {
		return nil, c.fail("must be an array of at least two schemas")
	}
	nodes := make([]node, list.Len)
	for i := range nodes {
		var err error
		c.element(i)
		if nodes[i], err = c.node(list.At(i)); err != nil {
			return nil, err
		}
		c.up()
	}
	return nodes, nil
}

func (c *compiler) properties(value any) ([]property, error) {
	object, ok := value.(Object)
	if !ok {
		return nil, c.fail("must be an object")
	}
	props := make([]property, len(object))
	for i, m := range object {
		c.member(m.Name)
		n, err := c.node(m.Value)
		if err != nil {
			return nil, err
		}
		c.up()
		props[i] = property{m.Name, fold(m.Name), n}
	}
	return props, nil
}

func (c *compiler) names(value any) ([]string, error) {
	list, ok := value.(Array)
	if !ok {
		return nil, c.fail("must be an array of names")
	}
	names := make([]string, 0, list.Len)
	for i := range list.Len {
		c.element(i)
		name, ok := list.At(i).(string)
		if !ok {
			return nil, c.fail("must be a string")
		}
		if slices.Contains(names, name) {
			return nil, c.fail("must not be given twice")
		}
		names = append(names, name)
		c.up()
	}
	return names, nil
}
