package vfstest

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolfs/toolfs/vfs"
)

func wrapCases() []Case {
	return []Case{
		{Name: "sealed", Rule: "what confines has no Unwrap to what does not", Needs: []Trait{Confined, Outsiders}, run: wrapSealed},
		{Name: "same-by-composition", Rule: "what the provider does itself has the outcome of the helper functions over the five methods", run: wrapComposed},
		{Name: "contains", Rule: "a directory contains itself and what lies below it, by whole names", run: wrapContains},
		{Name: "process-path", Rule: "the path for other processes, and its URL, lead them to the file", Needs: []Trait{Paths, Outsiders}, run: wrapProcessPath},
		{Name: "exclusive", Rule: "while one holds a target, no other mutation of it takes place", Needs: []Trait{Sections}, run: wrapExclusive},
		{Name: "exclusive-is-whole", Rule: "what is held is the whole provider: it reads, lists, and changes other targets", Needs: []Trait{Sections}, run: wrapHeld},
	}
}

func wrapSealed(c *check) {
	secret := c.plantSecret()
	inner := c.Provider
	for {
		u, ok := inner.(vfs.Unwrapper)
		if !ok {
			break
		}
		inner = u.Unwrap()
		if t, err := inner.Resolve(c.Context(), "", secret); err == nil {
			if got, err := content(c.Context(), inner, t); err == nil {
				c.Errorf("Unwrap gives a provider that reads %q", got)
			}
		}
	}
}

// five hides every capability of a provider.
type five struct{ vfs.Provider }

// outcome is the result of one call in words, without the name of the file.
func outcome(t vfs.Target, values ...any) string {
	return strings.ReplaceAll(fmt.Sprintf("%+v", values), vfs.QuotePath(t.Path), "PATH")
}

func wrapComposed(c *check) {
	texts := []string{"", "one two\r\none\n", "\ufeffone\r\n", "one\x00", "one\xff", "aaa\n"}
	edits := []vfs.Edit{{Old: "one", New: "1"}, {Old: "one", New: "1", ReplaceAll: true}, {Old: "one\n", New: "1\n2\n"}, {Old: "aa", New: "b", ReplaceAll: true}, {Old: "", New: "x"}}
	for i, text := range texts {
		var got [2][]string
		for j, p := range []vfs.Provider{c.Provider, five{c.Provider}} {
			t := c.target(fmt.Sprintf("f%d%d", i, j))
			say := func(values ...any) { got[j] = append(got[j], outcome(t, values...)) }
			c.put(t, text)
			read, info, err := vfs.ReadText(c.Context(), p, t)
			say("read", read, info.Version, info.Size, err)
			for _, e := range edits {
				c.put(t, text)
				out, err := vfs.EditText(c.Context(), p, t, e, vfs.EditOptions{})
				say("edit", e, out.Before, out.After, out.Count, out.Info.Version, err)
			}
			for _, o := range []vfs.WriteOptions{{}, {DiffBasisMaxBytes: 4}, {If: vfs.IfAbsent()}, {If: vfs.IfVersion("other")}} {
				c.put(t, text)
				out, err := vfs.WriteText(c.Context(), p, t, "one\r\n", o)
				say("write", o.If, out.Operation, basis(out), out.After, out.Unchanged, out.Info.Version, err)
			}
		}
		for k := range got[0] {
			if got[0][k] != got[1][k] {
				c.Errorf("%q: the provider itself gives\n%s\nthe helper functions give\n%s", text, got[0][k], got[1][k])
			}
		}
	}
}

func basis(out vfs.WriteOutcome) string {
	if out.Before == nil {
		return "none"
	}
	return *out.Before
}

