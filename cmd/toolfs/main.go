// Command toolfs gives a language model the file tools list, glob, grep, read, write and edit: as
// an MCP server on standard input and output, or one call at a time from the shell.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/toolfs/toolfs/mcpserver"
	"github.com/toolfs/toolfs/vfs"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitOK          = 0
	exitToolError   = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// streams is where a command reads and writes. Nothing but a command's own answer
// goes to out; logs and complaints go to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

type grammar struct {
	MCP     mcpCommand     `cmd:"" name:"mcp" help:"Serve the tools to an MCP client on standard input and output."`
	Call    callCommand    `cmd:"" help:"Run one tool and print what a model would see."`
	Catalog catalogCommand `cmd:"" help:"Print the tools' schemas and guidance, for wiring them by hand."`
	Explain explainCommand `cmd:"" help:"Say whether a path may be read or changed, and which rule decides."`
	Grants  grantsCommand  `cmd:"" help:"List and revoke what was allowed for the rest of a session."`
	Version versionCommand `cmd:"" help:"Print the version."`
	Worker  workerCommand  `cmd:"" hidden:"" help:"Write for another process of this program, which starts it."`
}

const description = `File tools for language models: list, find, search, read, write and edit, exact and guarded.

Examples:
  toolfs mcp --root ~/project            serve one project to an MCP client
  toolfs call list '{}'                  list this directory as a model sees it
  toolfs call read '{"file_path":"README.md","limit":20}'
  toolfs catalog --format anthropic      tool definitions for an API request`

// run is the program: it parses, runs, and gives the exit code.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	s := streams{in: in, out: out, err: errOut}
	var g grammar
	exited := -1
	parser, err := kong.New(&g, kong.Name("toolfs"), kong.Description(description), kong.Writers(out, errOut),
		kong.Vars{"maxWriteBytes": strconv.Itoa(mcpserver.DefaultMaxWriteBytes),
			"maxGuardedBytes": strconv.FormatInt(vfs.DefaultMaxGuardedBytes, 10)},
		kong.Exit(func(code int) { exited = code }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(errOut, "toolfs:", err)
		return exitUsage
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // help was asked for and printed
		return exited
	}
	if err != nil {
		return usage(errOut, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	parsed.BindTo(ctx, (*context.Context)(nil))
	return code(errOut, parsed.Run(s))
}

func usage(w io.Writer, err error) int {
	fmt.Fprintf(w, "toolfs: %v\n", err)
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
		fmt.Fprintf(w, "Run \"%s --help\" for its use.\n", parse.Context.Model.Name)
	}
	return exitUsage
}

// usageError is a mistake in how the program was called.
type usageError struct{ error }

// toolError says that a tool answered with an error, which is printed already.
type toolError struct{ error }

func code(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if _, ok := errors.AsType[toolError](err); ok {
		return exitToolError
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	fmt.Fprintf(w, "toolfs: %v\n", err)
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitToolError
}

func logger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
