package approval_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/sandbox"
)

// granted asks for /x/d/f once and is allowed it with this scope.
func granted(t *testing.T, scope approval.Scope, grants *approval.Grants) *approval.Service {
	t.Helper()
	s := service(t, approval.Options{Grants: grants, Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
		return approval.Answer{Outcome: approval.AllowedOnce, Scope: scope}, nil
	}})
	if got, err := s.Request(t.Context(), request()); err != nil || got.Outcome != approval.AllowedOnce {
		t.Fatalf("%+v, %v", got, err)
	}
	return s
}

// A grant is for what was allowed: nothing beside it, nobody else's, and nothing
// protected unless that very file was shown.
func TestScopes(t *testing.T) {
	for _, c := range []struct {
		session, key string
		protected    bool
		scopes       string // those that cover it
	}{
		{"A", "/x/d/f", false, "file directory"},
		{"A", "/x/d/f", true, "file"},
		{"A", "/x/d/g", false, "directory"},
		{"A", "/x/d/e/g", false, "directory"},
		{"A", "/x/d/e/g", true, ""},
		{"A", "/x/d/f/g", false, "directory"},
		{"A", "/x/d", false, ""},
		{"A", "/x/d/", false, ""},
		{"A", "/x/dd/f", false, ""},
		{"A", "/x/d.f", false, ""},
		{"A", "/x/f", false, ""},
		{"A", "/y/x/d/f", false, ""},
		{"A", "", false, ""},
		{"B", "/x/d/f", false, ""},
		{"", "/x/d/f", false, ""},
	} {
		got := ""
		for _, scope := range []approval.Scope{"", approval.ScopeOnce, approval.ScopeFile, approval.ScopeDirectory} {
			mode, ok := granted(t, scope, nil).Grants().Widest(c.session, c.key, c.protected)
			if ok != (mode == sandbox.DangerFullAccess) || !ok && mode != "" {
				t.Errorf("%s: %q, %t", scope, mode, ok)
			}
			if ok && got != "" {
				got += " "
			}
			if ok {
				got += string(scope)
			}
		}
		if got != c.scopes {
			t.Errorf("%s %q, protected %t: covered by %q, not %q", c.session, c.key, c.protected, got, c.scopes)
		}
	}
}

// Nobody means everything who allows a directory, and what says nothing grants nothing.
func TestGrantsOfEverything(t *testing.T) {
	for _, dir := range []string{"/", ""} {
		s := service(t, approval.Options{Answerer: func(context.Context, approval.Request) (approval.Answer, error) {
			return approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeDirectory}, nil
		}})
		r := request()
		r.Key, r.Dir = "/f", dir
		if _, err := s.Request(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if list := s.Grants().List(""); len(list) > 0 {
			t.Errorf("%q: %v", dir, list)
		}
	}
	for _, g := range []approval.Grant{
		{Scope: approval.ScopeDirectory, Key: "/"}, {Scope: approval.ScopeDirectory}, {Scope: approval.ScopeOnce, Key: "/x"}, {Key: "/x"}, {Scope: "tree", Key: "/x"},
	} {
		grants := approval.NewGrants()
		g.Session, g.Mode = "A", sandbox.DangerFullAccess
		grants.Add(g)
		if _, ok := grants.Widest("A", "/x/d/f", false); ok {
			t.Errorf("%+v covers it", g)
		}
	}
}

func TestWidestGrantCounts(t *testing.T) {
	grants := approval.NewGrants()
	for _, m := range []sandbox.Mode{sandbox.WorkspaceWrite, sandbox.DangerFullAccess, sandbox.WorkspaceWrite} {
		grants.Add(approval.Grant{Session: "A", Scope: approval.ScopeFile, Key: "/f", Mode: m})
	}
	if mode, ok := grants.Widest("A", "/f", true); !ok || mode != sandbox.DangerFullAccess {
		t.Errorf("%s, %t", mode, ok)
	}
}

func TestRevocation(t *testing.T) {
	s := granted(t, approval.ScopeFile, nil)
	grants := s.Grants()
	list := grants.List("A")
	if len(list) != 1 || list[0].ID == "" || list[0].Since.IsZero() || len(grants.List("B")) != 0 || len(grants.List("")) != 1 {
		t.Fatalf("the list is %+v", list)
	}
	want := approval.Grant{ID: list[0].ID, Session: "A", Scope: approval.ScopeFile, Path: "/x/d/f", Key: "/x/d/f", Mode: sandbox.DangerFullAccess, Since: list[0].Since}
	if diff := cmp.Diff(want, list[0]); diff != "" {
		t.Errorf("the grant (-want +got):\n%s", diff)
	}
	if grants.Revoke("other") || !grants.Revoke(list[0].ID) || grants.Revoke(list[0].ID) {
		t.Error("revoking does not say what it did")
	}
	if _, ok := grants.Widest("A", "/x/d/f", false); ok {
		t.Error("it holds although it is revoked")
	}
}

func TestForgetEndsASessionsGrants(t *testing.T) {
	s := granted(t, approval.ScopeDirectory, nil)
	s.Grants().Add(approval.Grant{Session: "B", Scope: approval.ScopeFile, Key: "/b", Mode: sandbox.DangerFullAccess})
	s.Forget("A")
	if list := s.Grants().List(""); len(list) != 1 || list[0].Session != "B" {
		t.Errorf("left are %+v", list)
	}
}

// The oldest goes first, so that one session cannot fill the memory.
func TestGrantsAreBounded(t *testing.T) {
	grants := approval.NewGrants()
	for i := range 1001 {
		grants.Add(approval.Grant{ID: string(rune('a' + i)), Session: "A", Scope: approval.ScopeFile, Key: "/f"})
	}
	if list := grants.List(""); len(list) != 1000 || list[0].ID != "b" {
		t.Errorf("%d grants, the first is %q", len(list), list[0].ID)
	}
}

// keeper keeps ids, or fails.
type keeper struct {
	ids  map[string]bool
	fail bool
}

func (k *keeper) Keep(g approval.Grant) error {
	if k.fail {
		return errors.New("no room")
	}
	k.ids[g.ID] = true
	return nil
}
func (k *keeper) Holds(id string) bool { return k.fail || k.ids[id] }
func (k *keeper) Drop(id string)       { delete(k.ids, id) }

// A grant holds as long as it can be taken back from outside, and until it is.
func TestKeeper(t *testing.T) {
	k := &keeper{ids: map[string]bool{}}
	grants := approval.KeptGrants(k)
	s := granted(t, approval.ScopeFile, grants)
	if _, ok := grants.Widest("A", "/x/d/f", false); !ok || len(k.ids) != 1 {
		t.Fatalf("not kept: %v", k.ids)
	}
	clear(k.ids)
	if _, ok := grants.Widest("A", "/x/d/f", false); ok || len(grants.List("")) > 0 {
		t.Error("it holds although the keeper dropped it")
	}
	granted(t, approval.ScopeFile, grants)
	s.Forget("A")
	if len(k.ids) > 0 {
		t.Errorf("kept after the session: %v", k.ids)
	}
	k.fail = true
	granted(t, approval.ScopeFile, grants)
	if _, ok := grants.Widest("A", "/x/d/f", false); ok || len(grants.List("")) > 0 {
		t.Error("granted although it could not be kept")
	}
}
