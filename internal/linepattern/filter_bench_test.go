package linepattern_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// BenchmarkScanner looks through code for expressions that hold no text of some length.
func BenchmarkScanner(b *testing.B) {
	text := goText(b)
	for _, expr := range []string{
		`\d{9,}`, `[а-я]{3}`, `\w+\s+\w+;`, `(?i)[a-z]+_[0-9]+$`, `[A-Z]{2}\d+`, `[A-Z]{20}`, `^\s+\}$`, `\b\w{15,}\b`, `x\d\d`, `\s$`, `[^\x00-\x7f]`, `\w+\(\w*\)$`, `.{200}`, `^(if|for) .*\{$`,
	} {
		b.Run(expr, func(b *testing.B) {
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
		})
	}
}
