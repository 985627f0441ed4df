package tool

import (
	"fmt"
	"math"
)

const notLossless = "value is not lossless JSON"

// ValidateArgs gives the violations of a call's arguments in the order of contract
// section 3.3: for each object what is missing, then what is declared, then what is
// not. An undeclared name is ignored unless it is a near miss of a declared one. nil
// means that the arguments are valid. Strings are not looked into.
func (s *Schema) ValidateArgs(args Args) []string {
	c := checker{findings: findings{trail: argsTrail(), limit: maxViolations}, nearMisses: true}
	c.check(&s.root, args.object)
	return c.texts()
}

// ValidateValue gives the violations of a tool's result, as Value.JSONValue shows it;
// nil means that it is valid. Where v holds anything that is no JSON data, at whatever
// place, that is the one violation. Panics only where v's own code does. Contract
// section 3.6.
func (s *Schema) ValidateValue(v any) []string {
	c := checker{findings: findings{trail: valueTrail(), limit: maxViolations}, foreign: true}
	c.check(&s.root, v)
	if c.notData {
		return []string{notLossless}
	}
	return c.texts()
}

// checker walks data and schema together.
type checker struct {
	findings
	nearMisses bool // the root is a call's arguments
	foreign    bool // the data comes from a tool: look at all of it
	notData    bool // something in it is no JSON data
}

// anything is the schema of what is not declared.
var anything node

func (c *checker) check(n *node, v any) {
	if n == &anything && !c.foreign {
		return
	}
	if value, ok := v.(Value); ok {
		v = value.JSONValue()
	}
	number, isNumber := numberOf(v)
	finite := !isNumber || !math.IsNaN(number) && !math.IsInf(number, 0)
	if !finite || c.depth() > maxDepth || !isNumber && !isData(v) {
		c.notData = true
	}
	if n.oneOf != nil {
		if k := c.matches(n.oneOf, v); k != 1 {
			c.miss(fmt.Sprintf("must match exactly one oneOf branch (matched %d)", k))
		}
	}
	switch {
	case !n.kind.accepts(v, number, isNumber):
		c.miss(kinds[n.kind].mustBe)
		return
	case !finite:
		c.miss("must be a finite JSON number")
		return
	case c.depth() > maxDepth:
		return
	}
	if n.enum != nil && !contains(n.enum, v) {
		c.miss("must be one of " + n.enumText)
	}
	if n.constant != nil && !equal(n.constant.value, v) {
		c.miss("must be " + n.constant.text)
	}
	switch v := v.(type) {
	case Object:
		c.object(n, v)
	case Array:
		items := &anything
		if n.items != nil {
			items = n.items
		}
		if items == &anything && !c.foreign {
			return
		}
		for i := range v.Len {
			c.element(i)
			c.check(items, v.At(i))
			c.up()
		}
	}
}

func (c *checker) object(n *node, o Object) {
	for _, name := range n.required {
		if o.index(name, nil) < 0 {
			c.member(name)
			c.missing()
			c.up()
		}
	}
	for i := range n.props {
		prop := &n.props[i]
		if j := o.index(prop.name, nil); j >= 0 {
			c.member(prop.name)
			c.check(&prop.node, o[j].Value)
			c.up()
		}
	}
	for _, m := range o {
		if n.prop(m.Name) != nil {
			continue
		}
		c.member(m.Name)
		if n.closed {
			c.miss("is not a declared property (additionalProperties: false)")
		} else if c.nearMisses && c.depth() == 1 {
			if meant := n.nearMiss(m.Name); meant != "" {
				c.miss(fmt.Sprintf(`is not a declared property (did you mean "%s"?)`, meant))
			}
		}
		c.check(&anything, m.Value)
		c.up()
	}
}

// matches counts the branches that v satisfies. Whether all of v is data is found out
// by the walk outside the branches.
func (c *checker) matches(branches []node, v any) (k int) {
	for i := range branches {
		branch := checker{findings: findings{trail: c.trail}}
		branch.check(&branches[i], v)
		if branch.none() {
			k++
		}
	}
	return k
}

// accepts reports whether v has the type k. A number that is not finite is a number
// here: its own violation says more.
func (k kind) accepts(v any, number float64, isNumber bool) bool {
	ok := true
	switch k {
	case stringKind:
		_, ok = v.(string)
	case numberKind:
		ok = isNumber
	case integerKind:
		ok = isNumber && (number == math.Trunc(number) || math.IsNaN(number))
	case booleanKind:
		_, ok = v.(bool)
	case nullKind:
		ok = v == nil
	case arrayKind:
		_, ok = v.(Array)
	case objectKind:
		_, ok = v.(Object)
	}
	return ok
}
