package listeners

import (
	"slices"
	"testing"
)

func values(all []*string) (list []string) {
	for _, l := range all {
		list = append(list, *l)
	}
	return list
}

func TestListKeepsOrderAndOldSnapshots(t *testing.T) {
	var l List[string]
	if l.All() != nil {
		t.Error("the zero list is not empty")
	}
	l.Add("b")
	removeC := l.Add("c")
	removeA := l.Prepend("a")
	again := l.Add("b") // the same value is another listener
	before := l.All()
	check := func(got []*string, want ...string) {
		t.Helper()
		if !slices.Equal(values(got), want) {
			t.Errorf("got %q, want %q", values(got), want)
		}
	}
	check(before, "a", "b", "c", "b")
	removeC()
	removeC()
	check(l.All(), "a", "b", "b")
	again()
	removeA()
	check(l.All(), "b")
	l.Add("d")
	l.Prepend("e")
	check(l.All(), "e", "b", "d")
	check(before, "a", "b", "c", "b")
}
