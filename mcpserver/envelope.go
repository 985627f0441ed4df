package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is what a line turned out to be: nothing, one message, or a batch.
type envelope struct {
	text  []byte
	blank bool
	batch [][]byte // the elements, if it is one

	id        []byte // JSON, nil when there is none that can be answered to
	params    span
	arguments span
	usual     bool // a tools/call request that has nothing odd about it
}

// span is a part of a text.
type span struct{ from, to int }

// parse checks in one pass that a line is well-formed, and finds the parts of it that
// matter here. It refuses what has no sensible answer but an error of its own; what
// cannot be a message for other reasons is left to the SDK to say.
func parse(text []byte) (envelope, *refusal) {
	e := envelope{text: text}
	p := parser{text: text, dec: jsontext.NewDecoder(bytes.NewBuffer(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	var invalid string
	var err error
	switch p.dec.PeekKind() {
	case jsontext.KindBeginObject:
		if err = p.message(&e); p.id != nil && e.id == nil {
			invalid = "the id must be a string or an integer"
		}
	case jsontext.KindBeginArray:
		if e.batch, err = p.elements(); len(e.batch) == 0 {
			invalid = "a batch must not be empty"
		}
	default:
		if err = p.dec.SkipValue(); err == io.EOF {
			return envelope{blank: true}, nil
		}
		invalid = "a message must be an object"
	}
	if err == nil {
		if _, err = p.dec.ReadToken(); err == io.EOF {
			err = nil
		} else {
			err = errors.New("text after the message")
		}
	}
	switch {
	case err != nil:
		return e, &refusal{code: jsonrpc.CodeParseError,
			message: fmt.Sprintf("parse error: not one well-formed JSON value after byte %d", p.dec.InputOffset())}
	case invalid != "":
		return e, &refusal{code: jsonrpc.CodeInvalidRequest, message: "invalid request: " + invalid}
	}
	return e, nil
}

// parser walks through one line.
type parser struct {
	text []byte
	dec  *jsontext.Decoder
	id   []byte // the id as it was given, whatever it is
	odd  bool   // there is more to the message than the parts of a plain call, once each
}

// read reads a value and gives the part of the text that holds it.
func (p *parser) read() ([]byte, error) {
	raw, err := p.dec.ReadValue()
	end := int(p.dec.InputOffset())
	return p.text[end-len(raw) : end : end], err
}

// members calls value for each member of an object; value must read the member's value.
func (p *parser) members(value func(name string) error) (where span, err error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return span{}, err
	}
	where.from = int(p.dec.InputOffset()) - 1
	for p.dec.PeekKind() != jsontext.KindEndObject {
		name, err := p.dec.ReadValue()
		if err != nil {
			return span{}, err
		}
		p.odd = p.odd || bytes.IndexByte(name, '\\') >= 0
		if err := value(string(name)); err != nil {
			return span{}, err
		}
	}
	_, err = p.dec.ReadToken()
	where.to = int(p.dec.InputOffset())
	return where, err
}

func (p *parser) message(e *envelope) error {
	var method, version []byte
	var seen [4]int
	_, err := p.members(func(name string) (err error) {
		switch name {
		case `"jsonrpc"`:
			seen[0]++
			version, err = p.read()
		case `"id"`:
			seen[1]++
			p.id, err = p.read()
		case `"method"`:
			seen[2]++
			method, err = p.read()
		case `"params"`:
			seen[3]++
			err = p.params(e)
		default:
			p.odd = true
			err = p.dec.SkipValue()
		}
		return err
	})
	if usableID(p.id) {
		e.id = p.id
	}
	e.usual = err == nil && !p.odd && seen == [4]int{1, 1, 1, 1} && e.id != nil && e.arguments.to > 0 &&
		string(method) == `"tools/call"` && string(version) == `"2.0"`
	return err
}

// params reads the params of what may be a call. More than a name and _meta beside the
// arguments is odd: the SDK must not find anything wrong with params that were cut, for
// it would show them as they are then.
func (p *parser) params(e *envelope) (err error) {
	if p.dec.PeekKind() != jsontext.KindBeginObject {
		p.odd = true
		return p.dec.SkipValue()
	}
	var seen [3]int
	e.params, err = p.members(func(name string) (err error) {
		kind := p.dec.PeekKind()
		switch {
		case name == `"name"` && kind == jsontext.KindString:
			seen[0]++
			return p.dec.SkipValue()
		case name == `"_meta"`:
			seen[1]++
			raw, err := p.read()
			p.odd = p.odd || !usualMeta(raw)
			return err
		case name == `"arguments"` && kind == jsontext.KindBeginObject:
			seen[2]++
			e.arguments, err = p.members(func(string) error {
				// The SDK limits how deep a message is nested. It must see what is.
				kind := p.dec.PeekKind()
				p.odd = p.odd || kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray
				return p.dec.SkipValue()
			})
			return err
		}
		p.odd = true
		return p.dec.SkipValue()
	})
	p.odd = p.odd || seen[0] != 1 || seen[1] > 1 || seen[2] != 1
	return err
}

// usualMeta reports that nobody will find anything wrong with a _meta.
func usualMeta(raw []byte) bool {
	var meta map[string]any
	return len(raw) <= 4<<10 && bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) <= 50 &&
		json.Unmarshal(raw, &meta) == nil
}

// elements reads an array.
func (p *parser) elements() (list [][]byte, err error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, err
	}
	for p.dec.PeekKind() != jsontext.KindEndArray {
		raw, err := p.read()
		if err != nil {
			return nil, err
		}
		list = append(list, raw)
	}
	_, err = p.dec.ReadToken()
	return list, err
}

// usableID reports that the JSON text of an id can be answered to. The SDK keeps an id
// as a string or a 64-bit integer that it reads as a double: one that is neither would
// come back as another.
func usableID(id []byte) bool {
	v := jsontext.Value(id)
	if len(id) == 0 || len(id) > maxID || !v.IsValid() {
		return false
	}
	if v.Kind() == jsontext.KindString {
		return true
	}
	digits := bytes.TrimPrefix(id, []byte("-"))
	for _, d := range digits {
		if d < '0' || d > '9' {
			return false
		}
	}
	return len(digits) > 0 && len(digits) <= 15 && string(id) != "-0"
}
