package vfstest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolfs/toolfs/vfs"
)

func putRaceCases() []Case {
	processes := []Trait{Processes}
	return []Case{
		{Name: "whole-or-nothing", Rule: "a reader sees the old content or the new, never a part or a mixture", run: putWhole},
		{Name: "one-creator", Rule: "of many IfAbsent at once one creates the file; the others are FS_NOT_OBSERVED", run: putOneCreator},
		{Name: "one-replacer", Rule: "of many IfVersion at once one replaces the version; the others are FS_STALE_VERSION", run: putOneReplacer},
		{Name: "increments", Rule: "guarded changes of many are all kept: as many as were acknowledged, each once", run: putIncrements},
		{Name: "one-tree", Rule: "many may make the same missing directories at once", run: putOneTree},
		{Name: "one-creator-of-processes", Rule: "of many processes that create a file at once one succeeds; the others are FS_NOT_OBSERVED", Needs: processes, run: putOneCreatorOfProcesses},
		{Name: "increments-of-processes", Rule: "guarded changes of many processes are all kept, each once", Needs: processes, run: putIncrementsOfProcesses},
	}
}

func putWhole(c *check) {
	versions := [2]string{strings.Repeat("a", 40<<10), strings.Repeat("b", 50<<10)}
	t := c.seed("f", versions[0])
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer stop.Store(true)
		for i := range 40 {
			if _, err := c.putIf(t, versions[i%2], vfs.Condition{}); err != nil {
				c.Errorf("Put: %v", err)
				return
			}
		}
	})
	p := c.rival()
	for !stop.Load() {
		if got, err := content(c.Context(), p, t); err != nil || got != versions[0] && got != versions[1] {
			c.Errorf("a reader sees %d bytes that are neither version (%v)", len(got), err)
			break
		}
	}
	wg.Wait()
}

// race runs n goroutines at once over one provider, and counts the codes with which
// they end.
func (c *check) race(n int, f func(i int, p vfs.Provider) error) map[vfs.Code]int {
	return c.raceOver(n, func() vfs.Provider { return c.Provider }, f)
}

// processes is a race in which each has a provider of its own, as a process has.
func (c *check) processes(n int, f func(i int, p vfs.Provider) error) map[vfs.Code]int {
	return c.raceOver(n, c.Again, f)
}

func (c *check) raceOver(n int, provider func() vfs.Provider, f func(i int, p vfs.Provider) error) map[vfs.Code]int {
	ended := map[vfs.Code]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		p := provider()
		wg.Go(func() {
			<-start
			err := f(i, p)
			mu.Lock()
			defer mu.Unlock()
			if code := vfs.CodeOf(err); code != "" || err == nil {
				ended[code]++
			} else {
				ended[vfs.Code(err.Error())]++
			}
		})
	}
	close(start)
	wg.Wait()
	return ended
}

// oneWins demands that one of n succeeded and that all others met the code.
func (c *check) oneWins(n int, ended map[vfs.Code]int, loses vfs.Code) {
	c.Helper()
	if ended[""] != 1 || ended[loses] != n-1 {
		c.Errorf("%d at once ended with %v, want one success and %d times %s", n, ended, n-1, loses)
	}
}

func putOneCreator(c *check)            { c.creators(c.race) }
func putOneCreatorOfProcesses(c *check) { c.creators(c.processes) }

func (c *check) creators(race func(int, func(int, vfs.Provider) error) map[vfs.Code]int) {
	const n = 8
	for round := range 8 {
		t := c.target(fmt.Sprintf("d%d/f", round))
		c.oneWins(n, race(n, func(i int, p vfs.Provider) error {
			_, err := p.Put(c.Context(), t, []byte{byte('0' + i)}, vfs.PutOptions{If: vfs.IfAbsent()})
			return err
		}), vfs.CodeNotObserved)
	}
}

func putOneReplacer(c *check) {
	const n = 8
	t := c.target("f")
	for range 8 {
		c.put(t, "old")
		v := c.version(t)
		c.oneWins(n, c.race(n, func(i int, p vfs.Provider) error {
			_, err := p.Put(c.Context(), t, []byte{byte('0' + i)}, vfs.PutOptions{If: vfs.IfVersion(v)})
			return err
		}), vfs.CodeStaleVersion)
	}
}

func putIncrements(c *check)            { c.increments(c.race) }
func putIncrementsOfProcesses(c *check) { c.increments(c.processes) }

func (c *check) increments(race func(int, func(int, vfs.Provider) error) map[vfs.Code]int) {
	const workers, each = 4, 8
	t := c.seed("f", "0")
	var mu sync.Mutex
	acknowledged := map[int]int{}
	ended := race(workers, func(_ int, p vfs.Provider) error {
		for done := 0; done < each; {
			data, info, err := vfs.ReadBytes(c.Context(), p, t, 100)
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(string(data))
			if err != nil {
				return err
			}
			_, err = p.Put(c.Context(), t, []byte(strconv.Itoa(n+1)), vfs.PutOptions{If: vfs.IfVersion(info.Version)})
			if code := vfs.CodeOf(err); code == vfs.CodeStaleVersion || code == vfs.CodeBusy {
				continue
			}
			if err != nil {
				return err
			}
			done++
			mu.Lock()
			acknowledged[n+1]++
			mu.Unlock()
		}
		return nil
	})
	if ended[""] != workers {
		c.Errorf("the workers ended with %v", ended)
	}
	for n := 1; n <= workers*each; n++ {
		if acknowledged[n] != 1 {
			c.Errorf("the number %d was acknowledged %d times", n, acknowledged[n])
		}
	}
	c.holds(t, strconv.Itoa(workers*each))
}

func putOneTree(c *check) {
	const n = 8
	for round := range 4 {
		dir := fmt.Sprintf("%d/b/c", round)
		ended := c.race(n, func(i int, p vfs.Provider) error {
			t, err := p.Resolve(c.Context(), c.Root, fmt.Sprintf("%s/f%d", dir, i))
			if err == nil {
				_, err = p.Put(c.Context(), t, []byte("x"), vfs.PutOptions{If: vfs.IfAbsent()})
			}
			return err
		})
		if ended[""] != n {
			c.Errorf("%d at once ended with %v", n, ended)
		}
		if got := c.list(c.target(dir)); len(got) != n {
			c.Errorf("%d files were made, %d are there", n, len(got))
		}
	}
}
