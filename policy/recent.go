package policy

import (
	"container/list"
	"iter"
)

// recent is a map of bounded size that forgets what was used longest ago. Its owner
// guards it.
type recent[K comparable, V any] struct {
	max   int
	order *list.List // of *pair, most recently used first
	items map[K]*list.Element
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](max int) *recent[K, V] {
	return &recent[K, V]{max: max, order: list.New(), items: map[K]*list.Element{}}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	e, ok := r.items[key]
	if !ok {
		var none V
		return none, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*pair[K, V]).value, true
}

func (r *recent[K, V]) put(key K, value V) {
	if e, ok := r.items[key]; ok {
		e.Value.(*pair[K, V]).value = value
		r.order.MoveToFront(e)
		return
	}
	r.items[key] = r.order.PushFront(&pair[K, V]{key, value})
	if r.order.Len() > r.max {
		r.remove(r.order.Back().Value.(*pair[K, V]).key)
	}
}

func (r *recent[K, V]) remove(key K) {
	if e, ok := r.items[key]; ok {
		r.order.Remove(e)
		delete(r.items, key)
	}
}

func (r *recent[K, V]) oldestFirst() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for e := r.order.Back(); e != nil; e = e.Prev() {
			p := e.Value.(*pair[K, V])
			if !yield(p.key, p.value) {
				return
			}
		}
	}
}
