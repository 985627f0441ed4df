package textenc

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/encoding/htmlindex"
)

// known holds the encodings that were looked up, by the name that was asked for.
var known sync.Map

// Lookup finds an encoding by any of the names that the WHATWG's Encoding Standard has
// for it, in any case; "" is UTF-8. Some of these names mean more than they say:
// iso-8859-1 and ascii are windows-1252 there, gb2312 is gbk.
func Lookup(name string) (*Encoding, error) {
	if name == "" {
		return UTF8, nil
	}
	if e, ok := known.Load(name); ok {
		return e.(*Encoding), nil
	}
	e, err := lookup(name)
	if err == nil {
		known.Store(name, e)
	}
	return e, err
}

func lookup(name string) (*Encoding, error) {
	x, err := htmlindex.Get(name)
	if err != nil || x == nil {
		return nil, fmt.Errorf("unknown encoding %q: give a name of the WHATWG's Encoding Standard, such as windows-1252, shift_jis or gb18030", name)
	}
	canonical, err := htmlindex.Name(x)
	if err != nil {
		canonical = strings.ToLower(strings.TrimSpace(name))
	}
	switch canonical {
	case "utf-8":
		return UTF8, nil
	case "utf-16le":
		return utf16le, nil
	case "utf-16be":
		return utf16be, nil
	case "iso-2022-jp":
		return nil, fmt.Errorf("encoding %q is not supported: it has states that reach from one character to the next, so that no part of a file can be changed on its own", name)
	case "replacement":
		return nil, fmt.Errorf("encoding %q is not supported: the Encoding Standard has no text in it", name)
	}
	e := &Encoding{name: canonical, codec: newTable(x)}
	if mark, n := e.codec.encode(nil, "\ufeff"); n > 0 {
		e.mark = string(mark)
	}
	return e, nil
}
