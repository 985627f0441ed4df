package vfs

type conditionKind uint8

const (
	always conditionKind = iota
	absent
	version
)

// Condition says what must be true of a target for a Put to take place. The zero
// Condition always holds.
type Condition struct {
	kind conditionKind
	want Version
}

// IfAbsent holds when nothing is at the target.
func IfAbsent() Condition { return Condition{kind: absent} }

// IfVersion holds when the target has exactly the content of version v.
func IfVersion(v Version) Condition { return Condition{kind: version, want: v} }

// Always reports whether c is unconditional.
func (c Condition) Always() bool { return c.kind == always }

// Absent reports whether c was made by IfAbsent.
func (c Condition) Absent() bool { return c.kind == absent }

// Version gives the version that c demands; ok is false when it demands none.
func (c Condition) Version() (v Version, ok bool) { return c.want, c.kind == version }

// String is for logs and test failures.
func (c Condition) String() string {
	switch c.kind {
	case absent:
		return "createIfAbsent"
	case version:
		return "replaceIfVersion " + string(c.want)
	default:
		return "unconditional"
	}
}
