// Command mcpbench times two MCP servers against each other, over their standard
// streams, in alternating turns of one run: start, a read of 2,000 lines, a small write
// and a large one. It prints medians and their ratios.
//
//	go run ./internal/mcpbench -ours 'toolfs mcp --root {dir}' -other 'mcp-server-filesystem {dir}'
//
// The clock runs from the first byte of a request to the last byte of its answer. The
// program speaks the protocol by hand, so that no client's decoding is in the figures.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	ours := flag.String("ours", "", "command line of a server with read and write; {dir} is its workspace")
	other := flag.String("other", "", "command line of a server with read_text_file and write_file")
	rounds := flag.Int("rounds", 21, "timed pairs of calls")
	starts := flag.Int("starts", 11, "timed pairs of starts")
	flag.Parse()
	if *ours == "" || *other == "" {
		flag.Usage()
		os.Exit(2)
	}
	contestants := []contestant{
		{label: "ours", command: *ours, dialect: dialect{"read", "file_path", "limit", "write", "file_path"}},
		{label: "other", command: *other, dialect: dialect{"read_text_file", "path", "head", "write_file", "path"}},
	}
	if err := compare(os.Stdout, contestants, *starts, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "mcpbench:", err)
		os.Exit(1)
	}
}

// contestant is one server and the names that it gives to what is timed.
type contestant struct {
	label   string
	command string
	dialect dialect
}

// dialect is the names of the tools and arguments that do the same thing.
type dialect struct {
	read, readPath, readLimit string
	write, writePath          string
}

// figures holds, per kind of call and contestant, every duration.
type figures map[string][2][]time.Duration

func (f figures) add(kind string, who int, took time.Duration) {
	both := f[kind]
	both[who] = append(both[who], took)
	f[kind] = both
}

func compare(out io.Writer, contestants []contestant, starts, rounds int) error {
	found := figures{}
	for i := range starts {
		for _, who := range turns(i) {
			s, took, err := start(contestants[who])
			if err != nil {
				return err
			}
			if err := s.stop(); err != nil {
				return err
			}
			found.add("start", who, took)
		}
	}
	var servers [2]*server
	for who, c := range contestants {
		s, _, err := start(c)
		if err != nil {
			return err
		}
		defer s.stop()
		servers[who] = s
	}
	for i := -3; i < rounds; i++ { // the first rounds warm both up
		for _, who := range turns(i) {
			if err := servers[who].round(func(kind string, took time.Duration) {
				if i >= 0 {
					found.add(kind, who, took)
				}
			}); err != nil {
				return fmt.Errorf("%s: %w", contestants[who].label, err)
			}
		}
	}
	fmt.Fprintf(out, "%-18s %10s %10s %8s\n", "median", contestants[0].label, contestants[1].label, "ratio")
	for _, kind := range []string{"start", "read 2000 lines", "write 1 KiB", "write 1 MiB"} {
		a, b := median(found[kind][0]), median(found[kind][1])
		fmt.Fprintf(out, "%-18s %10s %10s %8.2f\n", kind, short(a), short(b), float64(a)/float64(b))
	}
	return nil
}

// turns is the order of a pair: whoever went first goes second the next time.
func turns(i int) [2]int {
	if i%2 == 0 {
		return [2]int{0, 1}
	}
	return [2]int{1, 0}
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

func short(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

// workspace makes a directory with the file that is read: 1 MiB in lines so short that
// 2,000 of them fit what one read returns.
func workspace() (string, error) {
	dir, err := os.MkdirTemp("", "mcpbench")
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "source.go"), []byte(fill("\tif err := f(\"x\"); ok {}\n", 1<<20)), 0o666)
}
