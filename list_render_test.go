package toolfs

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/vfs"
)

// Selecting the first k gives what sorting everything gives, whatever the order in
// which a directory yields its names.
func TestPageIsACutOfTheWholeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[aAbBzZ_.é0-9]{1,3}`), 0, 60, rapid.ID[string]).Draw(t, "names")
		var entries []vfs.Entry
		for _, n := range names {
			entries = append(entries, vfs.Entry{Name: n, Type: rapid.SampledFrom([]vfs.Type{vfs.TypeFile, vfs.TypeDirectory, vfs.TypeOther}).Draw(t, "type")})
		}
		whole := slices.Clone(entries)
		slices.SortFunc(whole, compareEntries)
		offset, n := rapid.IntRange(1, 61).Draw(t, "offset"), rapid.IntRange(1, 10).Draw(t, "n")
		from := min(offset-1, len(whole))
		want := whole[from:min(from+n, len(whole))]
		if got := page(slices.Clone(entries), offset, n); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestOrderIsTotalAndIgnoresCaseFirst(t *testing.T) {
	want := []vfs.Entry{
		{Name: "docs", Type: vfs.TypeDirectory}, {Name: "src", Type: vfs.TypeDirectory},
		{Name: "-y", Type: vfs.TypeFile}, {Name: "10", Type: vfs.TypeFile}, {Name: "2", Type: vfs.TypeFile},
		{Name: "_a", Type: vfs.TypeFile}, {Name: "E", Type: vfs.TypeFile}, {Name: "e", Type: vfs.TypeFile},
		{Name: "package.json", Type: vfs.TypeFile}, {Name: "README.txt", Type: vfs.TypeFile},
		{Name: "É", Type: vfs.TypeFile}, {Name: "é", Type: vfs.TypeFile},
		{Name: "socket", Type: vfs.TypeOther},
	}
	for i, a := range want {
		for j, b := range want {
			if got := compareEntries(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%q against %q is %d", a.Name, b.Name, got)
			}
		}
	}
}
