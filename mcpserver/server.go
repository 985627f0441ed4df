// Package mcpserver serves a toolfs.Toolset over the Model Context Protocol. It is the
// one place that knows the protocol's SDK.
//
// A connection is a session: what was read on it may be changed on it, and all of that
// is forgotten when it ends. Tools are declared with their own schemas byte for byte,
// and a call's arguments reach the registry as they were sent.
//
// A result has the model's text as its content, once. Facts about it that a program may
// want are the structured content, for which each tool has an output schema, and the
// card that a person may be shown is in _meta under CardKey; neither repeats text that
// the content or the call's arguments hold already.
//
// With an Asker, a call that needs a person's approval is put before the person at the
// client, with the change that it would make; see there.
package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

// DefaultMaxWriteBytes is the most that one string argument of a call holds by default.
const DefaultMaxWriteBytes = 8 << 20

// Options says what is served and how. Only Toolset is required.
type Options struct {
	// Toolset runs the calls. It stays the caller's to close, after the Server.
	Toolset *toolfs.Toolset

	// Cwd is the absolute directory that every session's relative paths start from;
	// "" is the provider's own.
	Cwd string

	// Version is what the server says its version is; "" is "0.0.0".
	Version string

	// Logger is told of sessions and of misbehaving clients; nil means nobody is.
	// It must not write to the stream that carries the protocol.
	Logger *slog.Logger

	// StructuredLines adds to the structured content what the text holds anyway: the
	// lines of a read and the entries of a listing.
	StructuredLines bool

	// OmitStructured leaves structured content and output schemas out, for a client
	// that shows its model nothing else once they are there.
	OmitStructured bool

	// Asker puts requests for approval before the client's person. Its Answer must be
	// the answerer of the Toolset's approval service. nil asks nobody here: calls that
	// need approval get what that service says without.
	Asker *Asker

	// MaxWriteBytes is the most bytes that one string argument may hold; a call with
	// a longer one fails as a tool call does. 0 is DefaultMaxWriteBytes. The longest
	// message that is accepted follows from it.
	MaxWriteBytes int64
}

// toolset is what the server needs of a toolfs.Toolset.
type toolset interface {
	Registry() *tool.Registry
	Guidance() string
	Contexts(s tool.Session) []toolfs.Section
	Execute(ctx context.Context, c tool.Call) tool.Result
	Forget(session string)
}

// Server serves one toolset to any number of sessions. Safe for concurrent use.
type Server struct {
	options  Options
	toolset  toolset
	drain    time.Duration // how long calls may take to answer once their session ends
	ctx      context.Context
	cancel   context.CancelFunc
	mu       sync.Mutex // guards closed, so that no session opens behind Close
	closed   bool
	sessions sync.WaitGroup
}

// ErrClosed is what Run returns of a Server that is closed.
var ErrClosed = errors.New("mcpserver: server is closed")

// New makes a Server. An Options that makes no sense is an error whose text names the
// field.
func New(o Options) (*Server, error) {
	if o.Toolset == nil {
		return nil, errors.New("mcpserver: a Toolset is required")
	}
	return newServer(o, o.Toolset)
}

func newServer(o Options, t toolset) (*Server, error) {
	switch {
	case o.Cwd != "" && !filepath.IsAbs(o.Cwd):
		return nil, errors.New("mcpserver: Cwd must be an absolute directory")
	case o.MaxWriteBytes < 0 || o.MaxWriteBytes > maxMaxWriteBytes:
		return nil, errors.New("mcpserver: MaxWriteBytes must be between 0 and 1 GiB")
	case o.OmitStructured && o.StructuredLines:
		return nil, errors.New("mcpserver: StructuredLines needs what OmitStructured leaves out")
	}
	if o.MaxWriteBytes == 0 {
		o.MaxWriteBytes = DefaultMaxWriteBytes
	}
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: o, toolset: t, drain: drainTime}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

const (
	// drainTime lets the answers to what was asked before the end still out.
	drainTime = 2 * time.Second

	maxMaxWriteBytes = 1 << 30
)

// maxMessageBytes bounds one message. JSON may take six bytes for one of text; what
// a write may hold must always get as far as being judged.
func (s *Server) maxMessageBytes() int64 { return 6*s.options.MaxWriteBytes + 64<<10 }

// Run serves one session over t until the client ends it, which is no error, or ctx
// does, whose error it returns. When the client has nothing more to ask, calls that
// have begun get a moment to answer and are cancelled if they take longer; when ctx
// ends they are cancelled at once. They are awaited always.
//
// Use Stdio for a transport over standard streams; any other of the SDK's persistent
// transports works too.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	ses, err := s.open()
	if err != nil {
		return err
	}
	defer ses.close()
	server := s.protocol(ses.caller, func(*mcp.CallToolRequest) (*session, error) { return ses, nil })
	server.AddReceivingMiddleware(ses.watch)
	connected, err := server.Connect(ctx, &orderly{transport: t, session: ses}, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- connected.Wait() }()
	select {
	case err = <-ended:
		return err
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.ctx.Done():
		err = ErrClosed
	}
	ses.cancel()
	ses.quiet(s.drain)
	connected.Close()
	<-ended
	return err
}

// Close ends every session as the end of Run's ctx does, and awaits them.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.sessions.Wait()
	return nil
}
