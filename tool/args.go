package tool

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// Object is JSON data with its members in order.
type Object []Member

// Array is JSON data whose elements are made on demand, so that a long list need not
// exist twice. At is called with 0 to Len-1; what it returns may be valid only until it
// is called again.
type Array struct {
	Len int
	At  func(i int) any
}

// Args is a call's arguments: an Object whose values are nil, bool, Number, string,
// Array or Object. A name that was given twice holds the last value, in the first
// place, as in ECMAScript.
type Args struct{ object Object }

// Number is a JSON number: its value, and the text it was written as.
type Number struct {
	Value float64
	Text  string
}

// Get gives a member's value; ok is false when it is not there.
func (a Args) Get(name string) (value any, ok bool) {
	for _, m := range a.object {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// String gives a string member; ok is false when it is absent or no string.
func (a Args) String(name string) (s string, ok bool) {
	v, _ := a.Get(name)
	s, ok = v.(string)
	return s, ok
}

// Number gives a number member; ok is false when it is absent or no number.
func (a Args) Number(name string) (n Number, ok bool) {
	v, _ := a.Get(name)
	n, ok = v.(Number)
	return n, ok
}

// Bool gives a boolean member; ok is false when it is absent or no boolean.
func (a Args) Bool(name string) (b, ok bool) {
	v, _ := a.Get(name)
	b, ok = v.(bool)
	return b, ok
}

// Members gives the arguments in order; the caller must not change them.
func (a Args) Members() Object { return a.object }
