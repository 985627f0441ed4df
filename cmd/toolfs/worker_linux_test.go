package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
	"github.com/toolfs/toolfs/wall"
)

func TestBehindWall(t *testing.T) {
	for _, tt := range []struct {
		mode      string
		escalates bool
		standing  sandbox.Mode
		confined  bool
		said      string
	}{
		{wallOff, true, sandbox.WorkspaceWrite, false, "switched off"},
		{wallAuto, true, sandbox.WorkspaceWrite, false, "--wall on alone"},
		{wallOn, true, sandbox.WorkspaceWrite, true, "the kernel keeps the process that writes"},
		{wallOn, true, sandbox.ReadOnly, true, "started for the first"},
		{wallOn, true, sandbox.DangerFullAccess, true, "started for the first"},
		{wallAuto, false, sandbox.DangerFullAccess, false, "restricts no change"},
	} {
		t.Run(tt.mode+" "+string(tt.standing), func(t *testing.T) {
			if wall.ABI() == 0 && tt.confined {
				if os.Getenv("TOOLFS_NO_SKIP") != "" {
					t.Fatal("the kernel has no Landlock")
				}
				t.Skip("the kernel has no Landlock")
			}
			dir := t.TempDir()
			files, err := localfs.Host(localfs.Options{Cwd: dir, StateDir: filepath.Join(t.TempDir(), "state"),
				Sandbox: &localfs.Sandbox{Mode: tt.standing, NoTemp: true}})
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			p, status, err := behindWall(t.Context(), logger(&said, slog.LevelInfo), files, tt.mode, tt.escalates)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if status.Confined != tt.confined || !strings.Contains(said.String(), tt.said) {
				t.Errorf("%+v, logged as %s", status, &said)
			}
			target, err := p.Resolve(t.Context(), "", "f")
			if err != nil {
				t.Fatal(err)
			}
			o := vfs.PutOptions{Sandbox: sandbox.Policy{Mode: sandbox.WorkspaceWrite}}
			if _, err := p.Put(t.Context(), target, []byte("x"), o); err != nil {
				t.Error(err)
			}
		})
	}
}
