package card

import (
	"encoding/json"
)

// Shape says what a search found.
type Shape string

// The shapes.
const (
	ShapePaths   Shape = "paths"
	ShapeMatches Shape = "matches"
)

// FileMatches is the matching lines of one file.
type FileMatches struct {
	Path    string  `json:"path"`
	Matches []Match `json:"matches"`
}

// Match is one matching line, as it was shown. LineNumber is 1-based.
type Match struct {
	LineNumber int    `json:"lineNumber"`
	Line       string `json:"line"`
}

// SearchMeta is what a search stores beside its result for the card: Paths or Files, by
// its Shape. Truncated says that there is more, and Total how many results there are.
type SearchMeta struct {
	Shape     Shape
	Paths     []string
	Files     []FileMatches
	Truncated bool
	Total     int
}

// NewPathsMeta makes the meta of paths, as many from the start on as go into a number of
// bytes of JSON, and at least one.
func NewPathsMeta(paths []string, total int, truncated bool, maxBytes int) *SearchMeta {
	m := &SearchMeta{Shape: ShapePaths, Paths: paths, Total: total, Truncated: truncated}
	fit(m, maxBytes, len(paths), func(n int) { m.Paths = paths[:n] })
	return m
}

// NewMatchesMeta does the same for the lines of files.
func NewMatchesMeta(files []FileMatches, total int, truncated bool, maxBytes int) *SearchMeta {
	m := &SearchMeta{Shape: ShapeMatches, Files: files, Total: total, Truncated: truncated}
	fit(m, maxBytes, len(files), func(n int) { m.Files = files[:n] })
	return m
}

// fit drops what is last until the rest is small enough.
func fit(m *SearchMeta, maxBytes, n int, cut func(int)) {
	for n > 1 {
		data, err := json.Marshal(m)
		if err != nil || len(data) <= maxBytes {
			return
		}
		m.Truncated = true
		n = max(1, min(n-1, n*maxBytes/len(data)))
		cut(n)
	}
}

type searchMeta struct {
	Card      string         `json:"card,omitempty"`
	Shape     Shape          `json:"shape"`
	Paths     *[]string      `json:"paths,omitempty"`
	Files     *[]FileMatches `json:"files,omitempty"`
	Truncated bool           `json:"truncated"`
	Total     int            `json:"total"`
}

func (m *SearchMeta) data(card string) searchMeta {
	d := searchMeta{Card: card, Shape: m.Shape, Truncated: m.Truncated, Total: m.Total}
	if m.Shape == ShapeMatches {
		files := append([]FileMatches{}, m.Files...)
		d.Files = &files
	} else {
		paths := append([]string{}, m.Paths...)
		d.Paths = &paths
	}
	return d
}

// MarshalJSON implements json.Marshaler: a list is there even if it is empty.
func (m *SearchMeta) MarshalJSON() ([]byte, error) { return json.Marshal(m.data("")) }

// ParseSearchMeta reads a stored SearchMeta.
func ParseSearchMeta(data []byte) (SearchMeta, bool) {
	var raw struct {
		Shape     Shape     `json:"shape"`
		Paths     []*string `json:"paths"`
		Truncated *bool     `json:"truncated"`
		Total     *float64  `json:"total"`
		Files     []struct {
			Path    *string `json:"path"`
			Matches *[]struct {
				LineNumber *float64 `json:"lineNumber"`
				Line       *string  `json:"line"`
			} `json:"matches"`
		} `json:"files"`
	}
	if json.Unmarshal(data, &raw) != nil || raw.Truncated == nil {
		return SearchMeta{}, false
	}
	m := SearchMeta{Shape: raw.Shape, Truncated: *raw.Truncated}
	var ok bool
	if m.Total, ok = integer(raw.Total, 0); !ok {
		return SearchMeta{}, false
	}
	switch {
	case raw.Shape == ShapePaths && raw.Paths != nil:
		for _, p := range raw.Paths {
			if p == nil {
				return SearchMeta{}, false
			}
			m.Paths = append(m.Paths, *p)
		}
		return m, true
	case raw.Shape != ShapeMatches || raw.Files == nil:
		return SearchMeta{}, false
	}
	for _, f := range raw.Files {
		if f.Path == nil || f.Matches == nil {
			return SearchMeta{}, false
		}
		file := FileMatches{Path: *f.Path}
		for _, l := range *f.Matches {
			n, ok := integer(l.LineNumber, 1)
			if !ok || l.Line == nil {
				return SearchMeta{}, false
			}
			file.Matches = append(file.Matches, Match{n, *l.Line})
		}
		m.Files = append(m.Files, file)
	}
	return m, true
}

// Search shows what a search found.
type Search struct {
	Card string
	SearchMeta
}

// CardName is "search".
func (*Search) CardName() string { return "search" }

// MarshalJSON implements json.Marshaler.
func (s *Search) MarshalJSON() ([]byte, error) { return json.Marshal(s.data(s.Card)) }
