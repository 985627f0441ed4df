package toolfs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/quote"
	"github.com/toolfs/toolfs/vfs"
)

// page gives the entries from the 1-based offset on, at most n, in the listing's
// order: directories, files, others, each by name. It changes the order of entries.
func page(entries []vfs.Entry, offset, n int) []vfs.Entry {
	from := min(offset-1, len(entries))
	to := min(from+n, len(entries))
	sortFirst(entries, to)
	shown := slices.Clone(entries[from:to])
	for i := range shown {
		if !utf8.ValidString(shown[i].Name) {
			shown[i].Name = escapeBytes(shown[i].Name)
		}
	}
	return shown
}

// sortFirst puts the k smallest entries in order at the front. Of a long list that is
// much cheaper than sorting it.
func sortFirst(entries []vfs.Entry, k int) {
	if k > len(entries)/8 {
		slices.SortFunc(entries, compareEntries)
		return
	}
	// The front is a heap with the largest of the k smallest on top.
	first := entries[:k]
	for i := k/2 - 1; i >= 0; i-- {
		siftDown(first, i)
	}
	for i := k; i < len(entries) && k > 0; i++ {
		if compareEntries(entries[i], first[0]) < 0 {
			entries[i], first[0] = first[0], entries[i]
			siftDown(first, 0)
		}
	}
	slices.SortFunc(first, compareEntries)
}

func siftDown(heap []vfs.Entry, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && compareEntries(heap[child+1], heap[child]) > 0 {
			child++
		}
		if compareEntries(heap[child], heap[i]) <= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// compareEntries is a total order that no locale changes: by rank of the type, then
// by case-folded code points, then by code points. Contract section 18, C-19.
func compareEntries(a, b vfs.Entry) int {
	if c := rank(a.Type) - rank(b.Type); c != 0 {
		return c
	}
	if c := compareFolded(a.Name, b.Name); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

func rank(t vfs.Type) int {
	switch t {
	case vfs.TypeDirectory:
		return 0
	case vfs.TypeFile:
		return 1
	}
	return 2
}

func compareFolded(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] >= utf8.RuneSelf || b[i] >= utf8.RuneSelf {
			return compareFoldedRunes(a[i:], b[i:])
		}
		if ca, cb := lower(a[i]), lower(b[i]); ca != cb {
			return cmp.Compare(ca, cb)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func compareFoldedRunes(a, b string) int {
	for len(a) > 0 && len(b) > 0 {
		ra, na := foldFirst(a)
		rb, nb := foldFirst(b)
		if ra != rb {
			return cmp.Compare(ra, rb)
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

func foldFirst(s string) (folded rune, size int) {
	if s[0] < utf8.RuneSelf {
		return rune(lower(s[0])), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	return unicode.ToLower(unicode.ToUpper(r)), n
}

// escapeBytes writes the bytes that are no UTF-8 as \xNN.
func escapeBytes(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, name[i])
		} else {
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return b.String()
}

// renderList is the model's text. Contract section 12.1.6.
func renderList(v *ListValue) string {
	var b strings.Builder
	b.WriteString("<path>")
	b.WriteString(quote.Name(v.Path))
	b.WriteString("</path>\n<type>directory</type>\n<content>\n")
	for _, e := range v.Entries {
		b.WriteString(quote.Name(e.Name))
		switch e.Type {
		case vfs.TypeDirectory:
			b.WriteByte('/')
		case vfs.TypeFile:
		default:
			b.WriteByte('@')
		}
		b.WriteByte('\n')
	}
	if len(v.Entries) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(listFooter(v))
	if v.Withheld > 0 {
		b.WriteString("\n(" + counted(v.Withheld, "entry is", "entries are") + " withheld by the user's ignore rules.)")
	}
	b.WriteString("\n</content>")
	return b.String()
}

func listFooter(v *ListValue) string {
	composition := counted(v.Counts.Directories, "directory", "directories") + ", " +
		counted(v.Counts.Files, "file", "files")
	if v.Counts.Other > 0 {
		composition += ", " + strconv.Itoa(v.Counts.Other) + " other"
	}
	end := v.Offset - 1 + len(v.Entries)
	switch {
	case v.TotalEntries == 0 && v.Withheld > 0:
		return "(No entries to show)"
	case v.TotalEntries == 0:
		return "(Empty directory)"
	case len(v.Entries) == v.TotalEntries:
		return "(" + counted(v.TotalEntries, "entry", "entries") + ": " + composition + ")"
	}
	s := fmt.Sprintf("(Showing entries %d-%d of %d: %s.", v.Offset, end, v.TotalEntries, composition)
	if end < v.TotalEntries {
		s += fmt.Sprintf(" Use offset=%d to continue.", end+1)
	}
	return s + ")"
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
