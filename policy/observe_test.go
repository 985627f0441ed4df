package policy_test

import (
	"fmt"
	"testing"

	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/policy"
	"github.com/toolfs/toolfs/vfs"
)

// ledger is a ledger at a gate, as tools meet it.
type ledger struct {
	t *testing.T
	*policy.Observe
	gate   *gate.Gate
	detach func()
}

func newLedger(t *testing.T, o policy.Options) *ledger {
	l := &ledger{t: t, Observe: policy.NewObserve(o), gate: &gate.Gate{}}
	l.detach = l.Attach(l.gate)
	return l
}

func target(name string) vfs.Target { return vfs.Target{Key: name, Path: "/w/" + name} }

func (l *ledger) present(session, name string, v vfs.Version) {
	l.t.Helper()
	if err := l.gate.Observed.Emit(gate.Observed{Target: target(name), Session: session, Version: v}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *ledger) absent(session, name string) {
	l.t.Helper()
	if err := l.gate.Observed.Emit(gate.Observed{Target: target(name), Session: session, Absent: true}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *ledger) want(session, name, write, edit string) {
	l.t.Helper()
	c, err := l.gate.WriteIntent.Decide(l.t.Context(), gate.WriteIntent{Target: target(name), Session: session})
	if err != nil || c.String() != write {
		l.t.Errorf("a write of %s in %q: %v, %v, want %s", name, session, c, err, write)
	}
	v, err := l.gate.EditIntent.Decide(l.t.Context(), gate.EditIntent{Target: target(name), Session: session})
	got := string(v)
	if err != nil {
		got = fmt.Sprint(vfs.CodeOf(err), " ", err)
	}
	if got != edit {
		l.t.Errorf("an edit of %s in %q: %s, want %s", name, session, got, edit)
	}
}

const (
	create   = "createIfAbsent"
	unread   = `FS_NOT_OBSERVED edit requires reading "/w/f" first`
	notThere = `FS_NOT_FOUND cannot edit "/w/f": not found`
)

func TestDecisions(t *testing.T) {
	l := newLedger(t, policy.Options{})
	l.want("a", "f", create, unread)
	l.present("a", "f", "v1")
	l.want("a", "f", "replaceIfVersion v1", "v1")
	l.present("a", "f", "v2")
	l.want("a", "f", "replaceIfVersion v2", "v2")
	l.absent("a", "f")
	l.want("a", "f", create, notThere)
	l.present("a", "f", "v3")
	l.want("a", "f", "replaceIfVersion v3", "v3")
}

func TestSessionsDoNotShare(t *testing.T) {
	l := newLedger(t, policy.Options{})
	l.present("a", "f", "v1")
	l.want("b", "f", create, unread)
	l.present("b", "f", "v2")
	l.want("a", "f", "replaceIfVersion v1", "v1")
	l.Forget("a")
	l.want("a", "f", create, unread)
	l.want("b", "f", "replaceIfVersion v2", "v2")
}

func TestNobodyRemembersNothing(t *testing.T) {
	l := newLedger(t, policy.Options{})
	l.present("", "f", "v1")
	l.want("", "f", create, unread)
}

func TestMemoryIsBounded(t *testing.T) {
	l := newLedger(t, policy.Options{MaxSessions: 2, MaxFiles: 2})
	l.present("a", "f", "v1")
	l.present("a", "g", "v1")
	l.want("a", "f", "replaceIfVersion v1", "v1") // f is now the more recent
	l.present("a", "h", "v1")
	l.want("a", "f", "replaceIfVersion v1", "v1")
	if c, _ := l.gate.WriteIntent.Decide(t.Context(), gate.WriteIntent{Target: target("g"), Session: "a"}); !c.Absent() {
		t.Error("g was used longest ago and is still known")
	}
	l.present("b", "f", "v1")
	l.present("c", "f", "v1")
	l.want("a", "f", create, unread)
}

func TestDetachingForgets(t *testing.T) {
	l := newLedger(t, policy.Options{})
	l.present("a", "f", "v1")
	l.detach()
	if c, err := l.gate.WriteIntent.Decide(t.Context(), gate.WriteIntent{Target: target("f"), Session: "a"}); err != nil || !c.Always() {
		t.Errorf("still deciding: %v, %v", c, err)
	}
	l.Attach(l.gate)
	l.want("a", "f", create, unread)
}

func TestRecordsBeforeAnotherListenerFails(t *testing.T) {
	g := &gate.Gate{}
	g.Observed.Add(func(gate.Observed) error { panic("a careless listener") })
	l := &ledger{t: t, Observe: policy.NewObserve(policy.Options{}), gate: g}
	l.Attach(g)
	if err := g.Observed.Emit(gate.Observed{Target: target("f"), Session: "a", Version: "v1"}); err == nil {
		t.Error("the listener's failure was swallowed")
	}
	l.want("a", "f", "replaceIfVersion v1", "v1")
}

func TestExportAndRestore(t *testing.T) {
	l := newLedger(t, policy.Options{})
	l.present("a", "f", "v1")
	l.absent("a", "g")
	data, err := l.Export("a")
	if err != nil {
		t.Fatal(err)
	}
	other := newLedger(t, policy.Options{})
	other.present("b", "stale", "v9")
	if err := other.Restore("b", data); err != nil {
		t.Fatal(err)
	}
	other.want("b", "f", "replaceIfVersion v1", "v1")
	if _, err := other.gate.EditIntent.Decide(t.Context(), gate.EditIntent{Target: target("g"), Session: "b"}); vfs.CodeOf(err) != vfs.CodeNotFound {
		t.Errorf("the absence of g was not restored: %v", err)
	}
	again, err := other.Export("b")
	if err != nil || string(again) != string(data) {
		t.Errorf("exported again: %s, %v, want %s", again, err, data)
	}
}

func TestRestoreRefusesDamage(t *testing.T) {
	l := newLedger(t, policy.Options{})
	l.present("a", "f", "v1")
	for _, data := range []string{``, `{}`, `{"format":2,"files":[]}`, `{"format":1,"files":[{"key":"","absent":true}]}`,
		`{"format":1,"files":[{"key":"f"}]}`, `{"format":1,"files":[{"key":"f","absent":true,"version":"v"}]}`, `[]`} {
		if err := l.Restore("a", []byte(data)); err == nil {
			t.Errorf("accepted %s", data)
		}
	}
	if err := l.Restore("", []byte(`{"format":1,"files":[]}`)); err == nil {
		t.Error("accepted for nobody")
	}
	l.want("a", "f", "replaceIfVersion v1", "v1")
}
