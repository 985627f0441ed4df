package card

import (
	"encoding/json"
	"math"
)

// DiffMeta is what a write or an edit stores beside its result for the card.
type DiffMeta struct {
	Diffs []FileDiff `json:"diffs"`
	Change
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
// well-formed diffs is no meta; of a well-formed one with an empty list, as a new file
// has, the Change is given all the same. Contract section 13.4.
func ParseDiffMeta(data []byte) (DiffMeta, bool) {
	var raw struct {
		Diffs []struct {
			Path    *string         `json:"path"`
			OldText json.RawMessage `json:"oldText"`
			NewText *string         `json:"newText"`

			Truncated bool `json:"truncated"`
		} `json:"diffs"`
		Change
	}
	if json.Unmarshal(data, &raw) != nil || raw.LinkCount < 0 {
		return DiffMeta{}, false
	}
	if len(raw.Diffs) == 0 {
		return DiffMeta{Change: raw.Change}, false
	}
	m := DiffMeta{Diffs: make([]FileDiff, len(raw.Diffs)), Change: raw.Change}
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

		Unstable bool   `json:"unstable"`
		Encoding string `json:"encoding"`
	}
	if json.Unmarshal(data, &raw) != nil || raw.Path == nil || raw.Lines == nil {
		return ReadMeta{}, false
	}
	offset, ok := integer(raw.Offset, 1)
	total, ok2 := integer(raw.TotalLines, 0)
	if !ok || !ok2 {
		return ReadMeta{}, false
	}
	m := ReadMeta{Path: *raw.Path, Offset: offset, TotalLines: total, Lines: make([]Line, len(*raw.Lines)), Unstable: raw.Unstable, Encoding: raw.Encoding}
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
