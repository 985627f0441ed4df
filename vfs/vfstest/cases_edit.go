package vfstest

import (
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

func editCases() []Case {
	return []Case{
		{Name: "byte-for-byte", Rule: "an edit changes the bytes that it matched and no other: mixed line endings and all", run: editExact},
		{Name: "mark-kept", Rule: "an edit keeps the byte order mark", run: editMark},
		{Name: "encoding", Rule: "an edit of a file in UTF-16 changes the units that it matched and no other byte", run: editEncoding},
		{Name: "line-endings", Rule: "CRLF and LF match each other, and text put in takes the ending of where it goes", run: editEndings},
		{Name: "literal", Rule: "nothing in the strings of an edit is a pattern or a placeholder", run: editLiteral},
		{Name: "ambiguous", Rule: "a match in several places, overlapping ones too, is FS_AMBIGUOUS_EDIT with their number, unless all are to be replaced", run: editAmbiguous},
		{Name: "no-match", Rule: "no match, nothing to match and nothing to change are FS_EDIT_NOT_FOUND", run: editNotFound},
		{Name: "not-text", Rule: "an edit of what is no text, to its very end, is FS_NOT_TEXT and changes nothing", run: editNotText},
		{Name: "outcome", Rule: "an edit says what it did, and its version authorises the next", run: editOutcome},
	}
}

func (c *check) edit(t vfs.Target, e vfs.Edit, o vfs.EditOptions) (vfs.EditOutcome, error) {
	return vfs.EditText(c.Context(), c.Provider, t, e, o)
}

// edited demands what an edit makes of a content.
func (c *check) edited(before string, e vfs.Edit, want string) {
	c.Helper()
	t := c.seed("f", before)
	if _, err := c.edit(t, e, vfs.EditOptions{}); err != nil {
		c.Errorf("editing %.60q: %v", before, err)
		return
	}
	c.holds(t, want)
}

func editExact(c *check) {
	crlf := strings.Repeat("line\r\n", 2000)
	for _, frame := range []string{"a\r\n%\nc\rd", "\n\n%\r\n", "%", "no end %", "  %  \t\r\n", strings.Repeat("line\n", 2000) + "%\r\n" + crlf, crlf + "%\n"} {
		with := func(s string) string { return strings.Replace(frame, "%", s, 1) }
		c.edited(with("old words"), vfs.Edit{Old: "old", New: "NEW"}, with("NEW words"))
		c.edited(with("old words"), vfs.Edit{Old: "old ", New: ""}, with("words"))
	}
}

func editMark(c *check) {
	c.edited("\ufeffx = 1\r\n", vfs.Edit{Old: "x = 1", New: "x = 2"}, "\ufeffx = 2\r\n")
	c.edited("\ufeffx\n", vfs.Edit{Old: "x\n", New: "y\nz\n"}, "\ufeffy\nz\n")
}

func editEncoding(c *check) {
	for _, big := range []bool{false, true} {
		for _, text := range []string{"one é😀\r\ntwo\nthree", "ő one", "\ufeffone"} {
			c.edited(inUTF16(text, big), vfs.Edit{Old: "one", New: "1 ű😀"}, inUTF16(strings.Replace(text, "one", "1 ű😀", 1), big))
		}
	}
}

func editEndings(c *check) {
	c.edited("a\r\nb\r\nc\n", vfs.Edit{Old: "a\nb", New: "x\ny\nz"}, "x\r\ny\r\nz\r\nc\n")
	c.edited("a\nb\nc\r\n", vfs.Edit{Old: "a\r\nb", New: "x\r\ny"}, "x\ny\nc\r\n")
	c.edited("a\r\nb\r\n", vfs.Edit{Old: "b", New: "b\nc"}, "a\r\nb\r\nc\r\n")
}

func editLiteral(c *check) {
	for _, s := range []string{`$1`, `\n`, `%s%d`, `.*`, `(?i)[a-z]+`, `${0}`, "`", `a\`} {
		c.edited("<"+s+">\n", vfs.Edit{Old: s, New: "x"}, "<x>\n")
		c.edited("<x>\n", vfs.Edit{Old: "x", New: s}, "<"+s+">\n")
	}
}

func editAmbiguous(c *check) {
	for _, tt := range []struct{ before, old, count, all string }{
		{"one two one", "one", "2", "X two X"},
		{"aaa", "aa", "2", "Xa"},
		{"a\r\na\na", "a", "3", "X\r\nX\nX"},
	} {
		t := c.seed("f", tt.before)
		_, err := c.edit(t, vfs.Edit{Old: tt.old, New: "X"}, vfs.EditOptions{})
		c.fails("EditText", err, vfs.CodeAmbiguousEdit)
		if err != nil && !strings.Contains(err.Error(), tt.count+" times") {
			c.Errorf("%q does not tell that there are %s places", err, tt.count)
		}
		c.holds(t, tt.before)
		c.edited(tt.before, vfs.Edit{Old: tt.old, New: "X", ReplaceAll: true}, tt.all)
	}
}

func editNotFound(c *check) {
	t := c.seed("f", "a\r\nb")
	for _, e := range []vfs.Edit{{Old: "c", New: "x"}, {Old: "A", New: "x"}, {Old: "a b", New: "x"}, {Old: "", New: "x"}, {Old: "a", New: "a"}, {Old: "a\nb", New: "a\r\nb"}} {
		_, err := c.edit(t, e, vfs.EditOptions{})
		c.fails("EditText of "+e.Old, err, vfs.CodeEditNotFound)
	}
	c.holds(t, "a\r\nb")
}

func editNotText(c *check) {
	far := "a" + strings.Repeat(" ", 50<<10)
	for _, content := range []string{"a\x00", "a\xff", far + "\x00", far + "\xe9", "a\xf0\x9f\x98"} {
		t := c.seed("f", content)
		_, err := c.edit(t, vfs.Edit{Old: "a", New: "b"}, vfs.EditOptions{})
		c.fails("EditText", err, vfs.CodeNotText)
		c.holds(t, content)
	}
}

func editOutcome(c *check) {
	t := c.seed("f", "\ufeffone\r\ntwo\r\n")
	out, err := c.edit(t, vfs.Edit{Old: "o", New: "0", ReplaceAll: true}, vfs.EditOptions{If: c.version(t)})
	if err != nil || out.Before != "one\ntwo\n" || out.After != "0ne\ntw0\n" || out.Count != 2 || out.Info.Version != c.version(t) {
		c.Errorf("EditText gives %+v, %v", out, err)
	}
	if _, err := c.edit(t, vfs.Edit{Old: "0ne", New: "1"}, vfs.EditOptions{If: out.Info.Version}); err != nil {
		c.Errorf("the version of the last edit is refused: %v", err)
	}
	c.holds(t, "\ufeff1\r\ntw0\r\n")
}
