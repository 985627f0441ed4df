package vfstest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/vfs"
)

// Benchmark measures what a tool does with a provider all day: each sub-benchmark is one
// call, or one helper function, over a world of its own.
func Benchmark(b *testing.B, c Config) {
	for _, one := range []struct {
		name  string
		bytes int // that each round moves
		round func(*check) func(i int) error
	}{
		{"Resolve", 0, benchResolve},
		{"Stat", 0, benchStat},
		{"Open", 0, benchOpen},
		{"Read/1KiB", 1 << 10, benchRead(1 << 10)},
		{"Read/256KiB", 256 << 10, benchRead(256 << 10)},
		{"ReadText/20KiB", 20 << 10, benchReadText},
		{"Put/create-1KiB", 1 << 10, benchCreate},
		{"Put/replace-20KiB", 20 << 10, benchReplace},
		{"EditText/20KiB", 20 << 10, benchEdit},
		{"ReadDir/100", 0, benchReadDir},
	} {
		b.Run(one.name, func(b *testing.B) {
			k := &check{TB: b, World: c.New(b)}
			round := one.round(k)
			b.SetBytes(int64(one.bytes))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := round(i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// page is text of so many bytes.
func page(bytes int) string {
	return strings.Repeat("a line of some text that is read\n", bytes/33+1)[:bytes]
}

func benchResolve(c *check) func(int) error {
	c.seed("a/b/c/f", "x")
	return func(int) error {
		_, err := c.Provider.Resolve(c.Context(), c.Root, "a/b/c/f")
		return err
	}
}

func benchStat(c *check) func(int) error {
	t := c.seed("a/b/c/f", "x")
	return func(int) error {
		_, err := c.Provider.Stat(c.Context(), t)
		return err
	}
}

func benchOpen(c *check) func(int) error {
	t := c.seed("a/b/c/f", "x")
	return func(int) error {
		f, err := c.Provider.Open(c.Context(), t)
		if err != nil {
			return err
		}
		return f.Close()
	}
}

func benchRead(bytes int) func(*check) func(int) error {
	return func(c *check) func(int) error {
		t := c.seed("f", page(bytes))
		return func(int) error {
			_, err := content(c.Context(), c.Provider, t)
			return err
		}
	}
}

func benchReadText(c *check) func(int) error {
	t := c.seed("f", page(20<<10))
	return func(int) error {
		_, _, err := vfs.ReadText(c.Context(), c.Provider, t)
		return err
	}
}

func benchCreate(c *check) func(int) error {
	data := []byte(page(1 << 10))
	return func(i int) error {
		t, err := c.Provider.Resolve(c.Context(), c.Root, fmt.Sprintf("d%d/f%d", i/1000, i))
		if err == nil {
			_, err = c.Provider.Put(c.Context(), t, data, vfs.PutOptions{If: vfs.IfAbsent()})
		}
		return err
	}
}

func benchReplace(c *check) func(int) error {
	text := page(20 << 10)
	t := c.target("f")
	info := c.put(t, text)
	return func(i int) (err error) {
		data := fmt.Appendf(nil, "%d%s", i, text)
		info, err = c.Provider.Put(c.Context(), t, data, vfs.PutOptions{If: vfs.IfVersion(info.Version)})
		return err
	}
}

func benchEdit(c *check) func(int) error {
	t := c.seed("f", page(20<<10)+"<0>")
	return func(i int) error {
		_, err := vfs.EditText(c.Context(), c.Provider, t, vfs.Edit{Old: fmt.Sprintf("<%d>", i), New: fmt.Sprintf("<%d>", i+1)}, vfs.EditOptions{})
		return err
	}
}

func benchReadDir(c *check) func(int) error {
	for i := range 100 {
		c.seed(fmt.Sprintf("d/f%d", i), "x")
	}
	d := c.target("d")
	return func(int) error {
		_, err := vfs.ListDir(c.Context(), c.Provider, d)
		return err
	}
}
