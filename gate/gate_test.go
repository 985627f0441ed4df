package gate_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/vfs"
)

func decide(version vfs.Version) gate.Decider[gate.EditIntent, vfs.Version] {
	return func(context.Context, gate.EditIntent, func() (vfs.Version, error)) (vfs.Version, error) {
		return version, nil
	}
}

func ask(t *testing.T, g *gate.Gate) (vfs.Version, error) {
	t.Helper()
	return g.EditIntent.Decide(t.Context(), gate.EditIntent{})
}

func TestNobodyDecidesNothing(t *testing.T) {
	var g gate.Gate
	if v, err := ask(t, &g); v != "" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
	c, err := g.WriteIntent.Decide(t.Context(), gate.WriteIntent{})
	if !c.Always() || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestTheFirstListenerDecides(t *testing.T) {
	var g gate.Gate
	g.EditIntent.Add(decide("first"))
	g.EditIntent.Add(decide("second"))
	if v, _ := ask(t, &g); v != "first" {
		t.Errorf("got %q", v)
	}
	remove := g.EditIntent.Prepend(decide("front"))
	if v, _ := ask(t, &g); v != "front" {
		t.Errorf("got %q", v)
	}
	remove()
	remove()
	if v, _ := ask(t, &g); v != "first" {
		t.Errorf("after removal got %q", v)
	}
}

func TestAListenerMayWrapTheNext(t *testing.T) {
	var g gate.Gate
	g.EditIntent.Add(func(_ context.Context, _ gate.EditIntent, next func() (vfs.Version, error)) (vfs.Version, error) {
		v, err := next()
		return "wrapped " + v, err
	})
	if v, _ := ask(t, &g); v != "wrapped " {
		t.Errorf("without a next one got %q", v)
	}
	g.EditIntent.Add(decide("inner"))
	if v, _ := ask(t, &g); v != "wrapped inner" {
		t.Errorf("got %q", v)
	}
}

func TestAFailingListenerFailsTheQuestion(t *testing.T) {
	boom := errors.New("boom")
	for name, fail := range map[string]func() error{
		"an error":       func() error { return boom },
		"a panic":        func() error { panic(boom) },
		"another panic":  func() error { panic("boom") },
		"a runtime fail": func() error { return []error{nil}[len(os.Args)+1] },
	} {
		t.Run(name, func(t *testing.T) {
			var g gate.Gate
			g.EditIntent.Add(func(context.Context, gate.EditIntent, func() (vfs.Version, error)) (vfs.Version, error) {
				return "", fail()
			})
			g.EditIntent.Add(decide("never"))
			if v, err := ask(t, &g); v != "" || err == nil {
				t.Errorf("got %q, %v", v, err)
			}
		})
	}
}

func TestAHookTellsInOrderUntilOneFails(t *testing.T) {
	var g gate.Gate
	var told []string
	tell := func(name string, err error) func(gate.Observed) error {
		return func(gate.Observed) error { told = append(told, name); return err }
	}
	g.Observed.Add(tell("b", nil))
	g.Observed.Prepend(tell("a", nil))
	g.Observed.Add(tell("c", errors.New("boom")))
	g.Observed.Add(tell("d", nil))
	if err := g.Observed.Emit(gate.Observed{}); err == nil || strings.Join(told, "") != "abc" {
		t.Errorf("told %q, %v", told, err)
	}
}

func TestRemovalWhileTellingIsSafe(t *testing.T) {
	var g gate.Gate
	told := 0
	var remove func()
	g.Observed.Add(func(gate.Observed) error { remove(); return nil })
	remove = g.Observed.Add(func(gate.Observed) error { told++; return nil })
	for range 2 {
		if err := g.Observed.Emit(gate.Observed{}); err != nil {
			t.Fatal(err)
		}
	}
	if told != 1 {
		t.Errorf("told %d times: the first telling goes to whoever listened when it began", told)
	}
}
