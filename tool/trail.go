package tool

import "strconv"

// trail is where in the data a walk stands. It becomes text only for a violation.
type trail struct {
	root  string // the root's label
	bare  bool   // what is below the root is labelled without it
	steps []step
}

// step leads to a member by its name, or to an element by its index.
type step struct {
	name  string
	index int // -1 for a member
}

func argsTrail() trail  { return trail{root: "arguments", bare: true} }
func valueTrail() trail { return trail{root: "value"} }

func (t *trail) member(name string) { t.push(step{name, -1}) }
func (t *trail) element(i int)      { t.push(step{"", i}) }
func (t *trail) up()                { t.steps = t.steps[:len(t.steps)-1] }
func (t *trail) depth() int         { return len(t.steps) }

func (t *trail) push(s step) {
	if t.steps == nil {
		t.steps = make([]step, 0, 4)
	}
	t.steps = append(t.steps, s)
}

// label is the path that a message shows: a.b, a[0].b, value.x.
func (t *trail) label() string {
	if len(t.steps) == 0 {
		return t.root
	}
	var b []byte
	if !t.bare {
		b = append(b, t.root...)
	}
	for _, s := range t.steps {
		switch {
		case s.index >= 0:
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.index), 10)
			b = append(b, ']')
			continue
		case len(b) > 0:
			b = append(b, '.')
		}
		b = append(b, s.name...)
	}
	return string(b)
}

// findings collects violations along a trail, up to a limit, so that no data, however
// wrong, makes a message without bound.
type findings struct {
	trail
	limit int
	list  []string
	more  int
}

const maxViolations = 100

// miss notes what is wrong with the value at which the walk stands.
func (f *findings) miss(text string) {
	if f.room() {
		f.list = append(f.list, `"`+f.label()+`" `+text)
	}
}

// missing notes that the value at which the walk stands is not there.
func (f *findings) missing() {
	if f.room() {
		f.list = append(f.list, `missing required property "`+f.label()+`"`)
	}
}

// room counts what does not fit.
func (f *findings) room() bool {
	if len(f.list) < f.limit {
		return true
	}
	f.more++
	return false
}

func (f *findings) none() bool { return len(f.list) == 0 && f.more == 0 }

// texts is everything that was collected, nil when there was nothing.
func (f *findings) texts() []string {
	if f.more > 0 {
		return append(f.list, "and "+strconv.Itoa(f.more)+" more")
	}
	return f.list
}
