package vfstest

import (
	"github.com/toolfs/toolfs/vfs"
)

func writeTextCases() []Case {
	return []Case{
		{Name: "write-exact", Rule: "WriteText writes the bytes as given: no line ending, blank or newline is added or changed", run: writeExact},
		{Name: "write-keeps-the-mark", Rule: "a byte order mark of the file that is replaced is kept, and never doubled", run: writeMark},
		{Name: "write-keeps-the-encoding", Rule: "a file in UTF-16 is replaced in UTF-16; where the old encoding is not known, that is said", run: writeEncoding},
		{Name: "write-outcome", Rule: "WriteText says what it did, with both texts as a person sees them", run: writeOutcome},
		{Name: "write-unchanged", Rule: "writing what a file holds already publishes nothing, and says so", run: writeUnchanged},
		{Name: "write-conditions", Rule: "WriteText honours its condition", run: writeConditions},
		{Name: "write-one-winner", Rule: "of many guarded writes at once one succeeds; the others are FS_STALE_VERSION", run: writeOneWinner},
	}
}

func (c *check) write(t vfs.Target, text string, o vfs.WriteOptions) (vfs.WriteOutcome, error) {
	return vfs.WriteText(c.Context(), c.Provider, t, text, o)
}

func writeExact(c *check) {
	for _, text := range []string{"a\r\nb\nc\rd", "", "no end", "  \t\n \n", "é😀", "x\x00y"} {
		for _, before := range []string{"", "LF\n", "CRLF\r\nCRLF\r\n"} {
			t := c.seed("f", before)
			if _, err := c.write(t, text, vfs.WriteOptions{}); err != nil {
				c.Errorf("WriteText: %v", err)
				continue
			}
			c.holds(t, text)
		}
	}
}

func writeMark(c *check) {
	for _, text := range []string{"new\r\n", "\ufeffnew\r\n"} {
		t := c.seed("f", "\ufeffold")
		if _, err := c.write(t, text, vfs.WriteOptions{}); err != nil {
			c.Errorf("WriteText: %v", err)
			continue
		}
		c.holds(t, "\ufeffnew\r\n")
	}
	t := c.seed("f", "old")
	if _, err := c.write(t, "\ufeffnew", vfs.WriteOptions{}); err != nil {
		c.Errorf("WriteText: %v", err)
	}
	c.holds(t, "\ufeffnew")
}

func writeEncoding(c *check) {
	for _, big := range []bool{false, true} {
		t := c.seed("f", inUTF16("old\r\n", big))
		out, err := c.write(t, "new é😀\r\n", vfs.WriteOptions{})
		if err != nil || out.EncodingChanged || out.Before == nil || *out.Before != "old\n" {
			c.Errorf("WriteText gives %+v, %v", out, err)
		}
		c.holds(t, inUTF16("new é😀\r\n", big))
	}
	t := c.seed("f", "caf\xe9")
	if out, err := c.write(t, "café", vfs.WriteOptions{}); err != nil || !out.EncodingChanged {
		c.Errorf("WriteText over what is no text that is known gives %+v, %v", out, err)
	}
	c.holds(t, "café")
}

func writeOutcome(c *check) {
	t := c.target("f")
	out, err := c.write(t, "\ufeffone\r\n", vfs.WriteOptions{})
	if err != nil || out.Operation != vfs.Created || out.Before != nil || out.After != "one\n" || out.Info.Version != c.version(t) {
		c.Errorf("creating gives %+v, %v", out, err)
	}
	out, err = c.write(t, "two\r\n", vfs.WriteOptions{})
	if err != nil || out.Operation != vfs.Updated || out.Before == nil || *out.Before != "one\n" || out.After != "two\n" ||
		out.Info.Version != c.version(t) || out.Unchanged {
		c.Errorf("replacing gives %+v, %v", out, err)
	}
	out, err = c.write(c.seed("f", "no text \x00"), "three", vfs.WriteOptions{})
	if err != nil || out.Operation != vfs.Updated || out.Before != nil || out.After != "three" {
		c.Errorf("replacing what is no text gives %+v, %v", out, err)
	}
}

func writeUnchanged(c *check) {
	t := c.seed("f", "same\r\n")
	v := c.version(t)
	for _, cond := range []vfs.Condition{{}, vfs.IfVersion(v)} {
		out, err := c.write(t, "same\r\n", vfs.WriteOptions{If: cond})
		if err != nil || !out.Unchanged || out.Operation != vfs.Updated || out.Info.Version != v {
			c.Errorf("%s: WriteText gives %+v, %v", cond, out, err)
		}
	}
	c.holds(t, "same\r\n")
}

func writeConditions(c *check) {
	t := c.seed("f", "old")
	v := c.version(t)
	c.put(t, "newer")
	missing := c.target("missing")
	for _, tt := range []struct {
		t    vfs.Target
		cond vfs.Condition
		code vfs.Code
	}{
		{t, vfs.IfAbsent(), vfs.CodeNotObserved},
		{t, vfs.IfVersion(v), vfs.CodeStaleVersion},
		{t, vfs.IfVersion(vfs.UnguardedVersion(5)), vfs.CodeTooLarge},
		{missing, vfs.IfVersion(v), vfs.CodeStaleVersion},
		{c.target("."), vfs.Condition{}, vfs.CodeNotRegularFile},
	} {
		_, err := c.write(tt.t, "mine", vfs.WriteOptions{If: tt.cond})
		c.fails("WriteText, "+tt.cond.String(), err, tt.code)
	}
	c.holds(t, "newer")
	c.gone(missing)
	if _, err := c.write(missing, "made", vfs.WriteOptions{If: vfs.IfAbsent()}); err != nil {
		c.Errorf("IfAbsent: %v", err)
	}
	if _, err := c.write(t, "mine", vfs.WriteOptions{If: vfs.IfVersion(c.version(t))}); err != nil {
		c.Errorf("IfVersion: %v", err)
	}
	c.holds(t, "mine")
}

func writeOneWinner(c *check) {
	const n = 8
	t := c.target("f")
	for range 4 {
		c.put(t, "old")
		v := c.version(t)
		c.oneWins(n, c.race(n, func(i int, p vfs.Provider) error {
			_, err := vfs.WriteText(c.Context(), p, t, string(rune('0'+i)), vfs.WriteOptions{If: vfs.IfVersion(v)})
			return err
		}), vfs.CodeStaleVersion)
	}
}
