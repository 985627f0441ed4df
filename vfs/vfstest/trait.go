package vfstest

import (
	"slices"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

// Trait is something that not every provider has or can show. Its text is what the
// support table calls it.
type Trait string

// The traits. Those of the first block are there when the World has the hook, those of
// the second when the provider has the capability, and those of the third unless
// Config.Lacks names them.
const (
	Outsiders   Trait = "files change behind its back"         // Write, Read, Remove and Rename
	Directories Trait = "empty directories"                    // Mkdir
	Links       Trait = "symbolic links"                       // Symlink
	HardLinks   Trait = "hard links"                           // Link
	Specials    Trait = "special files"                        // Special
	Confined    Trait = "confinement"                          // Outside
	Crashes     Trait = "power cuts"                           // Crash
	Processes   Trait = "exclusion of other processes"         // Again
	Handles     Trait = "open handles can be counted"          // Handles
	Sections    Trait = "exclusive sections"                   // vfs.Exclusive
	Paths       Trait = "paths for other processes"            // vfs.Locator
	GuardLimit  Trait = "a guard limit small enough for tests" // vfs.Guard, at most SmallGuard

	CaseSensitive   Trait = "names differ by case"
	ByteNames       Trait = "names of any bytes"
	ContentVersions Trait = "versions are of the content alone"
	Proofs          Trait = "torn reads are noticed"
)

// SmallGuard is the greatest guard limit, in bytes, with which the cases about content
// above the limit are run. Other cases guard up to 300 KiB.
const SmallGuard = 1 << 20

// Traits gives every trait, in the order of the support table.
func Traits() []Trait {
	return []Trait{Outsiders, Directories, Links, HardLinks, Specials, Confined, Crashes, Processes, Handles,
		Sections, Paths, GuardLimit, CaseSensitive, ByteNames, ContentVersions, Proofs}
}

// traits finds what the provider has, by one look at a world.
func (c Config) traits(t testing.TB) []Trait {
	t.Helper()
	w := c.New(t)
	if w.Provider == nil || w.Root == "" {
		t.Fatal("vfstest: a World needs a Provider and a Root")
	}
	sections, _ := vfs.As[vfs.Exclusive](w.Provider)
	paths, _ := vfs.As[vfs.Locator](w.Provider)
	guard, ok := vfs.As[vfs.Guard](w.Provider)
	has := map[Trait]bool{
		Outsiders:   w.Write != nil && w.Read != nil && w.Remove != nil && w.Rename != nil,
		Directories: w.Mkdir != nil, Links: w.Symlink != nil, HardLinks: w.Link != nil, Specials: w.Special != nil,
		Confined: w.Outside != "", Crashes: w.Crash != nil, Processes: w.Again != nil, Handles: w.Handles != nil,
		Sections: sections != nil, Paths: paths != nil, GuardLimit: ok && guard.MaxGuardedBytes() <= SmallGuard,
	}
	declared := []Trait{CaseSensitive, ByteNames, ContentVersions, Proofs}
	for _, trait := range declared {
		has[trait] = true
	}
	for _, lacking := range c.Lacks {
		if !slices.Contains(declared, lacking) {
			t.Fatalf("vfstest: Lacks names %q, which the World's hooks or the capabilities tell", lacking)
		}
		has[lacking] = false
	}
	return slices.DeleteFunc(Traits(), func(trait Trait) bool { return !has[trait] })
}
