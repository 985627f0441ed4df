package main

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/toolfs/toolfs/approval"
)

// A grant of a server that was killed is not listed, and its file goes; those of a
// server that runs, and of sessions kept in a file, stay until they are dropped.
func TestGrantsOfTheDeadAreDropped(t *testing.T) {
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for id, pid := range map[string]int{"dead": gone.Process.Pid, "alive": os.Getpid(), "kept": 0} {
		g := &grantFiles{dir: dir, pid: pid}
		if err := g.Keep(approval.Grant{ID: id, Session: "s", Scope: approval.ScopeFile, Key: "/f", Since: time.Unix(int64(len(id)), 0)}); err != nil {
			t.Fatal(err)
		}
	}
	g := &grantFiles{dir: dir}
	list, err := g.all()
	if err != nil || len(list) != 2 || list[0].ID != "kept" || list[1].ID != "alive" {
		t.Fatalf("%+v, %v", list, err)
	}
	if g.Holds("dead") || !g.Holds("kept") {
		t.Error("the wrong file went")
	}
	g.Drop("kept")
	if g.Holds("kept") {
		t.Error("what was dropped still holds")
	}
}

// A revoked grant ends at once in the process that has it in memory.
func TestRevokedElsewhere(t *testing.T) {
	kept := &grantFiles{dir: t.TempDir(), pid: os.Getpid()}
	grants := approval.KeptGrants(kept)
	grants.Add(approval.Grant{ID: "g", Session: "s", Scope: approval.ScopeFile, Key: "/f", Mode: "danger-full-access"})
	if _, ok := grants.Widest("s", "/f", true); !ok {
		t.Fatal("it was not kept")
	}
	(&grantFiles{dir: kept.dir}).Drop("g")
	if _, ok := grants.Widest("s", "/f", true); ok || len(grants.List("")) > 0 {
		t.Error("it still holds")
	}
}
