package toolfs

import (
	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/internal/linediff"
	"github.com/toolfs/toolfs/vfs"
)

// Hunk is one changed place of a text, with up to three lines of context on either
// side. Starts are 1-based lines, counts are lines; OldText is nil when there is no old
// line. Truncated says that the change was too large to be given whole. Contract
// section 13.4.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	OldText            *string
	NewText            string
	Truncated          bool
}

func hunksOf(before, after string) []Hunk {
	found := linediff.Hunks(before, after)
	hunks := make([]Hunk, len(found))
	for i, h := range found {
		hunks[i] = Hunk{OldStart: h.OldStart, OldLines: h.OldLines, NewStart: h.NewStart, NewLines: h.NewLines,
			OldText: h.OldText, NewText: h.NewText, Truncated: h.Truncated}
	}
	return hunks
}

// Stored says how a text is stored: Encoding is its name in the WHATWG's Encoding
// Standard, or "" for UTF-8; Changed means that the file was not stored so before.
type Stored struct {
	Encoding string
	Changed  bool
}

// hunksFrom is hunksOf for texts that begin at a 1-based line of a file; 0 means that
// they are the file.
func hunksFrom(line int, before, after string) []Hunk {
	hunks := hunksOf(before, after)
	for i := range hunks {
		hunks[i].OldStart += max(line-1, 0)
		hunks[i].NewStart += max(line-1, 0)
	}
	return hunks
}

// diffMeta is what a card needs of the hunks, and what is unusual about how they came
// into the file. The path is the one that was asked for.
func diffMeta(path string, hunks []Hunk, p vfs.Publication, stored Stored) *card.DiffMeta {
	m := &card.DiffMeta{Diffs: make([]card.FileDiff, len(hunks)), Change: card.Change{Encoding: stored.Encoding, EncodingChanged: stored.Changed}}
	if stored.Changed && stored.Encoding == "" {
		m.Encoding = "utf-8"
	}
	if p.Guarantee == vfs.GuaranteeChecked || p.Guarantee == vfs.GuaranteeInPlace {
		m.Guarantee = string(p.Guarantee)
	}
	if p.NotDurable {
		m.Durable = new(false)
	}
	if p.LinkCount > 1 {
		m.LinkCount = p.LinkCount
	}
	for i, h := range hunks {
		m.Diffs[i] = card.FileDiff{Path: path, OldText: h.OldText, NewText: h.NewText, Truncated: h.Truncated}
	}
	return m
}
