package ripgrep

import (
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func paths(s string, wrap bool) (list []string) {
	r := strings.NewReader(s)
	if wrap {
		readPaths(iotest.OneByteReader(r), func(path []byte) bool { list = append(list, string(path)); return true })
		return list
	}
	readPaths(r, func(path []byte) bool { list = append(list, string(path)); return true })
	return list
}

func TestReadPaths(t *testing.T) {
	long := strings.Repeat("x", maxPath)
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"paths", "./a\x00./b/c\x00", []string{"a", "b/c"}},
		{"odd names", "./a\nb\x00./\xff\x00./-x\x00././x\x00", []string{"a\nb", "\xff", "-x", "./x"}},
		{"one that is not there whole", "./a\x00./bc", []string{"a"}},
		{"empty ones", "\x00./\x00./a\x00", []string{"a"}},
		{"too long", "./a\x00" + long + "\x00./b\x00" + long + long + "tail\x00./c\x00", []string{"a", "b", "c"}},
		{"too long, and no end", long + "x", nil},
	} {
		if got := paths(c.text, false); !slices.Equal(got, c.want) {
			t.Errorf("%s: %.80q", c.rule, got)
		}
	}
}

// FuzzReadPaths: whatever comes, paths are what lies between two NULs, in whatever pieces
// it comes.
func FuzzReadPaths(f *testing.F) {
	f.Add("./a\x00./b\x00")
	f.Fuzz(func(t *testing.T, s string) {
		var want []string
		for part := range strings.SplitAfterSeq(s, "\x00") {
			path, whole := strings.CutSuffix(part, "\x00")
			if rest := strings.TrimPrefix(path, "./"); whole && rest != "" && len(part) <= maxPath {
				want = append(want, rest)
			}
		}
		for _, wrap := range []bool{false, true} {
			if got := paths(s, wrap); !slices.Equal(got, want) {
				t.Fatalf("%q gives %q, not %q", s, got, want)
			}
		}
	})
}
