package mcpserver

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The way in. On its way to a tool's handler the SDK scans and copies a message six
// times, with the whole of a file in it. So the arguments of a large tools/call are cut
// out of the message here, null is put in their place, and they travel with the request
// in its Extra: the session notes them and gives them back to the handler.
//
// Only a plain call is cut: each known member once, written without escapes, an id that
// is usual, arguments that are an object without nested data. Everything else takes the
// SDK's way, as does every other method.

// cutMin is the size of arguments from which on it is worth it.
const cutMin = 4 << 10

// cutArguments is the Extra of a request whose arguments were cut out.
type cutArguments struct{ text []byte }

// cut makes the request of a call without its arguments, if they have min bytes. It
// returns nil for a message that the SDK has to decode.
func (e *envelope) cut(min int) *jsonrpc.Request {
	if !e.usual || e.arguments.to-e.arguments.from < min {
		return nil
	}
	id, ok := requestID(e.id)
	if !ok {
		return nil
	}
	return &jsonrpc.Request{
		ID:     id,
		Method: "tools/call",
		Params: slices.Concat(e.text[e.params.from:e.arguments.from], []byte("null"), e.text[e.arguments.to:e.params.to]),
		Extra:  &cutArguments{e.text[e.arguments.from:e.arguments.to]},
	}
}

// requestID is the SDK's form of an id that is usable and plainly written.
func requestID(raw []byte) (jsonrpc.ID, bool) {
	var value any
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		value = float64(n)
	} else if raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		value = string(raw[1 : len(raw)-1])
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil && id.IsValid()
}
