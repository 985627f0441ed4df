package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is the protocol's stdio transport: one JSON-RPC message a line. Streams that can
// be closed are, when the session ends. Where that does not break off a read, as on
// standard input, a goroutine stays behind until the next line comes or the process
// ends.
//
// It differs from the SDK's in what it does with input that is no message: it is
// answered with an error and the session goes on. Longer lines than a Server takes are
// skipped without being held, and answered so too.
//
// Run by a Server it also keeps large texts out of the SDK, which would copy and scan
// each of them half a dozen times: see cut.go and splice.go.
func Stdio(in io.Reader, out io.Writer) mcp.Transport {
	return &stdio{in: in, out: out}
}

type stdio struct {
	in  io.Reader
	out io.Writer

	// Tests that compare set these; 0 stands for the constants of the same names.
	cutMin, spliceMin int
}

// Connect implements mcp.Transport, for servers that are not this package's.
func (t *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := t.connect(mcp.DefaultMaxLineLength)
	c.cutMin = math.MaxInt // nobody would put together what was cut
	return c, nil
}

func (t *stdio) connect(limit int64) *lineConn {
	c := &lineConn{
		in: t.in, out: t.out,
		limit:     limit,
		cutMin:    cmp.Or(t.cutMin, cutMin),
		spliceMin: cmp.Or(t.spliceMin, spliceMin),
		held:      newHeld(),
		lines:     make(chan line),
		closed:    make(chan struct{}),
	}
	go c.feed()
	return c
}

// lineConn is the connection of a Stdio transport.
type lineConn struct {
	in      io.Reader
	out     io.Writer
	limit   int64
	cutMin  int // arguments of this size are cut out of their message
	lines   chan line
	closed  chan struct{}
	once    sync.Once
	batches atomic.Bool // the revision that was agreed on has batches

	queue []jsonrpc.Message // what is left of a batch; Read's alone

	spliceMin int // what is as large is held back from the SDK
	held      held

	writing sync.Mutex // guards all below, and out
	batch   map[jsonrpc.ID]*batch
	buffer  []byte
}

// SessionID implements mcp.Connection; the stdio transport has none.
func (c *lineConn) SessionID() string { return "" }

// negotiated is told the revision of an initialize result.
func (c *lineConn) negotiated(version string) { c.batches.Store(version < "2025-06-18") }

// feed passes on lines until there are no more, or nobody takes them.
func (c *lineConn) feed() {
	r := lineReader{r: c.in, limit: c.limit}
	for {
		l := r.next()
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// Read implements mcp.Connection.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue = c.queue[1:]
			return msg, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			if l.err != nil {
				return nil, l.err
			}
			if err := c.accept(l); err != nil {
				return nil, err
			}
		}
	}
}

// accept queues the messages of a line. What is none is answered at once.
func (c *lineConn) accept(l line) error {
	if l.size > 0 {
		return c.refuse(tooLong(l, c.limit))
	}
	e, refused := parse(l.text)
	switch {
	case refused != nil:
		return c.refuse(refused)
	case e.blank:
		return nil
	case e.batch != nil:
		return c.acceptBatch(e.batch)
	}
	msg, refused := c.message(e)
	if refused != nil {
		return c.refuse(refused)
	}
	c.queue = append(c.queue, msg)
	return nil
}

// message makes the message of an envelope, by the SDK unless a large part can be
// taken out first.
func (c *lineConn) message(e envelope) (jsonrpc.Message, *refusal) {
	if req := e.cut(c.cutMin); req != nil {
		return req, nil
	}
	msg, err := jsonrpc.DecodeMessage(e.text)
	if err != nil {
		return nil, &refusal{id: e.id, code: jsonrpc.CodeInvalidRequest, message: "invalid request: " + err.Error()}
	}
	return msg, nil
}

// Write implements mcp.Connection.
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if resp, ok := msg.(*jsonrpc.Response); ok {
		if b := c.batch[resp.ID]; b != nil {
			delete(c.batch, resp.ID)
			b.answer(resp.ID, data)
			return c.writeBatch(b)
		}
	}
	return c.writeLine(data)
}

// refuse answers what is no message.
func (c *lineConn) refuse(r *refusal) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.writeLine(r.encode())
}

// writeLine writes one line, with what is held put into it. The caller holds writing.
func (c *lineConn) writeLine(data []byte) error {
	c.buffer = append(c.held.splice(c.buffer[:0], data), '\n')
	_, err := c.out.Write(c.buffer)
	if cap(c.buffer) > keptBuffer {
		c.buffer = nil
	}
	return err
}

// keptBuffer is how large a write buffer may be to be kept for the next line.
const keptBuffer = 1 << 20

// Close implements mcp.Connection.
func (c *lineConn) Close() (err error) {
	c.once.Do(func() {
		close(c.closed)
		err = errors.Join(closeStream(c.in), closeStream(c.out))
	})
	return err
}

func closeStream(stream any) error {
	if closer, ok := stream.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}
