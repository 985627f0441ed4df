package tool

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Schema is a parsed JSON Schema of the subset of contract section 3.3: type, oneOf,
// properties, required, additionalProperties, items, enum, const, and the annotations
// description, title, default and examples. It never changes: safe for concurrent use.
type Schema struct {
	text []byte
	root node
}

// ParseSchema parses a schema. Any keyword outside the subset, and any ill-typed use of
// one in it, is an error that names the place. Contract section 3.3.
func ParseSchema(data []byte) (*Schema, error) {
	text := jsontext.Value(bytes.Clone(data))
	if err := text.Compact(); err != nil {
		return nil, fmt.Errorf("schema is no JSON: %w", err)
	}
	d := decoding{dec: jsontext.NewDecoder(bytes.NewBuffer(text))}
	value, err := d.document()
	if err == nil && d.lossy {
		err = ErrNotLossless
	}
	if err != nil {
		return nil, fmt.Errorf("schema is no JSON: %w", err)
	}
	s := &Schema{text: text}
	c := compiler{trail{root: "the root", bare: true}}
	s.root, err = c.node(value)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// MustParseSchema is ParseSchema for a schema that is part of the program; it panics
// where ParseSchema fails.
func MustParseSchema(data []byte) *Schema {
	s, err := ParseSchema(data)
	if err != nil {
		panic(err)
	}
	return s
}

// JSON is a fresh copy of the schema's text as it was given, without white space
// between tokens.
func (s *Schema) JSON() []byte { return bytes.Clone(s.text) }

// node is a compiled schema. The zero node accepts everything.
type node struct {
	kind     kind
	oneOf    []node
	props    []property
	required []string
	closed   bool
	items    *node
	enum     []any
	enumText string
	constant *constant
}

type property struct {
	name   string
	folded string // the name as near misses are compared
	node   node
}

type constant struct {
	value any
	text  string
}

// kind is a value of the keyword type.
type kind uint8

const (
	anyKind kind = iota
	stringKind
	numberKind
	integerKind
	booleanKind
	nullKind
	arrayKind
	objectKind
)

var kinds = [...]struct{ name, mustBe string }{
	stringKind:  {"string", "must be a string"},
	numberKind:  {"number", "must be a number"},
	integerKind: {"integer", "must be an integer"},
	booleanKind: {"boolean", "must be a boolean"},
	nullKind:    {"null", "must be null"},
	arrayKind:   {"array", "must be an array"},
	objectKind:  {"object", "must be an object"},
}

func kindByName(name string) (kind, bool) {
	for k := stringKind; k <= objectKind; k++ {
		if kinds[k].name == name {
			return k, true
		}
	}
	return anyKind, false
}

// prop finds a declared property.
func (n *node) prop(name string) *property {
	for i := range n.props {
		if n.props[i].name == name {
			return &n.props[i]
		}
	}
	return nil
}
