// Package listeners is an ordered list of what wants to be told, from which each can be
// taken out again.
package listeners

import (
	"slices"
	"sync"
)

// List is an ordered list that is copied when it changes, so that what All gave stays as
// it is, and costs nothing. The zero value is empty. Safe for concurrent use.
type List[L any] struct {
	mu  sync.Mutex
	all []*L
}

// Add appends a listener. The function that it returns takes it out; it may be called
// more than once, at any time.
func (s *List[L]) Add(l L) (remove func()) {
	entry := &l
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, entry) // beyond what anybody was given
	return func() { s.remove(entry) }
}

// Prepend is Add, in front of all others.
func (s *List[L]) Prepend(l L) (remove func()) {
	entry := &l
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append([]*L{entry}, s.all...)
	return func() { s.remove(entry) }
}

func (s *List[L]) remove(entry *L) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(slices.Clone(s.all), func(e *L) bool { return e == entry })
}

// All is the listeners at this moment, not to be changed.
func (s *List[L]) All() []*L {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}
