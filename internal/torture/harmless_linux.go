//go:build !toolfs_portable

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/vfs"
)

// action is something that leaves the content of f as it is, as a shell does it in the
// directory. It needs the tools that are named.
type action struct {
	name, script string
	needs        []string
}

// harmless makes sure that an edit guarded by the version from before succeeds after
// every action that changes no content, and none after a change that hides from whoever
// looks at sizes and times.
func harmless(ctx context.Context, c config, r *report) error {
	for _, where := range []string{memory, c.disk} {
		if !c.wants("harmless") {
			break
		}
		if err := alarmIn(ctx, where, r); err != nil {
			return err
		}
	}
	if !c.wants("hidden") {
		return nil
	}
	return hide(ctx, c, r)
}

func alarmIn(ctx context.Context, where string, r *report) error {
	done, alarms := 0, 0
	for _, a := range actions() {
		if missing := a.missing(); missing != "" {
			r.say("left out", a.name+", "+missing+" is missing")
			continue
		}
		alarm, err := a.take(ctx, where)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", where, a.name, err)
		}
		done++
		if alarm != nil {
			alarms++
			r.say("alarm", fmt.Sprintf("%s: %v", a.name, alarm))
		}
	}
	r.atLeast(where+": harmless actions", done, 25)
	r.none(where+": false alarms", alarms)
	return nil
}

func (a *action) missing() string {
	for _, tool := range a.needs {
		if _, err := exec.LookPath(tool); err != nil {
			return tool
		}
	}
	return ""
}

const text = "package p\n\nfunc one() int { return 1 }\n\nfunc two() int { return 2 }\n"

// take gives what an edit was refused with after the action, if it was.
func (a *action) take(ctx context.Context, where string) (alarm, err error) {
	p, err := newPlace(where)
	if err != nil {
		return nil, err
	}
	defer p.remove()
	path := p.file(leaf)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return nil, err
	}
	disk, err := p.provider()
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	file, version, err := seen(ctx, disk)
	if err != nil {
		return nil, err
	}
	shell := exec.CommandContext(ctx, "sh", "-ec", a.script)
	shell.Dir = p.dir
	shell.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+p.base,
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t")
	if out, err := shell.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		return nil, fmt.Errorf("it is not harmless: %q, %w", data, err)
	}
	_, alarm = vfs.EditText(ctx, disk, file, vfs.Edit{Old: "return 1", New: "return 10"}, vfs.EditOptions{If: version})
	return alarm, nil
}

// seen is what a read of f gives: which file it is and in which version.
func seen(ctx context.Context, disk *localfs.FS) (vfs.Target, vfs.Version, error) {
	file, err := target(ctx, disk, leaf)
	if err != nil {
		return file, "", err
	}
	_, info, err := vfs.ReadBytes(ctx, disk, file, 1<<20)
	return file, info.Version, err
}
