package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/mcpserver"
	"github.com/toolfs/toolfs/vfs"
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
	disk, err := c.provider()
	if err != nil {
		return err
	}
	provider, status, err := behindWall(ctx, log, disk, c.Wall, c.Approval == string(approval.Ask), c.ownPlaces()...)
	if err != nil {
		return errors.Join(err, disk.Close())
	}
	defer provider.Close()
	if mode := vfs.SandboxMode(provider); mode != "" {
		fmt.Fprintf(s.err, "toolfs: %s mode, approval %s, second wall %s (Landlock ABI %d)\n", mode, c.Approval, standing(status.Confined), status.ABI)
	}
	asker := mcpserver.NewAsker(mcpserver.AskerOptions{})
	kept, err := newGrantFiles(os.Getpid())
	if err != nil {
		return err
	}
	approvals, err := c.approvals(asker.Answer, kept, log)
	if err != nil {
		return err
	}
	tools, err := c.tools(provider, approvals)
	if err != nil {
		return err
	}
	defer tools.Close()
	if c.Host && vfs.SandboxMode(provider) == "" {
		log.Warn("the tools are not confined: every file that this process may reach can be read and changed")
	}
	server, err := mcpserver.New(mcpserver.Options{
		Toolset: tools, Asker: asker, Cwd: provider.Cwd(), Version: version(), Logger: log,
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
	log.Debug("grep", "engine", c.Engine, "ripgrep", disk.Ripgrep())
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

func standing(yes bool) string {
	if yes {
		return "up"
	}
	return "not up"
}
