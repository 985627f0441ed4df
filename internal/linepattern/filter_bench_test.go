package linepattern_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolfs/toolfs/internal/linepattern"
)

// goText is a part of the sources of Go.
func goText(t testing.TB) (text []byte) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src", "go"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") {
			b, err := os.ReadFile(path)
			text = append(text, b...)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// BenchmarkScanner looks through code, and through a text that is not Latin, for
// expressions that hold no text of some length.
func BenchmarkScanner(b *testing.B) {
	code := goText(b)
	russian := bytes.Repeat([]byte("Съешь же ещё этих мягких французских булок, да выпей чаю.\n"), 10_000)
	chinese := varied(rand.New(rand.NewPCG(1, 2)), 0x4e00, 0x9fa5, 1<<20)
	for _, c := range []struct {
		name, expr string
		text       []byte
	}{
		{"code", `\d{9,}`, code},
		{"code", `[а-я]{3}`, code},
		{"code", `\w+\s+\w+;`, code},
		{"code", `(?i)[a-z]+_[0-9]+$`, code},
		{"code", `[A-Z]{2}\d+`, code},
		{"code", `[A-Z]{20}`, code},
		{"code", `^\s+\}$`, code},
		{"code", `\b\w{15,}\b`, code},
		{"code", `x\d\d`, code},
		{"code", `\s$`, code},
		{"code", `\w+\(\w*\)$`, code},
		{"code", `.{200}`, code},
		{"russian", `\d{9,}`, russian},
		{"russian", `[а-я]{30}`, russian},
		{"russian", `\w+\s+\w+;`, russian},
		{"chinese", `\d{9,}`, chinese},
		{"chinese", `\w{3}\d`, chinese},
		{"chinese", `[а-я]{3}`, chinese},
	} {
		b.Run(c.name+"/"+c.expr, func(b *testing.B) { benchmarkScanner(b, c.expr, c.text) })
	}
}

// varied is lines of characters at random.
func varied(g *rand.Rand, low, high rune, size int) (text []byte) {
	for len(text) < size {
		if text = utf8.AppendRune(text, low+g.Int32N(high-low)); g.IntN(60) == 0 {
			text = append(text, '\n')
		}
	}
	return text
}

func benchmarkScanner(b *testing.B, expr string, text []byte) {
	p, err := linepattern.Compile(expr)
	if err != nil {
		b.Fatal(err)
	}
	s := p.NewScanner()
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		s.Reset(text)
		for n = 0; ; n++ {
			if _, ok := s.Next(never); !ok {
				break
			}
		}
	}
	b.ReportMetric(float64(n), "lines")
}
