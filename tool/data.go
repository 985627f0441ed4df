package tool

// numberOf is the number that v is.
func numberOf(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case Number:
		return v.Value, true
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// isData reports whether v is data other than a number.
func isData(v any) bool {
	switch v.(type) {
	case nil, bool, string, Array, Object:
		return true
	}
	return false
}

func contains(list []any, v any) bool {
	for _, e := range list {
		if equal(e, v) {
			return true
		}
	}
	return false
}

// equal compares JSON data: numbers by value, objects whatever the order of members.
func equal(a, b any) bool {
	if value, ok := b.(Value); ok {
		b = value.JSONValue()
	}
	if x, ok := numberOf(a); ok {
		y, ok := numberOf(b)
		return ok && x == y
	}
	switch a := a.(type) {
	case Array:
		b, ok := b.(Array)
		return ok && equalArrays(a, b)
	case Object:
		b, ok := b.(Object)
		return ok && equalObjects(a, b)
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	}
	return a == nil && b == nil
}

func equalArrays(a, b Array) bool {
	if a.Len != b.Len {
		return false
	}
	for i := range a.Len {
		if !equal(a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

func equalObjects(a, b Object) bool {
	if len(a) != len(b) {
		return false
	}
	for _, m := range a {
		i := b.index(m.Name, nil)
		if i < 0 || !equal(m.Value, b[i].Value) {
			return false
		}
	}
	return true
}
