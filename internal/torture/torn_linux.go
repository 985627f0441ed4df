//go:build !toolfs_portable

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

const rewrittenSize = 1 << 20

// tearReads reads a file that another process rewrites in place, now all one letter and
// now all another. What a read gives as stable, and a pass as proven, must be one letter.
func tearReads(ctx context.Context, c config, r *report) error {
	for _, where := range []string{memory, c.disk} {
		for _, how := range []string{"open-write-close", "long-open"} {
			if !c.wants(how) {
				continue
			}
			if err := tearIn(ctx, where, how, c.period(60*time.Second, 2*time.Second), r); err != nil {
				return fmt.Errorf("%s %s: %w", where, how, err)
			}
		}
	}
	return nil
}

// reads counts reads of the tool, which shows what it was not sure of as unstable, and
// single passes, which are proven or not.
type reads struct {
	all, torn, stable, stableTorn          int
	passes, passesTorn, proven, provenTorn int
}

func tearIn(ctx context.Context, where, how string, period time.Duration, r *report) error {
	p, err := newPlace(where)
	if err != nil {
		return err
	}
	defer p.remove()
	if err := os.WriteFile(p.file(leaf), letters('a'), 0o644); err != nil {
		return err
	}
	disk, err := p.provider()
	if err != nil {
		return err
	}
	defer disk.Close()
	tools, err := toolfs.New(toolfs.Options{Provider: disk, Unguarded: true,
		Limits: toolfs.Limits{ReadLimit: rewrittenSize, ReadMaxBytes: 2 * rewrittenSize}})
	if err != nil {
		return err
	}
	defer tools.Close()
	w, err := startChild(ctx, "rewriter", p.base, how)
	if err != nil {
		return err
	}
	defer w.stop()
	if _, err := w.line(); err != nil {
		_, failed := w.wait()
		return errors.Join(err, failed)
	}
	var n reads
	for end := time.Now().Add(period); time.Now().Before(end) && ctx.Err() == nil; {
		if err := n.read(ctx, tools); err != nil {
			return err
		}
		for range 3 { // which are the quicker ones
			if err := n.pass(ctx, disk); err != nil {
				return err
			}
		}
	}
	name := where + " " + how
	r.atLeast(name+": reads of the tool", n.all, 2)
	r.say(name+": torn", n.torn)
	r.say(name+": stable", n.stable)
	r.none(name+": stable but torn", n.stableTorn)
	r.atLeast(name+": passes", n.passes, 5)
	r.say(name+": passes torn", n.passesTorn)
	r.atLeast(name+": passes proven", n.proven, map[string]int{"open-write-close": 1}[how])
	r.none(name+": passes proven but torn", n.provenTorn)
	return nil
}

// read is a read of the whole file by the tool.
func (n *reads) read(ctx context.Context, tools *toolfs.Toolset) error {
	result := tools.Execute(ctx, tool.Call{Name: "read", Arguments: []byte(`{"file_path":"` + leaf + `"}`)})
	value, ok := result.Value.(*toolfs.ReadValue)
	if !ok {
		return fmt.Errorf("the tool failed: %v", result.Error)
	}
	n.all++
	torn := value.TotalLines != rewrittenSize/lineSize || len(value.Lines) != value.TotalLines
	for _, line := range value.Lines {
		torn = torn || line.Text[0] != value.Lines[0].Text[0]
	}
	if torn {
		n.torn++
	}
	if value.Unstable {
		return nil
	}
	n.stable++
	if torn {
		n.stableTorn++
	}
	return nil
}

// pass is one pass of the text through the provider.
func (n *reads) pass(ctx context.Context, disk vfs.Provider) error {
	file, err := target(ctx, disk, leaf)
	if err != nil {
		return err
	}
	text, err := vfs.StreamText(ctx, disk, file)
	if err != nil {
		return err
	}
	defer text.Close()
	var all []byte
	for {
		chunk, err := text.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		all = append(all, chunk...)
	}
	torn := len(all) == 0 || !bytes.Equal(all, letters(all[0]))
	n.passes++
	if torn {
		n.passesTorn++
	}
	if text.Proof() == vfs.Proven {
		n.proven++
		if torn {
			n.provenTorn++
		}
	}
	return nil
}

// lineSize is the size of one line of the file, with its end.
const lineSize = 1024

func letters(one byte) []byte {
	line := append(bytes.Repeat([]byte{one}, lineSize-1), '\n')
	return bytes.Repeat(line, rewrittenSize/lineSize)
}

// rewriteForEver is the role of a process that rewrites the file in place: base, and
// whether it opens it each time or keeps it open.
func rewriteForEver(args []string) error {
	path := placeAt(args[0]).file(leaf)
	kept, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if args[1] == "open-write-close" {
		if err := kept.Close(); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	contents := [2][]byte{letters('a'), letters('b')}
	for i := 1; ; i++ {
		f := kept
		if args[1] == "open-write-close" {
			if f, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
				return err
			}
		}
		if _, err := f.WriteAt(contents[i%2], 0); err != nil {
			return err
		}
		if f != kept {
			if err := f.Close(); err != nil {
				return err
			}
			// Without a pause there is hardly a moment in which nobody has it open, and
			// a pass could begin that can be proven.
			time.Sleep(rand.N(4 * time.Millisecond))
		}
	}
}
