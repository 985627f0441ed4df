package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// started reports that a turn may start.
func started(t *turn) bool {
	select {
	case <-t.start:
		return true
	default:
		return false
	}
}

// ask is wait without waiting.
func ask(t *turn, shared bool) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	t.wait(gone, shared)
}

func TestReadersOverlapAndWritersDoNot(t *testing.T) {
	var b barrier
	r1, r2, w1, r3, w2 := b.arrive(), b.arrive(), b.arrive(), b.arrive(), b.arrive()
	for i, turn := range []*turn{r1, r2, w1, r3, w2} {
		ask(turn, i != 2 && i != 4)
	}
	state := func() string {
		return fmt.Sprint(started(r1), started(r2), started(w1), started(r3), started(w2))
	}
	steps := []struct {
		end  *turn
		want string
	}{
		{nil, "true true false false false"},
		{r2, "true true false false false"},
		{r1, "true true true false false"},
		{w1, "true true true true false"},
		{r3, "true true true true true"},
		{w2, "true true true true true"},
	}
	for i, s := range steps {
		if s.end != nil {
			s.end.end()
		}
		if got := state(); got != s.want {
			t.Errorf("after step %d: %s, want %s", i, got, s.want)
		}
	}
}

func TestACallOfUnknownKindHoldsBackThoseBehindIt(t *testing.T) {
	var b barrier
	first, second := b.arrive(), b.arrive()
	ask(second, true)
	if started(second) {
		t.Fatal("a read overtook a call that had not come to its handler")
	}
	first.end() // refused before it came there
	first.end()
	if !started(second) {
		t.Fatal("a call that ended still holds others back")
	}
}

func TestWaitingEndsByContext(t *testing.T) {
	var b barrier
	first, second, third := b.arrive(), b.arrive(), b.arrive()
	ask(first, false)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := second.wait(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	second.end()
	ask(third, false)
	first.end()
	if !started(third) {
		t.Fatal("a place that was given up holds others back")
	}
}

// Whatever happens in whatever order: what may start does, two calls overlap only if
// both are shared, and not too many do.
func TestBarrierAgainstItsRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type call struct {
			turn                 *turn
			shared, asked, ended bool
		}
		var b barrier
		var calls []*call
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			var open []*call
			for _, c := range calls {
				if !c.ended {
					open = append(open, c)
				}
			}
			switch what := rapid.IntRange(0, 4).Draw(t, "what"); {
			case what <= 1 || len(open) == 0:
				calls = append(calls, &call{turn: b.arrive(), shared: rapid.Bool().Draw(t, "shared")})
			case what <= 3:
				c := rapid.SampledFrom(open).Draw(t, "asks")
				c.asked = true
				ask(c.turn, c.shared)
			default:
				c := rapid.SampledFrom(open).Draw(t, "ends")
				c.ended = true
				c.turn.end()
			}
			blocked, alone, before := false, true, 0
			for i, c := range calls {
				if c.ended {
					continue
				}
				may := c.asked && !blocked && (c.shared || alone) && before < maxOverlap
				if started(c.turn) != may {
					t.Fatalf("call %d started: %v, want %v", i, started(c.turn), may)
				}
				alone = false
				before++
				blocked = blocked || !c.asked || !c.shared
			}
		}
	})
}
