package linediff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs/internal/linediff"
)

// side is a hunk without its numbers; "-" stands for no old side.
type side struct{ Old, New string }

func sides(hunks []linediff.Hunk) []side {
	var out []side
	for _, h := range hunks {
		s := side{"-", h.NewText}
		if h.OldText != nil {
			s.Old = *h.OldText
		}
		out = append(out, s)
	}
	return out
}

// numbered gives the lines 1 to n, the named ones changed.
func numbered(n int, changed ...int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		for _, c := range changed {
			if c == i {
				b.WriteString("changed ")
			}
		}
		fmt.Fprintf(&b, "%d\n", i)
	}
	return b.String()
}

func TestHunks(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                []side
	}{
		{"equal texts have none", "a\nb\n", "a\nb\n", nil},
		{"two empty texts have none", "", "", nil},
		{"text put into an empty file has no old side", "", "a\n", []side{{"-", "a"}}},
		{"an emptied file has no new line", "a\nb\n", "", []side{{"a\nb", ""}}},
		{"appended", "a\nb\n", "a\nb\nx\n", []side{{"a\nb", "a\nb\nx"}}},
		{"six unchanged lines between share", numbered(20), numbered(20, 3, 10), []side{{
			"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13",
			"1\n2\nchanged 3\n4\n5\n6\n7\n8\n9\nchanged 10\n11\n12\n13"}}},
		{"seven unchanged lines between split", numbered(20), numbered(20, 3, 11), []side{
			{"1\n2\n3\n4\n5\n6", "1\n2\nchanged 3\n4\n5\n6"},
			{"8\n9\n10\n11\n12\n13\n14", "8\n9\n10\nchanged 11\n12\n13\n14"}}},
		{"only a final line feed more", "a\nb", "a\nb\n", []side{{"a\nb", "a\nb"}}},
		{"only a final line feed less", "a\n", "a", []side{{"a", "a"}}},
		{"an empty line is a line", "", "\n", []side{{"-", ""}}},
		{"an empty line is an old side", "\n", "a\n", []side{{"", "a"}}},
		{"a carriage return belongs to its line", "a\r\nb\n", "a\nb\n", []side{{"a\r\nb", "a\nb"}}},
		{"a lone carriage return parts nothing", "a\rb\n", "a\rc\n", []side{{"a\rb", "a\rc"}}},
		{"lines that look like a diff", "@@ -1,1 +1,1 @@\n--- x\n\\ No newline at end of file\n", "@@ -1,1 +1,1 @@\n+++ x\n",
			[]side{{"@@ -1,1 +1,1 @@\n--- x\n\\ No newline at end of file", "@@ -1,1 +1,1 @@\n+++ x"}}},
		{"places apart among lines that are all alike split",
			strings.Repeat("x\n", 38), strings.Repeat("x\n", 5) + "y\n" + strings.Repeat("x\n", 20) + "z\n" + strings.Repeat("x\n", 13),
			[]side{{"x\nx\nx\nx\nx\nx", "x\nx\nx\ny\nx\nx\nx"}, {"x\nx\nx\nx\nx\nx", "x\nx\nx\nz\nx\nx\nx"}}},
		{"repeated lines: the shortest way", "{\n}\n{\n}\n{\n}\n", "{\n}\n{\n\n}\n{\n}\n",
			[]side{{"{\n}\n{\n}\n{\n}", "{\n}\n{\n\n}\n{\n}"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sides(linediff.Hunks(tt.before, tt.after))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHunksNumberTheirLines(t *testing.T) {
	before, after := numbered(40), "new\n"+numbered(40, 30)
	var got [][4]int
	for _, h := range linediff.Hunks(before, after) {
		got = append(got, [4]int{h.OldStart, h.OldLines, h.NewStart, h.NewLines})
	}
	want := [][4]int{{1, 3, 1, 4}, {27, 7, 28, 7}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if h := linediff.Hunks("", "a\n")[0]; h.OldStart != 1 || h.OldLines != 0 || h.NewStart != 1 || h.NewLines != 1 {
		t.Errorf("a new file: %+v", h)
	}
}

func TestHunksAboveTheBoundAreOneTruncatedHunk(t *testing.T) {
	before, after := numbered(100), numbered(100, 20, 21, 22, 50)
	all := linediff.Options{MaxBytes: -1}.Hunks(before, after)
	size := 0
	for _, h := range all {
		size += len(*h.OldText) + len(h.NewText) + 2
	}
	if got := (linediff.Options{MaxBytes: size}).Hunks(before, after); !cmp.Equal(got, all) {
		t.Errorf("what just fits is cut: %s", cmp.Diff(all, got))
	}
	for limit := 1; limit < size; limit++ {
		got := linediff.Options{MaxBytes: limit}.Hunks(before, after)
		if len(got) != 1 || !got[0].Truncated {
			t.Fatalf("limit %d: %+v", limit, got)
		}
		h := got[0]
		if len(*h.OldText)+len(h.NewText) > limit {
			t.Fatalf("limit %d: %d and %d bytes", limit, len(*h.OldText), len(h.NewText))
		}
		if h.OldStart != 17 || h.NewStart != 17 || h.OldLines != 84 || h.NewLines != 84 {
			t.Fatalf("limit %d: %+v", limit, h)
		}
		from17 := before[strings.Index(before, "17\n"):]
		if !strings.HasPrefix(from17, *h.OldText) {
			t.Fatalf("limit %d: old side %q", limit, *h.OldText)
		}
		if limit >= 4 && !strings.HasPrefix(from17, *h.OldText+"\n") {
			t.Fatalf("limit %d: cut within a line: %q", limit, *h.OldText)
		}
	}
}

func TestATruncatedLineIsCutAtACharacter(t *testing.T) {
	h := linediff.Options{MaxBytes: 9}.Hunks("x", strings.Repeat("é", 100))[0]
	if h.NewText != "éé" || !h.Truncated {
		t.Errorf("%+v", h)
	}
}
