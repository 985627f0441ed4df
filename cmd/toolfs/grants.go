package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/toolfs/toolfs/approval"
)

// grantFiles keeps grants as files of their own, so that another process can list and
// revoke them: a grant holds while its file is there.
type grantFiles struct {
	dir string
	pid int // of the process whose session it is; 0 for a session that outlives it
}

// keptGrant is the content of such a file.
type keptGrant struct {
	approval.Grant
	PID int `json:"pid,omitempty"`
}

func newGrantFiles(pid int) (*grantFiles, error) {
	state, err := stateDir()
	return &grantFiles{dir: filepath.Join(state, "grants"), pid: pid}, err
}

func (g *grantFiles) path(id string) string {
	return filepath.Join(g.dir, filepath.Base(id)+".json")
}

// Keep implements approval.Keeper.
func (g *grantFiles) Keep(grant approval.Grant) error {
	data, err := json.Marshal(keptGrant{grant, g.pid})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(g.path(grant.ID), data, 0o600)
}

// Holds implements approval.Keeper.
func (g *grantFiles) Holds(id string) bool {
	_, err := os.Lstat(g.path(id))
	return err == nil
}

// Drop implements approval.Keeper.
func (g *grantFiles) Drop(id string) { os.Remove(g.path(id)) }

// all reads what is kept, the oldest first, and removes what a dead process left.
func (g *grantFiles) all() ([]keptGrant, error) {
	files, err := os.ReadDir(g.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []keptGrant
	for _, f := range files {
		name, isGrant := strings.CutSuffix(f.Name(), ".json")
		data, err := os.ReadFile(filepath.Join(g.dir, f.Name()))
		var k keptGrant
		if !isGrant || err != nil || json.Unmarshal(data, &k) != nil || k.ID != name {
			continue
		}
		if k.PID != 0 && !alive(k.PID) {
			g.Drop(k.ID)
			continue
		}
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b keptGrant) int { return a.Since.Compare(b.Since) })
	return list, nil
}

// alive reports whether a process is there; where that cannot be told, that it is.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

type grantsCommand struct {
	Revoke []string `placeholder:"ID" help:"Take a grant back; it ends at once, also in a server that runs. May be repeated."`
	JSON   bool     `help:"Print the grants as JSON."`
}

// Help is shown below the command's flags.
func (grantsCommand) Help() string {
	return `A grant is what a person allowed for the rest of a session when a call asked to change
more than the sandbox mode allows. It ends with its session, or when it is revoked.`
}

// Run lists the grants that hold, or revokes some.
func (c *grantsCommand) Run(_ context.Context, s streams) error {
	kept, err := newGrantFiles(0)
	if err != nil {
		return err
	}
	list, err := kept.all()
	if err != nil {
		return err
	}
	for _, id := range c.Revoke {
		if !slices.ContainsFunc(list, func(k keptGrant) bool { return k.ID == id }) {
			return fmt.Errorf("there is no grant %q; run \"toolfs grants\" for those that hold", id)
		}
		kept.Drop(id)
	}
	if len(c.Revoke) > 0 {
		return nil
	}
	if c.JSON {
		return printJSON(s.out, map[string]any{"grants": slices.Concat([]keptGrant{}, list)})
	}
	for _, k := range list {
		if _, err := fmt.Fprintf(s.out, "%s  %s  %s %s  since %s\n", k.ID, k.Mode, k.Scope, visible(k.Path), k.Since.Format(time.RFC3339)); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(s.err, "There are no grants.")
	}
	return nil
}
