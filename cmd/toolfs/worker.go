package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/wall"
)

// workerCommand does the writing for another process of this program, which starts it.
type workerCommand struct{}

// Run writes until the other process ends the connection.
func (workerCommand) Run(ctx context.Context) error {
	return wall.Work(ctx, os.NewFile(wall.Connection, ""))
}

// served is the files that the tools work on.
type served interface {
	vfs.Provider
	Cwd() string
	Roots() []string
	SandboxMode() sandbox.Mode
	Close() error
}

// The values of --wall: auto does what costs nothing, on what there is, or nothing is
// served.
const (
	wallAuto = "auto"
	wallOn   = "on"
	wallOff  = "off"
)

// behindWall puts the second wall around the changes that files makes: around this
// process, where nothing is ever escalated, which costs nothing; else, with --wall on,
// around a worker that writes. further are directories that this process itself must
// still write. What is returned is the caller's to close instead of files, which is closed
// when there is an error. What came of it is logged.
func behindWall(ctx context.Context, log *slog.Logger, files *localfs.FS, mode string, escalates bool, further ...string) (served, wall.Status, error) {
	out, status, err := buildWall(ctx, files, mode, escalates, further)
	if mode == wallOn && err == nil && !status.Confined && confines(files) {
		err = usageError{errors.New("--wall on: " + status.Why)}
	}
	switch {
	case err != nil && mode == wallOn:
		return nil, status, errors.Join(err, out.Close())
	case err != nil:
		out, status.Confined, status.Why = files, false, err.Error()
		fallthrough
	case mode == wallAuto && !escalates && !status.Confined && confines(files):
		log.Warn("the second wall does not stand: the tools' own fence alone confines what they change", "landlock", status.ABI, "why", status.Why)
	default:
		log.Info("second wall", "confined", status.Confined, "landlock", status.ABI, "why", status.Why)
	}
	return out, status, nil
}

func buildWall(ctx context.Context, files *localfs.FS, mode string, escalates bool, further []string) (served, wall.Status, error) {
	status := wall.Status{ABI: wall.ABI()}
	switch {
	case mode == wallOff:
		status.Why = "it was switched off by --wall off"
		return files, status, nil
	case !escalates:
		status, err := wall.Self(files, further...)
		return files, status, err
	case mode == wallAuto:
		status.Why = "a call may be escalated here, and a process of its own for the writing is started by --wall on alone"
		return files, status, nil
	}
	f, err := wall.New(ctx, files, wall.Options{Stderr: os.Stderr})
	if err != nil {
		return files, status, err
	}
	return f, f.Status(), nil
}

// confines reports whether there is anything that the wall could keep in.
func confines(files *localfs.FS) bool {
	mode := files.SandboxMode()
	return mode == sandbox.ReadOnly || mode == sandbox.WorkspaceWrite
}
