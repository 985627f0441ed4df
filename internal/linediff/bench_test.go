package linediff

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func distinct(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d of a text of ordinary width\n", word, i)
	}
	return b.String()
}

// repeated has few different lines, in an order without a period.
func repeated(words string, n int) string {
	var b strings.Builder
	x := uint32(1)
	for range n {
		x = x*1664525 + 1013904223
		b.WriteByte(words[int(x>>16)%len(words)])
		b.WriteByte('\n')
	}
	return b.String()
}

func benchmark(b *testing.B, before, after string) {
	b.SetBytes(int64(len(before) + len(after)))
	for b.Loop() {
		Hunks(before, after)
	}
}

func BenchmarkEntirelyDifferent2000(b *testing.B) {
	benchmark(b, distinct("old", 2000), distinct("new", 2000))
}

func BenchmarkEntirelyDifferent20000(b *testing.B) {
	benchmark(b, distinct("old", 20000), distinct("new", 20000))
}

func BenchmarkRepeatedLines2000(b *testing.B) {
	benchmark(b, repeated("abcdef", 2000), repeated("fedcbag", 2000))
}

func BenchmarkRepeatedLines20000(b *testing.B) {
	benchmark(b, repeated("abcdef", 20000), repeated("fedcbag", 20000))
}

func BenchmarkOneLineOfMany(b *testing.B) {
	before := distinct("line", 200_000)
	benchmark(b, before, strings.Replace(before, "line 100 ", "LINE 100 ", 1))
}

// The bound that the benchmarks show, kept: ten times the lines take at most thirty
// times as long. The best of several runs is compared, since a test may be disturbed.
func TestTimeIsNearLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for name, make := range map[string]func(n int) (string, string){
		"entirely different": func(n int) (string, string) { return distinct("old", n), distinct("new", n) },
		"repeated lines":     func(n int) (string, string) { return repeated("abcdef", n), repeated("fedcbag", n) },
		"one line repeated":  func(n int) (string, string) { return strings.Repeat("x\n", n), strings.Repeat("x\n", n/2) + "y\n" },
	} {
		t.Run(name, func(t *testing.T) {
			measure := func(n int) time.Duration {
				before, after := make(n)
				best := time.Hour
				for range 7 {
					start := time.Now()
					Hunks(before, after)
					best = min(best, time.Since(start))
				}
				return best
			}
			small, large := measure(2000), measure(20000)
			if large > 30*small {
				t.Errorf("2,000 lines take %v, 20,000 lines %v", small, large)
			}
		})
	}
}