func wrapContains(c *check) {
	c.seed("d/e/f", "x")
	c.seed("de/f", "x")
	for _, tt := range []struct {
		parent, child string
		want          bool
	}{
		{".", ".", true}, {".", "d/e/f", true}, {"d", "d", true}, {"d", "d/e", true}, {"d", "d/e/f", true}, {"d", "d/missing", true},
		{"d", "de", false}, {"d", "de/f", false}, {"d/e", "d", false}, {"d", ".", false}, {"d/e/f", "d/e", false},
	} {
		if got := vfs.Contains(c.Provider, c.target(tt.parent), c.target(tt.child)); got != tt.want {
			c.Errorf("%q contains %q: %t", tt.parent, tt.child, got)
		}
	}
}

func wrapProcessPath(c *check) {
	for _, name := range []string{"f", "d/a b#c%41?d"} {
		t := c.seed(name, "in "+name)
		path, err := vfs.ProcessPath(c.Provider, t)
		if err != nil || !filepath.IsAbs(path) {
			c.Errorf("the path of %q is %q, %v", name, path, err)
			continue
		}
		c.stored(path, "in "+name)
		raw, err := vfs.FileURL(c.Provider, t)
		if err != nil {
			c.Errorf("FileURL: %v", err)
			continue
		}
		if u, err := url.Parse(raw); err != nil || u.Scheme != "file" || u.RawQuery != "" || u.Fragment != "" || !strings.HasSuffix(u.Path, filepath.ToSlash(path)) {
			c.Errorf("the URL of %q is %q, %v", path, raw, err)
		}
	}
}

func wrapExclusive(c *check) {
	t := c.seed("f", "start")
	x, _ := vfs.As[vfs.Exclusive](c.Provider)
	held, release, err := x.Exclusive(c.Context(), t)
	if err != nil {
		c.Fatalf("Exclusive: %v", err)
	}
	var free atomic.Bool
	var ready, done sync.WaitGroup
	for range 4 {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			for first := true; first || !free.Load(); first = false { // the first one waits
				if _, err := c.putIf(t, "theirs", vfs.Condition{}); err != nil {
					c.Errorf("Put of one who waited: %v", err)
					return
				}
			}
		})
	}
	ready.Wait()
	for i := range 40 {
		mine := fmt.Sprintf("mine %d", i)
		if _, err := held.Put(c.Context(), t, []byte(mine), vfs.PutOptions{}); err != nil {
			c.Errorf("Put of the holder: %v", err)
		}
		runtime.Gosched()
		if got, err := content(c.Context(), held, t); err != nil || got != mine {
			c.Errorf("the holder wrote %q and finds %q, %v", mine, got, err)
			break
		}
	}
	free.Store(true)
	release()
	done.Wait()
	c.holds(t, "theirs")
}

func wrapHeld(c *check) {
	t, other := c.seed("d/f", "x"), c.target("d/other")
	x, _ := vfs.As[vfs.Exclusive](c.Provider)
	held, release, err := x.Exclusive(c.Context(), t)
	if err != nil {
		c.Fatalf("Exclusive: %v", err)
	}
	again, err := held.Resolve(c.Context(), c.Root, "d/f")
	if err != nil || again != t {
		c.Errorf("what is held resolves to %+v, %v, not %+v", again, err, t)
	}
	if _, err := held.Stat(c.Context(), t); err != nil {
		c.Errorf("Stat: %v", err)
	}
	if _, err := held.Put(c.Context(), other, []byte("y"), vfs.PutOptions{If: vfs.IfAbsent()}); err != nil {
		c.Errorf("Put of another target: %v", err)
	}
	if entries, err := vfs.ListDir(c.Context(), held, c.target("d")); err != nil || len(entries) != 2 {
		c.Errorf("ReadDir gives %v, %v", entries, err)
	}
	if _, err := held.Put(c.Context(), t, []byte("mine"), vfs.PutOptions{If: vfs.IfVersion("other")}); vfs.CodeOf(err) != vfs.CodeStaleVersion {
		c.Errorf("what is held ignores the condition: %v", err)
	}
	release()
	c.holds(t, "x")
	c.holds(other, "y")
}
