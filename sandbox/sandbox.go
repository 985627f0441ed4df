// Package sandbox says what file operations may change: the modes, the policy of one
// call, and the standing mode of each session. Contract sections 11.1 to 11.3.
//
// It is vocabulary: it touches no file and asks nobody. A provider that confines holds
// to a Policy; the package approval is where a person may widen one.
package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Mode says what may be changed. Every mode lets everything be read that the provider
// serves.
type Mode string

// The modes, from the narrowest on.
const (
	// ReadOnly lets nothing be changed.
	ReadOnly Mode = "read-only"
	// WorkspaceWrite lets files be changed below the writable roots, except for places
	// that are protected.
	WorkspaceWrite Mode = "workspace-write"
	// DangerFullAccess lets everything be changed.
	DangerFullAccess Mode = "danger-full-access"
)

// Modes are all modes, from the narrowest on.
func Modes() []Mode { return []Mode{ReadOnly, WorkspaceWrite, DangerFullAccess} }

// ParseMode gives the mode of a name.
func ParseMode(name string) (Mode, error) {
	if m := Mode(name); m.Valid() {
		return m, nil
	}
	return "", fmt.Errorf("sandbox mode must be one of %s; got %q", quoted(", "), name)
}

func quoted(separator string) string {
	names := make([]string, 0, 3)
	for _, m := range Modes() {
		names = append(names, fmt.Sprintf("%q", string(m)))
	}
	return strings.Join(names, separator)
}

// Valid reports whether m is one of the modes.
func (m Mode) Valid() bool { return slices.Contains(Modes(), m) }

// Wider reports whether m lets strictly more be changed than other.
func (m Mode) Wider(other Mode) bool {
	return slices.Index(Modes(), m) > slices.Index(Modes(), other)
}

// Policy is what one call may change. The zero Policy leaves it to the provider's
// default.
type Policy struct {
	// Mode is the effective mode of the call.
	Mode Mode
	// WorkspaceRoot is the absolute directory that WorkspaceWrite makes writable.
	WorkspaceRoot string
	// SessionID is whose call it is, or "".
	SessionID string
}

// Context is what a model is told of its standing policy. It is data, whatever the
// workspace is called: nothing in it is a template. Contract section 11.3.
func (p Policy) Context() string {
	const subject = "Any available operation enforced by the DSH file sandbox "
	head := "Current DSH file policy: " + string(p.Mode) + ". "
	switch p.Mode {
	case ReadOnly:
		return head + subject + "cannot modify files in the standing mode. Do not refuse a required modification from this policy alone: try an available tool normally and follow any denial and escalation guidance it returns."
	case WorkspaceWrite:
		return head + subject + "may modify files under the session workspace: " + jsonString(p.WorkspaceRoot) + ". Some platform temporary areas may also be writable."
	}
	return head + "The DSH file sandbox does not restrict file modifications by available operations."
}

func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// DeniedError is the cause of a denial by a fence, which a wider mode may lift.
type DeniedError struct {
	// Mode is the mode under which the call was denied.
	Mode Mode
	// Rule says why in a few words, for a person.
	Rule string
	// Protected says that the place is protected beyond the mode's usual limits.
	Protected bool
}

// Error is the text that a provider's own error repeats.
func (e *DeniedError) Error() string { return "file access denied under " + string(e.Mode) + " mode" }
