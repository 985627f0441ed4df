package main

import (
	"context"
	"log/slog"
)

type mcpCommand struct {
	workspace
	StructuredLines bool       `help:"Also send the lines of a read as structured data, for clients that show no text."`
	MaxWriteBytes   int64      `placeholder:"N" default:"8388608" help:"Bytes that one write may have (${default})."`
	LogLevel        slog.Level `default:"warn" help:"What is logged to standard error: debug, info, warn or error (${default})."`
}

// Help is shown below the command's flags.
func (mcpCommand) Help() string {
	return `Reads and writes stay inside the roots. A client starts this command itself; in its
configuration that is, for example:

  {"mcpServers": {"toolfs": {"command": "toolfs", "args": ["mcp", "--root", "/home/me/project"]}}}`
}

// Run serves until the client closes the connection or a signal comes.
func (c *mcpCommand) Run(ctx context.Context, s streams) error {
	return nil
}
