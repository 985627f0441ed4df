//go:build !toolfs_portable

package localfs_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

func pick[T any](rnd *rand.Rand, list ...T) T { return list[rnd.IntN(len(list))] }

func randomQuery(rnd *rand.Rand) vfs.GrepQuery {
	return vfs.GrepQuery{
		Pattern: pick(rnd, "needle", "(?i)needle", `\d+`, `^\s*$`, "^a", "e$", `\bé\b`, `[^a]e`, `a.b`, "(?i)k", `\W\w`, "-x", "--help", "x|é", `\x{fffd}`,
			"foo|bar", `[а-я]`, `\d{3}`, `^.{3}$`, `z`, "(?i)ß|s", `[\x00-\x08]`, `\r`, "(", `a\sb`, `^\x{feff}`, `needle.*needle`, "b{2,}"),
		Include:      pick(rnd, "", "", "", "*.go", "d*/**", "**/a*", "{a,b}.*", ".h*", "/a", "*.[ch]", "[", "-x", "!a"),
		GlobalIgnore: pick(rnd, nil, nil, []byte("*.c\n"), []byte("d1/\n!a.go\n")),
	}
}

func randomTree(t *testing.T, rnd *rand.Rand) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dirs := []string{dir}
	for range rnd.IntN(7) {
		d := filepath.Join(pick(rnd, dirs...), pick(rnd, "d1", "d2", ".h", "node", "-x", "d\n", "d\xff", ".git"))
		if os.MkdirAll(d, 0o755) == nil {
			dirs = append(dirs, d)
		}
	}
	if rnd.IntN(2) == 0 {
		os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o755)
		os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("*.h\n"), 0o644)
	}
	for range 4 + rnd.IntN(24) {
		name := filepath.Join(pick(rnd, dirs...), pick(rnd, "a", "a.go", "b.c", "b.h", ".hidden", "é", "x\xfey", "--help", "-x", "new\nline", " ", "z.txt", "c.go"))
		switch rnd.IntN(16) {
		case 0:
			os.Symlink(pick(rnd, "a", "..", "nowhere", "/etc/hostname"), name)
		case 1:
			name = filepath.Join(filepath.Dir(name), pick(rnd, ".gitignore", ".ignore", ".rgignore", ".aiignore"))
			rules := pick(rnd, "*.go\n", "!a.go\n*.c\n", "/d1/\n", "d*\n!d2\n", "*\n!*/\n!*.go\n", "a\\\n", "[\n", "\xff*\n")
			os.WriteFile(name, []byte(rules), 0o644)
		default:
			mode := os.FileMode(0o644)
			if rnd.IntN(30) == 0 {
				mode = 0
			}
			os.WriteFile(name, randomContent(rnd), mode)
		}
	}
	if shut := pick(rnd, dirs...); shut != dir && rnd.IntN(2) == 0 {
		os.Chmod(shut, 0) // for root, it still is open
		t.Cleanup(func() { os.Chmod(shut, 0o755) })
	}
	return dir
}

func randomContent(rnd *rand.Rand) []byte {
	var b strings.Builder
	for range rnd.IntN(30) {
		b.WriteString(pick(rnd, "needle", "NEEDLE", "a", "é", "foo", "bar", "12", "345", " ", "\n", "\n", "\r\n", "\r", "\t", "\xff", "k", "\u212a", "ß", "ſ", "я", "\ufffd", "e", "-x", "z", "--help", "\u00a0", "bb"))
	}
	text := b.String()
	switch rnd.IntN(14) {
	case 0:
		return []byte(text + "\x00" + text)
	case 1:
		return []byte("\ufeff" + text)
	case 2:
		return utf16Of(text, rnd)
	case 3:
		return []byte(strings.Repeat("filler\n", 2000) + pick(rnd, "\x00", "") + "\n" + text)
	case 4:
		return []byte(strings.Repeat("0123456789abcdef", 5000+rnd.IntN(30000)) + text)
	case 5:
		return []byte(pick(rnd, "\x84\x31\x95\x33", "\xff\xfe\x00\x00", "\x00\x00\xfe\xff", "\xff\xfe", "\xfe\xff") + text)
	case 6:
		return nil
	}
	return []byte(text)
}

// utf16Of is UTF-16 with a mark, mostly; some has no NUL, and some a half of a pair.
func utf16Of(text string, rnd *rand.Rand) []byte {
	out := []byte("\xff\xfe")
	for _, r := range pick(rnd, text, "яя漢字", "漢字") {
		out = append(out, byte(r), byte(r>>8))
	}
	return append(out, pick(rnd, "", "", "\x0a\x00", "\x4e", "\x00\xd8\x41\x04")...)
}
