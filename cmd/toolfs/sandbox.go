package main

import (
	"errors"
	"log/slog"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// sandboxFlags say what may be changed, what is kept from the tools, and whether a person
// can be asked for more.
type sandboxFlags struct {
	Mode     string `group:"Sandbox" placeholder:"MODE" enum:"read-only,workspace-write,danger-full-access," default:"" help:"What may be changed: read-only, workspace-write (the roots, but for protected places such as .git) or danger-full-access. Default: workspace-write; danger-full-access with --host alone."`
	Approval string `group:"Sandbox" placeholder:"POLICY" enum:"ask,never" default:"ask" help:"Whether a person is asked when a call wants to change more: ask or never (${default})."`

	Wall string `group:"Sandbox" placeholder:"WHEN" enum:"auto,on,off" default:"auto" help:"Second wall, by which the kernel confines changes too (Linux): auto has it where nothing can be asked for, and it costs nothing; on has another process write, or does not start; off."`

	Writable []string `group:"Sandbox" placeholder:"DIR" type:"path" help:"Further directory that may be changed in workspace-write mode. May be repeated."`
	Temp     bool     `group:"Sandbox" help:"Let the system's directories for temporary files be changed in workspace-write mode."`
	Protect  []string `group:"Sandbox" placeholder:"PATH" help:"Path below the roots that is not changed without approval, as .git is. May be repeated."`

	Deny         []string `group:"Sandbox" placeholder:"GLOB" help:"Pattern, as in .gitignore, of what the tools neither see nor change. May be repeated."`
	IgnoreFile   string   `group:"Sandbox" placeholder:"NAME" default:".agentignore" help:"Name of files with such patterns, in any directory (${default})."`
	NoIgnoreFile bool     `group:"Sandbox" help:"Read no such files."`
}

// mode is the standing mode.
func (w workspace) mode() sandbox.Mode {
	switch {
	case w.Mode != "":
		return sandbox.Mode(w.Mode)
	case w.Host && len(w.Root) == 0:
		return sandbox.DangerFullAccess
	}
	return sandbox.WorkspaceWrite
}

// confine adds to a provider's options what the flags say.
func (w workspace) confine(o *localfs.Options, roots []string) error {
	o.Deny = w.Deny
	if !w.NoIgnoreFile {
		o.IgnoreFile = w.IgnoreFile
	}
	if w.mode() == sandbox.DangerFullAccess {
		if len(w.Writable) > 0 || len(w.Protect) > 0 || w.Temp {
			return usageError{errors.New("--writable, --temp and --protect need --mode workspace-write: danger-full-access restricts nothing")}
		}
		return nil
	}
	o.Sandbox = &localfs.Sandbox{Mode: w.mode(), NoTemp: !w.Temp, Protect: w.Protect, WritableRoots: w.Writable}
	if len(roots) > 0 {
		o.Sandbox.WorkspaceRoot = roots[0]
		o.Sandbox.WritableRoots = append(o.Sandbox.WritableRoots, roots[1:]...)
	}
	return nil
}

// standing makes the service that knows the mode, nil where nothing is confined.
func (w workspace) standing(provider served) (*sandbox.Service, error) {
	mode := vfs.SandboxMode(provider)
	if mode == "" {
		return nil, nil
	}
	return sandbox.NewService(sandbox.Options{Mode: mode, WorkspaceRoot: provider.Cwd()})
}

// approvals makes the service that asks by way of an answerer, and tells the log of every
// question and answer.
func (w workspace) approvals(answerer approval.Answerer, keeper approval.Keeper, log *slog.Logger) (*approval.Service, error) {
	grants := approval.NewGrants()
	if keeper != nil {
		grants = approval.KeptGrants(keeper)
	}
	return approval.NewService(approval.Options{
		Policy: approval.Policy(w.Approval), Answerer: answerer, Grants: grants, Logger: log,
		Record: func(e approval.Event) error {
			what := "approval decided"
			if e.Asked() {
				what = "approval asked"
			}
			log.Info(what, "", e)
			return nil
		},
	})
}
