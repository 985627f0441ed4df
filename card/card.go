// Package card is what a person sees of a tool call: plain data, stable as JSON,
// made from a call's arguments and its stored result alone, so that a session can be
// replayed. Contract section 13.
//
// It knows no tool, no protocol and no screen; card/render draws.
package card

// View is one card. The concrete types are Generic, Diff and Read.
type View interface {
	// CardName is the value of the "card" member.
	CardName() string
}

// Kind says what a call does, for an icon.
type Kind string

// The kinds of a generic card.
const (
	KindRead    Kind = "read"
	KindEdit    Kind = "edit"
	KindDelete  Kind = "delete"
	KindMove    Kind = "move"
	KindSearch  Kind = "search"
	KindExecute Kind = "execute"
	KindFetch   Kind = "fetch"
	KindOther   Kind = "other"
)

// Location points at a file, and at a 1-based line of it unless Line is 0.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// Text is a text block of a card.
type Text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// TextBlock makes a text block.
func TextBlock(text string) Text { return Text{Type: "text", Text: text} }

// Generic is a titled card.
type Generic struct {
	Card      string     `json:"card"`
	Title     string     `json:"title,omitempty"`
	Kind      Kind       `json:"kind,omitempty"`
	RawInput  any        `json:"rawInput,omitempty"`
	Content   []Text     `json:"content,omitempty"`
	Locations []Location `json:"locations,omitempty"`
}

// CardName is "generic".
func (*Generic) CardName() string { return "generic" }

// NewGeneric makes a generic card.
func NewGeneric(title string, kind Kind, locations ...Location) *Generic {
	return &Generic{Card: "generic", Title: title, Kind: kind, Locations: locations}
}

// FileDiff is one changed place: the lines with their context on either side, without
// a final line feed. OldText is nil where there was nothing.
type FileDiff struct {
	Path    string  `json:"path"`
	OldText *string `json:"oldText"`
	NewText string  `json:"newText"`
	// Truncated says that the change was too large to be shown whole.
	Truncated bool `json:"truncated,omitempty"`
}

// Change says what is unusual about how new content came into a file. The zero value is
// the usual.
type Change struct {
	// Guarantee is set when the new content came into the file in a weaker way than
	// usual: "checked" or "in-place".
	Guarantee string `json:"guarantee,omitempty"`
	// Durable is set, to false, when the system could not assure that the change
	// survives a power cut.
	Durable *bool `json:"durable,omitempty"`
	// LinkCount is how many names the replaced file had, when there was more than
	// one: the others keep the old content.
	LinkCount int `json:"linkCount,omitempty"`
	// Encoding is how the text is stored, by its name in the WHATWG's Encoding
	// Standard; it is set when that is not UTF-8, or is new.
	Encoding string `json:"encoding,omitempty"`
	// EncodingChanged says that what was replaced was in no encoding that is known, so
	// that the new text is not stored as the old content was.
	EncodingChanged bool `json:"encodingChanged,omitempty"`
}

// Diff shows changes to files.
type Diff struct {
	Card      string     `json:"card"`
	Title     string     `json:"title,omitempty"`
	Diffs     []FileDiff `json:"diffs"`
	Locations []Location `json:"locations,omitempty"`
	Change
}

// CardName is "diff".
func (*Diff) CardName() string { return "diff" }

// NewDiff makes a diff card.
func NewDiff(title string, diffs []FileDiff, locations ...Location) *Diff {
	return &Diff{Card: "diff", Title: title, Diffs: diffs, Locations: locations}
}

// Line is one numbered line of a file; Number is 1-based.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// Read shows a window of a text file: Lines from the 1-based line Offset on, of
// TotalLines. Lang is a highlighter's name for the language, or "". Unstable and Encoding
// are those of ReadMeta.
type Read struct {
	Card       string `json:"card"`
	Path       string `json:"path"`
	Offset     int    `json:"offset"`
	Lines      []Line `json:"lines"`
	TotalLines int    `json:"totalLines"`
	Lang       string `json:"lang,omitempty"`
	Content    []Text `json:"content,omitempty"`
	Unstable   bool   `json:"unstable,omitempty"`
	Encoding   string `json:"encoding,omitempty"`
}

// CardName is "read".
func (*Read) CardName() string { return "read" }
