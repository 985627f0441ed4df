package mcpserver

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// orderly is a transport that tells its session what comes and goes. It stands between
// the SDK and the real transport because this is the last place where requests are in
// the order in which they were sent: the SDK starts a goroutine for each.
type orderly struct {
	transport mcp.Transport
	session   *session
}

// Connect implements mcp.Transport.
func (t *orderly) Connect(ctx context.Context) (mcp.Connection, error) {
	if lines, ok := t.transport.(*stdio); ok {
		conn := lines.connect(t.session.server.maxMessageBytes())
		t.session.lines = conn
		return &orderlyConn{conn, t.session}, nil
	}
	conn, err := t.transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &orderlyConn{conn, t.session}, nil
}

type orderlyConn struct {
	mcp.Connection
	session *session
}

// Read implements mcp.Connection. The end of the input says that there is nothing more
// to ask, not that nobody waits for an answer: it is passed on, which cancels what still
// runs, after a moment for the answers.
func (c *orderlyConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.session.deaf() // who asks waits in vain
		c.session.quiet(c.session.server.drain)
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() && req.Method != "subscriptions/listen" {
		c.session.arrived(req)
	}
	return msg, err
}

// Write implements mcp.Connection. A client may use an id again as soon as it has the
// answer, so the request is forgotten before.
func (c *orderlyConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if resp, ok := msg.(*jsonrpc.Response); ok {
		c.session.answered(resp.ID)
	}
	return c.Connection.Write(ctx, msg)
}
