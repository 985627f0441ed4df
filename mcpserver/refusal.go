package mcpserver

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusal is the answer to what is no message.
type refusal struct {
	id      []byte // JSON, or nil
	code    int64
	message string
}

// encode gives the message. The protocol leaves an id that is not known out, where
// JSON-RPC itself would have null.
func (r *refusal) encode() []byte {
	text, _ := jsontext.AppendQuote(nil, r.message) // what is no UTF-8 becomes U+FFFD
	id := []byte{}
	if r.id != nil {
		id = slices.Concat([]byte(`"id":`), r.id, []byte(","))
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0",%s"error":{"code":%d,"message":%s}}`, id, r.code, text)
}

// tooLong is the answer to a line that was not held.
func tooLong(l line, limit int64) *refusal {
	return &refusal{id: l.id, code: jsonrpc.CodeInvalidRequest,
		message: fmt.Sprintf("invalid request: %d bytes exceeds the %d-byte limit of a message", l.size, limit)}
}
