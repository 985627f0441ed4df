package atomicfile

import "errors"

// The ways in which a publication is refused by what is in the directory; any other
// error is the system's.
var (
	ErrExists     = errors.New("the name exists")
	ErrGone       = errors.New("the file no longer exists")
	ErrChanged    = errors.New("the file has other content")
	ErrNotRegular = errors.New("the name denotes no regular file")
	ErrLocked     = errors.New("another process holds the lock of the directory")
	ErrOpen       = errors.New("another process has the file open for writing")
	ErrInUse      = errors.New("another process has the file open")
)

// Guarantee says how sure a publication is that it lost nothing of others.
type Guarantee string

// The guarantees, strongest first.
const (
	// Created: the name was free, and only one process can have given it.
	Created Guarantee = "created"
	// Exchanged: what was replaced was verified after it was taken out, while nobody
	// could write to it unnoticed.
	Exchanged Guarantee = "exchanged"
	// Checked: it was verified right before it was replaced.
	Checked Guarantee = "checked"
	// InPlace: the file could not be replaced and was rewritten, with a journal.
	InPlace Guarantee = "in-place"
)

// Outcome describes a publication that took place.
type Outcome struct {
	// Content is what was published.
	Content   Digest
	Guarantee Guarantee
	// NotDurable: the system was asked, and could not assure that it survives a power
	// cut. That is no failure: the new content is there.
	NotDurable bool
	// Links is how many names the replaced file had; the others keep its content.
	Links int
	// Left: something under a temporary name could not be removed; Collect will.
	Left bool
}

// ConflictError says that somebody wrote to our new file in the moment in which it had
// the name but was then taken back: what they wrote is kept under Name.
type ConflictError struct{ Name string }

func (e *ConflictError) Error() string { return "a concurrent change is kept as " + e.Name }

// Is matches ErrChanged.
func (e *ConflictError) Is(target error) bool { return target == ErrChanged }
