package tool

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds how deep data may be nested, in arguments, schemas and values.
const maxDepth = 512

// DecodeArgs decodes the JSON text of a call's arguments in one pass. Text that is
// empty or only white space means {}. Contract sections 3.3 and 3.5, stage 1.
//
// The error is ErrNotLossless for a number that would not come out again as it went
// in (one that overflows, and negative zero), else an *ArgsError: for text that is no
// JSON object, for data nested deeper than 512 levels, and for a string that is no
// Unicode text, which could only be passed on changed. The arguments do not alias
// data.
func DecodeArgs(data []byte) (Args, error) {
	if len(bytes.TrimLeft(data, " \t\r\n")) == 0 {
		return Args{}, nil
	}
	d := decoding{findings: findings{trail: argsTrail(), limit: maxViolations}}
	d.dec = jsontext.NewDecoder(bytes.NewBuffer(data),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	value, err := d.document()
	object, isObject := value.(Object)
	switch {
	case errors.Is(err, errTooDeep):
		return Args{}, &ArgsError{[]string{`"arguments" must not be nested deeper than 512 levels`}}
	case err == nil && d.lossy:
		return Args{}, ErrNotLossless
	case err != nil || !isObject:
		return Args{}, &ArgsError{[]string{`"arguments" must be an object`}}
	case !d.none():
		return Args{}, &ArgsError{d.texts()}
	}
	return Args{object}, nil
}

var errTooDeep = errors.New("nested too deep")

// decoding is one document on its way from text to data. What does not stop it, a
// number that is lost or a string that is no text, is noted: bad syntax further on
// outweighs both.
type decoding struct {
	findings
	dec   *jsontext.Decoder
	lossy bool
}

// document reads the one value that the text must hold.
func (d *decoding) document() (any, error) {
	value, err := d.value()
	if err != nil {
		return nil, err
	}
	if _, err := d.dec.ReadToken(); err != io.EOF {
		return nil, errors.New("text after the value")
	}
	return value, nil
}

func (d *decoding) value() (any, error) {
	switch kind := d.dec.PeekKind(); kind {
	case jsontext.KindString:
		raw, err := d.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		s, ok := unquote(raw)
		if !ok {
			d.miss(notText)
		}
		return s, nil
	case jsontext.KindNumber:
		raw, err := d.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		return d.number(string(raw)), nil
	case jsontext.KindBeginObject:
		return d.object()
	case jsontext.KindBeginArray:
		return d.array()
	default:
		_, err := d.dec.ReadToken()
		switch {
		case err != nil:
			return nil, err
		case kind == jsontext.KindNull:
			return nil, nil
		}
		return kind == jsontext.KindTrue, nil
	}
}

// number is the value of a number's text.
func (d *decoding) number(text string) Number {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil && math.IsInf(value, 0) || value == 0 && text[0] == '-' {
		d.lossy = true
	}
	return Number{Value: value, Text: text}
}

func (d *decoding) object() (any, error) {
	if d.depth() == maxDepth {
		return nil, errTooDeep
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return nil, err
	}
	object := make(Object, 0, 4)
	var places map[string]int
	for d.dec.PeekKind() != jsontext.KindEndObject {
		raw, err := d.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		name, ok := unquote(raw)
		if !ok {
			name = strings.ToValidUTF8(name, "\ufffd")
		}
		d.member(name)
		if !ok {
			d.miss(notText)
		}
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		d.up()
		if len(object) == maxLinear {
			places = make(map[string]int, 2*maxLinear)
			for i, m := range object {
				places[m.Name] = i
			}
		}
		if i := object.index(name, places); i >= 0 {
			object[i].Value = value
			continue
		}
		if places != nil {
			places[name] = len(object)
		}
		object = append(object, Member{name, value})
	}
	_, err := d.dec.ReadToken()
	return object, err
}

// maxLinear is how many members are looked through one by one to find a name again.
const maxLinear = 16

func (o Object) index(name string, places map[string]int) int {
	if places == nil {
		return slices.IndexFunc(o, func(m Member) bool { return m.Name == name })
	}
	if i, ok := places[name]; ok {
		return i
	}
	return -1
}

func (d *decoding) array() (any, error) {
	if d.depth() == maxDepth {
		return nil, errTooDeep
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return nil, err
	}
	var list []any
	for d.dec.PeekKind() != jsontext.KindEndArray {
		d.element(len(list))
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		d.up()
		list = append(list, value)
	}
	_, err := d.dec.ReadToken()
	return Array{Len: len(list), At: func(i int) any { return list[i] }}, err
}
