// Command mcphttp serves the tools over HTTP on a loopback address, with the same
// package that serves them on standard streams, so that conformance suites which speak
// HTTP only can be run against it. It prints the URL and serves until it is interrupted.
//
// It is for tests: it authenticates nobody.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/mcpserver"
)

func main() {
	root := flag.String("root", ".", "the directory that is served")
	address := flag.String("listen", "127.0.0.1:0", "the loopback address to listen on")
	diagnostics := flag.Bool("diagnostics", false, "add the tools that the conformance suite calls by name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *root, *address, *diagnostics); err != nil {
		fmt.Fprintln(os.Stderr, "mcphttp:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, root, address string, diagnostics bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%q is no loopback address", host)
	}
	files, err := localfs.Root([]string{root}, localfs.Options{})
	if err != nil {
		return err
	}
	defer files.Close()
	set, err := toolfs.New(toolfs.Options{Provider: files})
	if err != nil {
		return err
	}
	defer set.Close()
	if diagnostics {
		if err := addDiagnostics(set.Registry()); err != nil {
			return err
		}
	}
	server, err := mcpserver.New(mcpserver.Options{
		Toolset: set,
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.HTTPHandler())
	web := &http.Server{Handler: mux}
	context.AfterFunc(ctx, func() {
		server.Close()
		web.Close()
	})
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return server.Close()
}
