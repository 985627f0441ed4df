//go:build !toolfs_portable

package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

// publication is one way in which a file gets a content, with whom it meets.
type publication struct {
	name string
	old  bool // the file is there before
	// publish runs it once; sys makes the calls.
	publish func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error)
}

const leaf = "f"

// Publications that meet another program.
const (
	// intruder meets a rename right before the exchange, and has to be taken back.
	intruder = "replace met by a rename"
	// flicker meets writes that are undone again, while the old file is copied.
	flicker = "splice met by writes"
	// late is over, by a kill, when another program writes the file, before a provider
	// can recover it.
	late = "in-place, and then another program"
)

func publications() []publication {
	replace := func(guarded bool) func(atomicfile.Sys, *place) (atomicfile.Outcome, error) {
		return func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
			return inDir(p, func(dir int) (atomicfile.Outcome, error) {
				want := atomicfile.DigestOf(oldContent())
				wanted := &want
				if !guarded {
					wanted = nil
				}
				return publisher(sys).Replace(context.Background(), dir, leaf, newContent(), wanted)
			})
		}
	}
	create := func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
		return inDir(p, func(dir int) (atomicfile.Outcome, error) {
			return publisher(sys).Create(context.Background(), dir, leaf, newContent())
		})
	}
	return []publication{
		{"replace", true, replace(true)},
		{"replace unguarded", true, replace(false)},
		{"replace by a splice", true, func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
			return inDir(p, func(dir int) (atomicfile.Outcome, error) {
				return publisher(sys).ReplaceSpliced(context.Background(), dir, leaf, splice(), atomicfile.DigestOf(oldContent()))
			})
		}},
		{"replace from a named file", true, func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
			return replace(true)(without("OpenTemp", sys), p)
		}},
		{"replace by a checked rename", true, func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
			return replace(true)(noExchange{sys}, p)
		}},
		{flicker, true, func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
			return inDir(p, func(dir int) (atomicfile.Outcome, error) {
				return publisher(flickering{sys, p}).ReplaceSpliced(context.Background(), dir, leaf, splice(), atomicfile.DigestOf(oldContent()))
			})
		}},
		{intruder, true, func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
			return replace(true)(&intruded{Sys: sys, p: p}, p)
		}},
		{"create", false, create},
		{"create from a named file", false, func(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
			return create(without("OpenTemp", sys), p)
		}},
		{late, true, rewrite},
		{"in-place", true, rewrite},
	}
}

func publisher(sys atomicfile.Sys) *atomicfile.Publisher { return &atomicfile.Publisher{Sys: sys} }

func rewrite(sys atomicfile.Sys, p *place) (atomicfile.Outcome, error) {
	return inDir(p, func(dir int) (atomicfile.Outcome, error) {
		return publisher(sys).InPlace(context.Background(), p.journal(), dir, leaf, p.file(leaf), newContent(), atomicfile.DigestOf(oldContent()))
	})
}

// journal is where a provider with the place's state directory has it.
func (p *place) journal() *atomicfile.Journal {
	return &atomicfile.Journal{Dir: filepath.Join(p.state, "journal")}
}

func inDir[T any](p *place, f func(dir int) (T, error)) (none T, err error) {
	dir, err := unix.Open(p.dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return none, err
	}
	defer unix.Close(dir)
	return f(dir)
}

func oldContent() []byte   { return []byte(strings.Repeat("the old content\n", 1800)) }
func theirContent() []byte { return []byte(strings.Repeat("what another program wrote\n", 1000)) }

// newContent is the old one, spliced.
func newContent() []byte {
	s, old := splice(), oldContent()
	return slices.Concat(old[:s.Start], s.New, old[s.End:])
}

func splice() atomicfile.Splice {
	return atomicfile.Splice{Start: 12_000, End: 20_000, New: []byte(strings.Repeat("the new content, which is longer\n", 900))}
}
