package mcpserver

import (
	"bytes"
	"crypto/rand"
	"strconv"
	"sync"

	"github.com/toolfs/toolfs/tool"
)

// The way out. The SDK encodes a result in three steps, each of which scans and copies
// what the step before made. A large text therefore stays here: the SDK is given a token
// for it, a string of random letters that occurs nowhere else, and when the encoded
// message comes back to be written, the text is encoded into the line in its place. The
// SDK may do with the result whatever it likes, as long as strings stay what they are.

// spliceMin is the size from which on a text is worth it.
const spliceMin = 2 << 10

// rawJSON is something held that is encoded already.
type rawJSON []byte

// held is what tokens stand for.
type held struct {
	prefix []byte // of a token in JSON, with the opening quote
	mu     sync.Mutex
	serial int
	values map[string]any // string or rawJSON, by token
}

func newHeld() held {
	return held{prefix: []byte(`"` + rand.Text() + "-"), values: map[string]any{}}
}

// hold keeps a text, or data, and gives the token for it.
func (h *held) hold(v any) (token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.serial++
	token = string(h.prefix[1:]) + strconv.Itoa(h.serial)
	h.values[token] = v
	return token
}

// splice appends data to dst with every token replaced, and forgets the tokens.
func (h *held) splice(dst, data []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.values) == 0 {
		return append(dst, data...)
	}
	for {
		start := bytes.Index(data, h.prefix)
		if start < 0 {
			return append(dst, data...)
		}
		end := start + literal(data[start:])
		token := string(data[start+1 : end-1])
		dst = append(dst, data[:start]...)
		switch v := h.values[token].(type) {
		case string:
			dst = tool.AppendJSON(dst, v)
		case rawJSON:
			dst = append(dst, v...)
		default:
			dst = append(dst, data[start:end]...)
		}
		delete(h.values, token)
		data = data[end:]
	}
}
