package card

import (
	"encoding/json"
	"math"
)

// DiffMeta is what a write or an edit stores beside its result for the card.
type DiffMeta struct {
	Diffs []FileDiff `json:"diffs"`

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

// ReadMeta is what a read stores beside its result for the card.
type ReadMeta struct {
	Path       string `json:"path"`
	Offset     int    `json:"offset"`
	Lines      []Line `json:"lines"`
	TotalLines int    `json:"totalLines"`
	Lang       string `json:"lang,omitempty"`
	// Unstable says that the file was being written while it was read.
	Unstable bool `json:"unstable,omitempty"`
	// Encoding is how the text is stored, by its name in the WHATWG's Encoding
	// Standard, when that is not UTF-8.
	Encoding string `json:"encoding,omitempty"`
}

// ParseDiffMeta reads a stored DiffMeta. Anything that is no non-empty list of
// well-formed diffs is no meta. Contract section 13.4.
func ParseDiffMeta(data []byte) (DiffMeta, bool) {
	var raw struct {
		Diffs []struct {
			Path    *string         `json:"path"`
			OldText json.RawMessage `json:"oldText"`
			NewText *string         `json:"newText"`

			Truncated bool `json:"truncated"`
		} `json:"diffs"`
	}
	if json.Unmarshal(data, &raw) != nil || len(raw.Diffs) == 0 {
		return DiffMeta{}, false
	}
	m := DiffMeta{Diffs: make([]FileDiff, len(raw.Diffs))}
	for i, d := range raw.Diffs {
		if d.Path == nil || d.NewText == nil || d.OldText == nil {
			return DiffMeta{}, false
		}
		if json.Unmarshal(d.OldText, &m.Diffs[i].OldText) != nil {
			return DiffMeta{}, false
		}
		m.Diffs[i].Path, m.Diffs[i].NewText, m.Diffs[i].Truncated = *d.Path, *d.NewText, d.Truncated
	}
	return m, true
}

// ParseReadMeta reads a stored ReadMeta. Line numbers must ascend within the window
// and the file. Contract section 13.5.
func ParseReadMeta(data []byte) (ReadMeta, bool) {
	var raw struct {
		Path       *string  `json:"path"`
		Offset     *float64 `json:"offset"`
		TotalLines *float64 `json:"totalLines"`
		Lines      *[]struct {
			Number *float64 `json:"number"`
			Text   *string  `json:"text"`
		} `json:"lines"`
		Lang json.RawMessage `json:"lang"`
	}
	if json.Unmarshal(data, &raw) != nil || raw.Path == nil || raw.Lines == nil {
		return ReadMeta{}, false
	}
	offset, ok := integer(raw.Offset, 1)
	total, ok2 := integer(raw.TotalLines, 0)
	if !ok || !ok2 {
		return ReadMeta{}, false
	}
	m := ReadMeta{Path: *raw.Path, Offset: offset, TotalLines: total, Lines: make([]Line, len(*raw.Lines))}
	if raw.Lang != nil && (raw.Lang[0] != '"' || json.Unmarshal(raw.Lang, &m.Lang) != nil) {
		return ReadMeta{}, false
	}
	last := offset - 1
	for i, l := range *raw.Lines {
		n, ok := integer(l.Number, 1)
		if !ok || l.Text == nil || n <= last || n > total {
			return ReadMeta{}, false
		}
		m.Lines[i], last = Line{Number: n, Text: *l.Text}, n
	}
	return m, true
}

func integer(f *float64, least int) (int, bool) {
	if f == nil || *f != math.Trunc(*f) || *f < float64(least) || *f > 1<<53 {
		return 0, false
	}
	return int(*f), true
}
