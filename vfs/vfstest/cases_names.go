package vfstest

import (
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func nameCases() []Case {
	return []Case{
		{Name: "plain", Rule: "a name is kept as it is, whatever it means elsewhere", run: namesPlain},
		{Name: "any-bytes", Rule: "a name is a string of bytes: control characters and what is no UTF-8 too", Needs: []Trait{ByteNames}, run: namesBytes},
		{Name: "no-folding", Rule: "two Unicode spellings of one word are two names", Needs: []Trait{ByteNames}, run: namesForms},
		{Name: "case", Rule: "upper and lower case are different names", Needs: []Trait{CaseSensitive}, run: namesCase},
		{Name: "long", Rule: "a name of 255 bytes works as any other", run: namesLong},
		{Name: "nul", Rule: "a name with a NUL byte is refused, and not cut there", run: namesNUL},
	}
}

// roundTrip makes a file of each name in one directory, and demands each back.
func (c *check) roundTrip(names ...string) {
	c.Helper()
	c.seed("d/first", "in first")
	want := map[string]vfs.Type{"first": vfs.TypeFile}
	for _, name := range names {
		t, err := c.Provider.Resolve(c.Context(), c.path("d"), "./"+name)
		if err != nil {
			c.Errorf("Resolve %q: %v", name, err)
			continue
		}
		if _, err := c.putIf(t, "in "+name, vfs.IfAbsent()); err != nil {
			c.Errorf("Put %q: %v", name, err)
			continue
		}
		want[name] = vfs.TypeFile
	}
	c.listed(c.target("d"), want)
	for name := range want {
		if got, err := content(c.Context(), c.Provider, c.target("d/"+name)); err != nil || got != "in "+name {
			c.Errorf("%q holds %q, %v", name, got, err)
		}
	}
}

func namesPlain(c *check) {
	c.roundTrip("a b", " lead", "trail ", "-rf", "~", "$HOME", "%2e%2e", "%41", "A%20b", "q?x=1#y", "[a]*{b}", "a..b", "...", "..x", ".hidden",
		`back\slash`, `"quoted'`, "a:b", "CON", "nul.txt", "é", "日本語", "😀", "a\u00a0b", "trailing.", "new.tmp", "f~", ".f.swp", "#f#")
}

func namesBytes(c *check) {
	c.roundTrip("latin1-\xe9", "\xff\xfe", "cut-\xf0\x9f", "new\nline", "tab\there", "esc\x1b[2J", "\x7f", "bidi\u202e", "\u2028", "bell\a")
}

func namesForms(c *check) {
	composed, decomposed := c.seed("caf\u00e9", "composed"), c.seed("cafe\u0301", "decomposed")
	if composed.Key == decomposed.Key {
		c.Errorf("both have the key %q", composed.Key)
	}
	c.holds(composed, "composed")
	c.holds(decomposed, "decomposed")
}

func namesCase(c *check) {
	upper, lower := c.seed("Name", "upper"), c.seed("name", "lower")
	if upper.Key == lower.Key {
		c.Errorf("both have the key %q", upper.Key)
	}
	c.holds(upper, "upper")
	c.holds(lower, "lower")
}

func namesLong(c *check) {
	name := strings.Repeat("x", 255)
	t := c.seed(name, "old")
	if _, err := c.putIf(t, "new", vfs.IfVersion(c.version(t))); err != nil {
		c.Errorf("Put: %v", err)
	}
	c.holds(t, "new")
	c.listed(c.target("."), map[string]vfs.Type{name: vfs.TypeFile})
}

func namesNUL(c *check) {
	t, err := c.Provider.Resolve(c.Context(), c.Root, "a\x00b")
	if err == nil {
		_, err = c.putIf(t, "x", vfs.Condition{})
	}
	c.fails("a name with NUL", err, vfs.CodeIOError, vfs.CodeNotFound)
	c.listed(c.target("."), nil)
}
