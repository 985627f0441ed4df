package mcpserver

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
)

const (
	// serveVariable makes the test binary a server of the directory that it names.
	serveVariable = "MCPSERVER_TEST_SERVE"
	// confineVariable lets it change nothing there without approval.
	confineVariable = "MCPSERVER_TEST_CONFINE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveVariable); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func serve(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	set, err := tools(dir)
	var asker *Asker
	if os.Getenv(confineVariable) != "" {
		set, asker, _, err = confinedTools(dir, AskerOptions{}, nil)
	}
	if err != nil {
		return err
	}
	server, err := New(Options{Toolset: set, Cwd: dir, Version: "1.2.3", Asker: asker})
	if err != nil {
		return err
	}
	return server.Run(ctx, Stdio(os.Stdin, os.Stdout))
}

// tools is the toolset over a directory, confined to it.
func tools(dir string) (*toolfs.Toolset, error) {
	files, err := localfs.Root([]string{dir}, localfs.Options{NoSync: true})
	if err != nil {
		return nil, err
	}
	return toolfs.New(toolfs.Options{Provider: files})
}
