package toolfs

import (
	"errors"

	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/tool"
)

// noEscalation refuses the arguments that ask for a wider sandbox: no provider here
// has one, and to ignore them would let a model believe that it was asked for and
// granted. Contract section 11.6, checks 1 to 3 and 6.
func noEscalation(a tool.Args) error {
	_, wider := a.Get("sandbox_permissions")
	reason, justified := a.Get("justification")
	text, isText := reason.(string)
	switch {
	case !wider && !justified:
		return nil
	case !justified:
		return errors.New("invalid escalation: sandbox_permissions requires a justification")
	case !wider:
		return errors.New("invalid escalation: justification is only valid together with sandbox_permissions")
	case !isText || textenc.Blank(text):
		return errors.New("invalid justification: expected a non-empty sentence")
	}
	return errors.New("sandbox_permissions is not available in this composition (no sandboxing filesystem to escalate)")
}
