package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/wall"
)

type explainCommand struct {
	workspace
	Path  string `arg:"" help:"The file or directory, as a tool would be given it."`
	Write bool   `help:"Ask whether it may be changed, not whether it may be read."`
	JSON  bool   `help:"Print both answers as JSON."`
}

// Help is shown below the command's flags.
func (explainCommand) Help() string {
	return `Says which rule decides about a path, by the same decision that the tools take. Exit
code 1 means that it is denied. Give it the same flags as the server has.

Examples:
  toolfs explain --root ~/project .git/config --write
  toolfs explain --root ~/project --json secret/key.pem`
}

// explanation is what --json prints.
type explanation struct {
	Path      string       `json:"path"`
	Canonical string       `json:"canonical,omitempty"`
	Mode      sandbox.Mode `json:"mode"`
	Workspace string       `json:"workspace,omitempty"`
	vfs.Access
	// Landlock is the version of it that the kernel has for a second wall, 0 without it.
	Landlock int `json:"landlock"`
}

// Run explains.
func (c *explainCommand) Run(ctx context.Context, s streams) error {
	provider, err := c.provider()
	if err != nil {
		return err
	}
	defer provider.Close()
	x := explanation{Path: c.Path, Mode: c.mode(), Workspace: provider.Cwd(), Landlock: wall.ABI()}
	t, err := provider.Resolve(ctx, "", c.Path)
	if err == nil {
		x.Path, x.Canonical = t.Path, t.Key
		x.Access, err = provider.Explain(ctx, t, sandbox.Policy{})
	}
	if err != nil {
		e, ok := errors.AsType[*vfs.Error](err)
		if !ok {
			return err
		}
		refused := vfs.Verdict{Rule: "unresolved", Why: e.Msg}
		if e.Code == vfs.CodeSandboxDenied {
			refused.Rule = "outside"
		}
		x.Access = vfs.Access{Read: refused, Write: refused}
	}
	asked, verb := x.Read, "read"
	if c.Write {
		asked, verb = x.Write, "changed"
	}
	if c.JSON {
		err = printJSON(s.out, x)
	} else {
		err = x.print(s, asked, verb)
	}
	if err == nil && !asked.Allowed {
		err = toolError{errors.New(asked.Why)}
	}
	return err
}

func (x explanation) print(s streams, v vfs.Verdict, verb string) error {
	may := "may be "
	if !v.Allowed {
		may = "may not be "
	}
	_, err := fmt.Fprintf(s.out, "%s %s%s: %s (rule %s, %s mode)\n", visible(x.Path), may, verb, visible(v.Why), v.Rule, x.Mode)
	if err == nil && x.Canonical != "" && x.Canonical != x.Path {
		_, err = fmt.Fprintf(s.out, "It is %s.\n", visible(x.Canonical))
	}
	if err == nil && x.Mode != sandbox.DangerFullAccess {
		what := fmt.Sprintf("The kernel can confine changes as well (Landlock ABI %d, see --wall).", x.Landlock)
		if x.Landlock == 0 {
			what = "The kernel has no Landlock: the tools' own fence alone confines changes."
		}
		_, err = fmt.Fprintln(s.out, what)
	}
	return err
}
