package toolfs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/toolfs/toolfs/vfs"
)

// Limits bounds what one call returns. Zero takes the default that is named; a
// negative value is refused. Contract section 1.3.
type Limits struct {
	ListMaxEntries    int   // entries on one page of a listing: 200
	ReadLimit         int   // lines of one read, as default and as maximum: 2000
	ReadMaxLineLength int   // UTF-16 units kept of one line: 2000
	ReadMaxBytes      int   // UTF-8 bytes of the lines of one read: 51200
	ReadStreamMinSize int64 // bytes from which on a file is streamed, never held whole: 10485760
	DiffBasisMaxBytes int64 // bytes below which both sides of a write must lie for a diff: 10485760

	GlobMaxResults     int   // paths that glob shows: 100
	GrepMaxMatches     int   // lines that grep shows: 250
	GrepMaxLineBytes   int   // bytes shown of one such line: 2000
	SearchMetaMaxBytes int   // bytes of JSON that are stored of a search for its card: 65536
	RawOutputMaxBytes  int64 // bytes of results at which a search ends: 20000000
	SearchTimeoutMS    int64 // milliseconds that a search may take: 30000
}

// MaxDiffBasisBytes is the largest DiffBasisMaxBytes that is accepted.
const MaxDiffBasisBytes = 536870888

// limit is one field of Limits: its name in a configuration, its default, its place.
type limit struct {
	name     string
	fallback int64
	get      func(*Limits) int64
	set      func(*Limits, int64)
}

func limitFields() []limit {
	return []limit{
		{"listMaxEntries", 200, func(l *Limits) int64 { return int64(l.ListMaxEntries) }, func(l *Limits, n int64) { l.ListMaxEntries = int(n) }},
		{"readLimit", 2000, func(l *Limits) int64 { return int64(l.ReadLimit) }, func(l *Limits, n int64) { l.ReadLimit = int(n) }},
		{"readMaxLineLength", 2000, func(l *Limits) int64 { return int64(l.ReadMaxLineLength) }, func(l *Limits, n int64) { l.ReadMaxLineLength = int(n) }},
		{"readMaxBytes", 51200, func(l *Limits) int64 { return int64(l.ReadMaxBytes) }, func(l *Limits, n int64) { l.ReadMaxBytes = int(n) }},
		{"readStreamMinSize", 10485760, func(l *Limits) int64 { return l.ReadStreamMinSize }, func(l *Limits, n int64) { l.ReadStreamMinSize = n }},
		{"globMaxResults", 100, func(l *Limits) int64 { return int64(l.GlobMaxResults) }, func(l *Limits, n int64) { l.GlobMaxResults = int(n) }},
		{"grepMaxMatches", 250, func(l *Limits) int64 { return int64(l.GrepMaxMatches) }, func(l *Limits, n int64) { l.GrepMaxMatches = int(n) }},
		{"grepMaxLineBytes", 2000, func(l *Limits) int64 { return int64(l.GrepMaxLineBytes) }, func(l *Limits, n int64) { l.GrepMaxLineBytes = int(n) }},
		{"searchMetaMaxBytes", 65536, func(l *Limits) int64 { return int64(l.SearchMetaMaxBytes) }, func(l *Limits, n int64) { l.SearchMetaMaxBytes = int(n) }},
		{"rawOutputMaxBytes", 20_000_000, func(l *Limits) int64 { return l.RawOutputMaxBytes }, func(l *Limits, n int64) { l.RawOutputMaxBytes = n }},
		{"timeoutMs", 30_000, func(l *Limits) int64 { return l.SearchTimeoutMS }, func(l *Limits, n int64) { l.SearchTimeoutMS = n }},
		{diffBasis, vfs.DefaultDiffBasisMaxBytes, func(l *Limits) int64 { return l.DiffBasisMaxBytes }, func(l *Limits, n int64) { l.DiffBasisMaxBytes = n }},
	}
}

const diffBasis = "diffBasisMaxBytes"

func (l Limits) withDefaults() (Limits, error) {
	for _, f := range limitFields() {
		switch n := f.get(&l); {
		case n < 0 || f.name == diffBasis && n > MaxDiffBasisBytes:
			return l, badLimit(f.name)
		case n == 0:
			f.set(&l, f.fallback)
		}
	}
	return l, nil
}

// searchLimits is the names of the limits of glob and grep.
func searchLimits() []string {
	return []string{"globMaxResults", "grepMaxMatches", "grepMaxLineBytes", "searchMetaMaxBytes", "rawOutputMaxBytes", "timeoutMs"}
}

func badLimit(name string) error {
	if name == diffBasis {
		return fmt.Errorf("fs-local: %s must be a positive safe integer no greater than %d", name, MaxDiffBasisBytes)
	}
	if slices.Contains(searchLimits(), name) {
		return fmt.Errorf("tool-fs-search: %s must be a positive integer", name)
	}
	return fmt.Errorf("tool-fs: %s must be a positive integer", name)
}

// ParseLimits reads limits from a JSON object with the keys listMaxEntries, readLimit,
// readMaxLineLength, readMaxBytes, readStreamMinSize, diffBasisMaxBytes, globMaxResults,
// grepMaxMatches, grepMaxLineBytes, searchMetaMaxBytes, rawOutputMaxBytes and timeoutMs,
// which is SearchTimeoutMS. Each is
// optional, as null is; a zero, a fraction or anything that is no number is refused by
// name. Other keys are ignored.
func ParseLimits(data []byte) (Limits, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return Limits{}, fmt.Errorf("invalid config: it must be a JSON object: %w", err)
	}
	var l Limits
	for _, f := range limitFields() {
		value, ok := raw[f.name]
		if !ok || bytes.Equal(value, []byte("null")) {
			continue
		}
		var n float64
		if err := json.Unmarshal(value, &n); err != nil {
			return Limits{}, fmt.Errorf("invalid config:\n  - $.%s expected number but got %s (at %s)",
				f.name, bytes.Trim(value, `"`), f.name)
		}
		if n < 1 || n != math.Trunc(n) || n > 1<<53 {
			return Limits{}, badLimit(f.name)
		}
		f.set(&l, int64(n))
	}
	_, err := l.withDefaults()
	return l, err
}
