package toolfs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolfs/toolfs/card"
)

// plainWindow says what a window is, without regard to cost.
func plainWindow(text string, offset, limit, maxLine, maxBytes int) (lines []card.Line, total int, capped bool) {
	all := strings.Split(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	size := 0
	for i, line := range all {
		n := i + 1
		if n < offset || n-offset >= limit || capped {
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		units, cut := 0, len(line)
		for j, r := range line {
			if units += len(utf16.Encode([]rune{r})); units > maxLine {
				cut = j
				break
			}
		}
		if cut < len(line) {
			line = line[:cut] + fmt.Sprintf("... (line truncated to %d chars)", maxLine)
		}
		size += len(line)
		if len(lines) > 0 {
			if size++; size > maxBytes {
				capped = true
				continue
			}
		}
		lines = append(lines, card.Line{Number: n, Text: line})
	}
	return lines, len(all), capped
}

type fatalfer interface{ Fatalf(string, ...any) }

// checkWindow feeds text in chunks that end with whole characters, whose sizes step
// decides, and compares.
func checkWindow(t fatalfer, text string, offset, limit, maxLine, maxBytes int, step func() int) {
	w := newWindow(offset, limit, maxLine, maxBytes)
	for rest := text; len(rest) > 0; {
		n := min(max(step(), 1), len(rest))
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n++
		}
		w.add([]byte(rest[:n]))
		rest = rest[n:]
	}
	lines, total := w.finish()
	wantLines, wantTotal, wantCapped := plainWindow(text, offset, limit, maxLine, maxBytes)
	if !slices.Equal(lines, wantLines) || total != wantTotal || w.capped != wantCapped {
		t.Fatalf("offset %d limit %d line %d bytes %d of %q:\ngot  %+v, %d, %t\nwant %+v, %d, %t",
			offset, limit, maxLine, maxBytes, text, lines, total, w.capped, wantLines, wantTotal, wantCapped)
	}
}

func TestWindowIsThePlainWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", "\n", "\r\n", "\r", "é", "😀", "x\n", strings.Repeat("y", 90), strings.Repeat("\n", 80)}), 0, 30)
		text := strings.Join(pieces.Draw(t, "text"), "")
		checkWindow(t, text, rapid.IntRange(1, 120).Draw(t, "offset"), rapid.IntRange(1, 20).Draw(t, "limit"),
			rapid.IntRange(1, 12).Draw(t, "maxLine"), rapid.IntRange(1, 200).Draw(t, "maxBytes"),
			func() int { return rapid.IntRange(1, 40).Draw(t, "chunk") })
	})
}

func TestWindow(t *testing.T) {
	const suffix = "... (line truncated to 5 chars)"
	tests := []struct {
		name                             string
		text                             string
		offset, limit, maxLine, maxBytes int
		want                             []string
		total                            int
		capped                           bool
	}{
		{"an empty text has no lines", "", 1, 10, 5, 100, nil, 0, false},
		{"a final line feed adds no line", "a\nb\n", 1, 10, 5, 100, []string{"a", "b"}, 2, false},
		{"an unfinished last line is one", "a\nb", 2, 10, 5, 100, []string{"b"}, 2, false},
		{"CR is dropped at the end of a line only", "a\r\nb\rc\r\r\n", 1, 10, 5, 100, []string{"a", "b\rc\r"}, 2, false},
		{"a long line says so", "abcdefghij", 1, 10, 5, 100, []string{"abcde" + suffix}, 1, false},
		{"a CR at the cap hides nothing", "abcde\rMORE\n", 1, 10, 5, 100, []string{"abcde" + suffix}, 1, false},
		{"CRLF at the cap is an ending", "abcde\r\n", 1, 10, 5, 100, []string{"abcde"}, 1, false},
		{"no character is cut in two", "abcd😀x", 1, 10, 5, 100, []string{"abcd" + suffix}, 1, false},
		{"a character beyond U+FFFF counts twice", "abc😀", 1, 10, 5, 100, []string{"abc😀"}, 1, false},
		{"the byte cap ends the window and the count goes on", "aaaa\nbbbb\ncccc", 1, 10, 5, 9, []string{"aaaa", "bbbb"}, 3, true},
		{"one line is always shown", "aaaa\nbbbb\n", 1, 10, 5, 1, []string{"aaaa"}, 2, true},
		{"an offset past the end selects nothing", "a\n", 3, 10, 5, 100, nil, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, chunk := range []int{1, 2, 3, 1000} {
				checkWindow(t, tt.text, tt.offset, tt.limit, tt.maxLine, tt.maxBytes, func() int { return chunk })
			}
			lines, total, capped := plainWindow(tt.text, tt.offset, tt.limit, tt.maxLine, tt.maxBytes)
			var texts []string
			for _, l := range lines {
				texts = append(texts, l.Text)
			}
			if !slices.Equal(texts, tt.want) || total != tt.total || capped != tt.capped {
				t.Errorf("got %q, %d, %t", texts, total, capped)
			}
		})
	}
}

// What a window holds does not grow with the text, however long its lines are.
func TestWindowMemoryIsBounded(t *testing.T) {
	w := newWindow(1, 2000, 2000, 51200)
	chunk := []byte(strings.Repeat("x", 1<<16))
	for range 256 {
		w.add(chunk)
	}
	if held := cap(w.partial) + cap(w.text); held > 64<<10 {
		t.Errorf("%d bytes held for one line of 16 MiB", held)
	}
}

func FuzzWindow(f *testing.F) {
	f.Add("a\r\nb\n", 1, 2, 5, 100, 3)
	f.Add("abcd😀x\r\n", 1, 1, 5, 9, 1)
	f.Add(strings.Repeat("\n", 200)+"x", 150, 60, 5, 30, 70)
	f.Fuzz(func(t *testing.T, text string, offset, limit, maxLine, maxBytes, chunk int) {
		clamp := func(n, most int) int { return 1 + ((n%most)+most)%most }
		checkWindow(t, strings.ToValidUTF8(text, "?"), clamp(offset, 300), clamp(limit, 300), clamp(maxLine, 50), clamp(maxBytes, 500),
			func() int { return clamp(chunk, 50) })
	})
}
