package mcpserver

import (
	"bytes"
	"fmt"

	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// outlined is a call's arguments without their long texts, which are for the registry
// alone to decode.
type outlined struct {
	text    []byte // JSON
	longest int    // bytes of the longest string literal
}

// longText is the size of a string literal from which on it is no path, whatever its
// escapes.
const longText = 32 << 10

// outline replaces each long string in the JSON text of arguments by an empty one. The
// text is known to be well-formed, so that looking for quotes is enough.
func outline(arguments []byte) outlined {
	o := outlined{text: arguments}
	if len(arguments) < longText {
		o.longest = len(arguments)
		return o
	}
	o.text = nil
	rest := arguments
	for {
		start := bytes.IndexByte(rest, '"')
		if start < 0 {
			break
		}
		n := literal(rest[start:])
		o.longest = max(o.longest, n)
		if n < longText {
			o.text = append(o.text, rest[:start+n]...)
		} else {
			o.text = append(append(o.text, rest[:start]...), `""`...)
		}
		rest = rest[start+n:]
	}
	o.text = append(o.text, rest...)
	return o
}

// literal is the length of the string literal that b begins with.
func literal(b []byte) int {
	for end := 1; ; {
		i := bytes.IndexByte(b[end:], '"')
		if i < 0 {
			return len(b)
		}
		end += i + 1
		slashes := 0
		for b[end-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
	}
}

// args decodes the outline, for a card; arguments that are none give empty ones.
func (o outlined) args() tool.Args {
	args, err := tool.DecodeArgs(o.text)
	if err != nil {
		return tool.Args{}
	}
	return args
}

// tooLarge refuses a call with a string argument above the limit, or returns nil. The
// limit of a message lies above, so that a model is told in its own terms.
func (s *Server) tooLarge(c tool.Call, o outlined) *tool.Result {
	limit := s.options.MaxWriteBytes
	if int64(o.longest) <= limit {
		return nil
	}
	args, err := tool.DecodeArgs(c.Arguments)
	if err != nil {
		return nil // the registry says what is wrong
	}
	for _, m := range args.Members() {
		if text, ok := m.Value.(string); ok && int64(len(text)) > limit {
			what := "argument " + m.Name
			if path, ok := args.String("file_path"); ok {
				what = vfs.QuotePath(path)
			}
			message := fmt.Sprintf("cannot %s %s: %d bytes exceeds the %d-byte limit", c.Name, what, len(text), limit)
			r := failure(&vfs.Error{Code: vfs.CodeTooLarge, Msg: message})
			return &r
		}
	}
	return nil
}
