package vfstest

import (
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/toolfs/toolfs/vfs"
)

func readTextCases() []Case {
	return []Case{
		{Name: "as-it-is", Rule: "text is given as it is: line endings, blanks and the end without a newline", run: textAsItIs},
		{Name: "mark-hidden", Rule: "one byte order mark at the start is no part of the text, another is", run: textMark},
		{Name: "not-text", Rule: "NUL in the first 8192 bytes, or bytes that are no UTF-8 anywhere, are FS_NOT_TEXT", run: textNot},
		{Name: "streamed", Rule: "the streamed text is the whole text, and no chunk ends inside a character", run: textStreamed},
		{Name: "encoding", Rule: "UTF-16 with a byte order mark is text, and a reader is told that it is that", run: textEncoding},
		{Name: "read-version", Rule: "every way to read a file tells the same version of it", run: textVersions},
		{Name: "byte-limit", Rule: "ReadBytes gives a file of exactly the limit; one byte more is FS_TOO_LARGE", run: textLimit},
	}
}

// stream reads text by chunks.
func (c *check) stream(t vfs.Target) (string, vfs.Info, error) {
	r, err := vfs.StreamText(c.Context(), c.Provider, t)
	if err != nil {
		return "", vfs.Info{}, err
	}
	defer r.Close()
	var text strings.Builder
	for {
		chunk, err := r.Next(c.Context())
		if err == io.EOF {
			return text.String(), r.Info(), nil
		}
		if err != nil {
			return "", vfs.Info{}, err
		}
		if valid := strings.ToValidUTF8(string(chunk), "") == string(chunk); !valid {
			c.Errorf("a chunk of %d bytes ends inside a character", len(chunk))
		}
		text.Write(chunk)
	}
}

// text demands what ReadText and StreamText give.
func (c *check) text(t vfs.Target, want string) {
	c.Helper()
	if got, _, err := vfs.ReadText(c.Context(), c.Provider, t); err != nil || got != want {
		c.Errorf("ReadText gives %.60q, %v, want %.60q", got, err, want)
	}
	if got, _, err := c.stream(t); err != nil || got != want {
		c.Errorf("StreamText gives %.60q, %v, want %.60q", got, err, want)
	}
}

func textAsItIs(c *check) {
	for _, text := range []string{"", "a", "a\r\nb\nc\rd", "\n\n", "no end", " \t", "é😀\u2028", "NUL far away" + strings.Repeat(" ", 9000) + "\x00"} {
		c.text(c.seed("f", text), text)
	}
}

func textMark(c *check) {
	c.text(c.seed("f", "\ufeffa\r\n"), "a\r\n")
	c.text(c.seed("f", "\ufeff\ufeffa"), "\ufeffa")
	c.text(c.seed("f", "a\ufeff"), "a\ufeff")
	c.text(c.seed("f", "\ufeff"), "")
}

func textNot(c *check) {
	far := strings.Repeat("x", 270<<10)
	for _, content := range []string{"\x00", "a\x00b", "\xff", "a\xc0\x80", "\xed\xa0\x80", "cut \xf0\x9f\x98", far + "\xff"} {
		t := c.seed("f", content)
		_, _, err := vfs.ReadText(c.Context(), c.Provider, t)
		c.fails("ReadText", err, vfs.CodeNotText)
		_, _, err = c.stream(t)
		c.fails("StreamText", err, vfs.CodeNotText)
	}
}

func textStreamed(c *check) {
	text := strings.Repeat("é😀x", 40_000)
	c.text(c.seed("f", text), text)
	c.text(c.seed("f", "x"+text), "x"+text)
}

// inUTF16 is text in UTF-16 with a byte order mark, in either order of bytes.
func inUTF16(text string, big bool) string {
	var raw []byte
	order := binary.AppendByteOrder(binary.LittleEndian)
	if big {
		order = binary.BigEndian
	}
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		raw = order.AppendUint16(raw, unit)
	}
	return string(raw)
}

func textEncoding(c *check) {
	text := "é😀 one\r\n" + strings.Repeat("x", 140_000)
	for encoding, big := range map[string]bool{"utf-16le": false, "utf-16be": true} {
		raw := inUTF16(text, big)
		t := c.seed("f", raw)
		c.text(t, text)
		got, info, err := vfs.ReadText(c.Context(), c.Provider, t)
		if err != nil || got != text || info.Encoding != encoding || info.Version != c.version(t) {
			c.Errorf("ReadText of %s gives %.30q, %+v, %v", encoding, got, info, err)
		}
	}
	if _, info, err := vfs.ReadText(c.Context(), c.Provider, c.seed("f", "\ufeffa")); err != nil || info.Encoding != "" {
		c.Errorf("ReadText of UTF-8 gives %+v, %v", info, err)
	}
}

func textVersions(c *check) {
	for _, text := range []string{"a\r\n", "\ufeffa", "", strings.Repeat("x", 270<<10)} {
		t := c.seed("f", text)
		want := c.version(t)
		_, whole, err := vfs.ReadText(c.Context(), c.Provider, t)
		if err != nil || whole.Version != want {
			c.Errorf("ReadText tells %q, %v; ReadBytes tells %q", whole.Version, err, want)
		}
		if _, streamed, err := c.stream(t); err != nil || streamed.Version != want {
			c.Errorf("StreamText tells %q, %v; ReadBytes tells %q", streamed.Version, err, want)
		}
	}
}

func textLimit(c *check) {
	t := c.seed("f", "\x00\xff34")
	if data, _, err := vfs.ReadBytes(c.Context(), c.Provider, t, 4); err != nil || string(data) != "\x00\xff34" {
		c.Errorf("ReadBytes up to 4 of 4 bytes gives %q, %v", data, err)
	}
	_, _, err := vfs.ReadBytes(c.Context(), c.Provider, t, 3)
	c.fails("ReadBytes up to 3 of 4 bytes", err, vfs.CodeTooLarge)
}
