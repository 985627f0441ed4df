package keylock_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/toolfs/toolfs/internal/keylock"
)

func TestGrantedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m keylock.Map
		unlock, err := m.Lock(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		for i := range 8 {
			go func() {
				unlock, err := m.Lock(t.Context(), "k")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				unlock()
			}()
			synctest.Wait() // it waits in line before the next one comes
		}
		unlock()
		synctest.Wait()
		if !slices.IsSorted(order) || len(order) != 8 || m.Len() != 0 {
			t.Errorf("granted in the order %v; %d keys held", order, m.Len())
		}
	})
}

func TestKeysAreApart(t *testing.T) {
	var m keylock.Map
	a, err := m.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Lock(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	a()
	b()
	if m.Len() != 0 {
		t.Errorf("%d keys held", m.Len())
	}
}

func TestWhoeverGivesUpLosesNothingForTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m keylock.Map
		unlock, err := m.Lock(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := m.Lock(ctx, "k"); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}()
		synctest.Wait()
		got := false
		go func() {
			unlock, err := m.Lock(t.Context(), "k")
			if err != nil {
				t.Error(err)
				return
			}
			got = true
			unlock()
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		unlock()
		synctest.Wait()
		if !got || m.Len() != 0 {
			t.Errorf("got %t; %d keys held", got, m.Len())
		}
	})
}

func TestCancelledAndGrantedAtOnce(t *testing.T) {
	for range 2000 {
		var m keylock.Map
		unlock, err := m.Lock(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if unlock, err := m.Lock(ctx, "k"); err == nil {
				unlock()
			}
		})
		wg.Go(cancel)
		wg.Go(unlock)
		wg.Wait()
		if m.Len() != 0 {
			t.Fatal("a key stayed held")
		}
	}
}
