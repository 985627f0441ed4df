package mcpserver

import (
	"bytes"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// batch is an array of messages on its way to being answered by an array. Revisions
// before 2025-06-18 have them.
type batch struct {
	answers [][]byte // in the order of the requests; nil while there is none
	open    map[jsonrpc.ID]int
}

// acceptBatch queues the messages of a batch. What is no message among them is
// answered with the rest.
func (c *lineConn) acceptBatch(elements [][]byte) error {
	if !c.batches.Load() {
		return c.refuse(&refusal{code: jsonrpc.CodeInvalidRequest,
			message: "invalid request: batches are not supported by the revision that was agreed on"})
	}
	b := &batch{open: map[jsonrpc.ID]int{}}
	c.writing.Lock()
	defer c.writing.Unlock()
	for _, element := range elements {
		msg, id, refused := c.element(element)
		req, isRequest := msg.(*jsonrpc.Request)
		if isRequest && req.IsCall() {
			if _, twice := b.open[req.ID]; twice || c.batch[req.ID] != nil {
				refused = &refusal{id: id, code: jsonrpc.CodeInvalidRequest, message: "invalid request: the id is in use"}
			} else {
				b.open[req.ID] = len(b.answers)
				b.answers = append(b.answers, nil)
			}
		}
		if refused != nil {
			b.answers = append(b.answers, refused.encode())
			continue
		}
		c.queue = append(c.queue, msg)
	}
	for id := range b.open {
		if c.batch == nil {
			c.batch = map[jsonrpc.ID]*batch{}
		}
		c.batch[id] = b
	}
	return c.writeBatch(b)
}

// element is one message of a batch, and its id as JSON; batches do not nest.
func (c *lineConn) element(text []byte) (jsonrpc.Message, []byte, *refusal) {
	e, refused := parse(text)
	if refused == nil && e.batch != nil {
		refused = &refusal{code: jsonrpc.CodeInvalidRequest, message: "invalid request: a message must be an object"}
	}
	if refused != nil {
		return nil, nil, refused
	}
	msg, refused := c.message(e)
	return msg, e.id, refused
}

// answer files the answer to one request.
func (b *batch) answer(id jsonrpc.ID, data []byte) {
	b.answers[b.open[id]] = data
	delete(b.open, id)
}

// writeBatch writes the answers once all are there, if there are any. The caller holds
// writing.
func (c *lineConn) writeBatch(b *batch) error {
	if len(b.open) > 0 || len(b.answers) == 0 {
		return nil
	}
	return c.writeLine(fmt.Appendf(nil, "[%s]", bytes.Join(b.answers, []byte(","))))
}
