package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"github.com/toolfs/toolfs/mcpserver"
)

type mcpCommand struct {
	workspace
	StructuredLines bool       `help:"Send the lines of a read and the entries of a listing as structured data too, for clients that use no text."`
	NoStructured    bool       `help:"Send no structured data at all, for clients that show a model nothing else once it is there."`
	MaxWriteBytes   int64      `placeholder:"N" default:"${maxWriteBytes}" help:"Bytes that one write may have (${default})."`
	LogLevel        slog.Level `default:"warn" help:"What is logged to standard error: debug, info, warn or error (${default})."`
}

// Help is shown below the command's flags.
func (mcpCommand) Help() string {
	return `Reads and writes stay inside the roots. A client starts this command itself; in its
configuration that is, for example:

  {"mcpServers": {"toolfs": {"command": "toolfs", "args": ["mcp", "--root", "/home/me/project"]}}}

It ends when the client closes its input, or on a signal.`
}

// Run serves until the client closes the connection or a signal comes.
func (c *mcpCommand) Run(ctx context.Context, s streams) (err error) {
	log := logger(s.err, c.LogLevel)
	provider, err := c.provider()
	if err != nil {
		return err
	}
	defer provider.Close()
	approvals, err := c.approvals(nil, nil, log)
	if err != nil {
		return err
	}
	tools, err := c.tools(provider, approvals)
	if err != nil {
		return err
	}
	defer tools.Close()
	if c.Host && provider.SandboxMode() == "" {
		log.Warn("the tools are not confined: every file that this process may reach can be read and changed")
	}
	server, err := mcpserver.New(mcpserver.Options{
		Toolset: tools, Cwd: provider.Cwd(), Version: version(), Logger: log,
		StructuredLines: c.StructuredLines, OmitStructured: c.NoStructured, MaxWriteBytes: c.MaxWriteBytes,
	})
	if err != nil {
		return usageError{err}
	}
	defer server.Close()
	if f, ok := s.in.(*os.File); ok && isTerminal(f) {
		log.Warn("waiting for an MCP client on standard input; a client starts this command itself, see toolfs mcp --help")
	}
	if os.Getenv("GOGC") == "" {
		// A large call makes megabytes of garbage at once in a small heap: collecting
		// it four times over would cost more than the call.
		debug.SetGCPercent(400)
	}
	log.Info("serving", "roots", strings.Join(provider.Roots(), " "), "cwd", provider.Cwd())
	err = server.Run(ctx, mcpserver.Stdio(s.in, s.out))
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
