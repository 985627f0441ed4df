// Package gate is where tools announce what they are about to change and what they
// have seen, and where a policy answers. Tools and policies meet here and nowhere
// else: a tool never knows which policy listens, a policy never touches a file.
// Contract section 10.
package gate

import "github.com/toolfs/toolfs/vfs"

// WriteIntent asks under which condition a write of Target may take place. Session
// identifies whose call it is, "" when nobody's. Actor is the call itself, opaque.
type WriteIntent struct {
	Target  vfs.Target
	Session string
	Actor   any
}

// EditIntent asks which version of Target an edit may change.
type EditIntent struct {
	Target  vfs.Target
	Session string
	Actor   any
}

// Observed tells that a session now knows Target: that it exists with Version, or,
// with Absent set, that it does not exist.
type Observed struct {
	Target  vfs.Target
	Session string
	Actor   any
	Absent  bool
	Version vfs.Version
}

// Gate holds the three places where listeners can be added. The zero value has no
// listener: every change is unconditional. Safe for concurrent use.
type Gate struct {
	// WriteIntent decides the condition of a write.
	WriteIntent Decision[WriteIntent, vfs.Condition]
	// EditIntent decides the version that an edit demands; "" demands none.
	EditIntent Decision[EditIntent, vfs.Version]
	// Observed is told what was seen, after the read, write or edit succeeded.
	Observed Hook[Observed]
}
