package tool

import (
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends v as JSON text to dst. v is data as Value.JSONValue gives it
// (nil, bool, int, float64, Number, string, Array, Object), Args, or a Value. The text
// is what ECMAScript's JSON.stringify writes: nothing is escaped for the sake of HTML,
// U+2028 and U+2029 stand as they are. A byte that is not UTF-8 becomes U+FFFD; a
// number that is not finite, and anything that is not such data, becomes null.
//
// Safe for concurrent use; panics only where a Value's or an Array's own code does.
func AppendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case float64:
		return appendFloat(dst, v)
	case Number:
		if v.Text != "" {
			return append(dst, v.Text...)
		}
		return appendFloat(dst, v.Value)
	case Object:
		return appendObject(dst, v)
	case Array:
		return appendArray(dst, v)
	case Args:
		return appendObject(dst, v.object)
	case Value:
		return AppendJSON(dst, v.JSONValue())
	default:
		return append(dst, "null"...)
	}
}

func appendObject(dst []byte, o Object) []byte {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, m.Name), ':')
		dst = AppendJSON(dst, m.Value)
	}
	return append(dst, '}')
}

func appendArray(dst []byte, a Array) []byte {
	dst = append(dst, '[')
	for i := range a.Len {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, a.At(i))
	}
	return append(dst, ']')
}

// appendFloat writes a double as ECMAScript does.
func appendFloat(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == 0:
		return append(dst, '0')
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// ECMAScript writes e-9 where Go writes e-09.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// appendString writes runs that need no escape as a whole.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = replaceInvalid(s)
	}
	dst = append(dst, '"')
	for {
		n := plainPrefix(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, s[n])
		s = s[n+1:]
	}
}

// plainPrefix is how many bytes of s come before the first that must be escaped: a
// quote, a backslash, or one below 0x20. It looks at eight bytes at a time: each
// subtraction sets the top bit of a byte that is sought, and of none before the first.
func plainPrefix(s string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		c := s[i : i+8]
		w := uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
			uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
		quote, slash := w^ones*'"', w^ones*'\\'
		if hits := ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & tops; hits != 0 {
			return i + bits.TrailingZeros64(hits)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return i
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// replaceInvalid puts U+FFFD for each byte that is not UTF-8.
func replaceInvalid(s string) string {
	b := make([]byte, 0, len(s)+16)
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}
