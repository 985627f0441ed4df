package vfstest

import (
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func editGuardCases() []Case {
	return []Case{
		{Name: "stale-first", Rule: "the version is checked before anything is matched", run: editStale},
		{Name: "missing", Rule: "an edit of a file that is gone is FS_STALE_VERSION, and makes none", run: editMissing},
		{Name: "directory", Rule: "an edit of a directory is FS_NOT_REGULAR_FILE", run: editDirectory},
		{Name: "all-land", Rule: "unguarded edits of many at once all land", run: editAllLand},
		{Name: "one-winner", Rule: "of many edits guarded by one version one succeeds; the others are FS_STALE_VERSION", run: editOneWinner},
	}
}

func editStale(c *check) {
	t := c.seed("f", "old")
	v := c.version(t)
	c.put(t, "newer newer")
	for _, old := range []string{"absent", "newer", ""} {
		_, err := c.edit(t, vfs.Edit{Old: old, New: "mine"}, vfs.EditOptions{If: v})
		c.fails("EditText", err, vfs.CodeStaleVersion)
	}
	c.holds(t, "newer newer")
}

func editMissing(c *check) {
	v := c.version(c.seed("f", "x"))
	for _, name := range []string{"missing", "missing/f"} {
		for _, o := range []vfs.EditOptions{{}, {If: v}} {
			_, err := c.edit(c.target(name), vfs.Edit{Old: "x", New: "y"}, o)
			c.fails("EditText of "+name, err, vfs.CodeStaleVersion)
		}
		c.gone(c.target(name))
	}
}

func editDirectory(c *check) {
	c.seed("d/f", "x")
	_, err := c.edit(c.target("d"), vfs.Edit{Old: "x", New: "y"}, vfs.EditOptions{})
	c.fails("EditText", err, vfs.CodeNotRegularFile)
}

func editAllLand(c *check) {
	const all = "0123456789ab"
	t := c.seed("f", all)
	ended := c.race(len(all), func(i int, p vfs.Provider) error {
		for {
			_, err := vfs.EditText(c.Context(), p, t, vfs.Edit{Old: all[i : i+1], New: "<" + all[i:i+1] + ">"}, vfs.EditOptions{})
			if vfs.CodeOf(err) != vfs.CodeBusy {
				return err
			}
		}
	})
	if ended[""] != len(all) {
		c.Errorf("%d at once ended with %v", len(all), ended)
	}
	var want strings.Builder
	for _, digit := range all {
		want.WriteString("<" + string(digit) + ">")
	}
	c.holds(t, want.String())
}

func editOneWinner(c *check) {
	const n = 8
	t := c.target("f")
	for range 4 {
		c.put(t, "old")
		v := c.version(t)
		c.oneWins(n, c.race(n, func(i int, p vfs.Provider) error {
			_, err := vfs.EditText(c.Context(), p, t, vfs.Edit{Old: "old", New: string(rune('0' + i))}, vfs.EditOptions{If: v})
			return err
		}), vfs.CodeStaleVersion)
	}
}
