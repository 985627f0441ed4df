package vfstest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolfs/toolfs/vfs"
)

func errorCases() []Case {
	return []Case{
		{Name: "coded", Rule: "every failure is an *Error with a code of the closed set", run: errorsCoded},
		{Name: "texts", Rule: "the failures that a model meets read as the contract says", run: errorsTexts},
		{Name: "no-inner-path", Rule: "an error shows the path that was asked for, and no other", Needs: []Trait{Links}, run: errorsInner},
		{Name: "unforgeable", Rule: "no name forges a line or steers a terminal from an error", Needs: []Trait{ByteNames}, run: errorsForged},
	}
}

func codes() []vfs.Code {
	return []vfs.Code{vfs.CodeNotFound, vfs.CodeNotDirectory, vfs.CodeNotText, vfs.CodeNotRegularFile, vfs.CodeTooLarge, vfs.CodePermissionDenied,
		vfs.CodeSandboxDenied, vfs.CodeIOError, vfs.CodeStaleVersion, vfs.CodeNotObserved, vfs.CodeAmbiguousEdit, vfs.CodeEditNotFound,
		vfs.CodeAborted, vfs.CodeBusy}
}

// failures does with a target what a missing file, a directory or a file refuses, by
// what was tried.
func (c *check) failures(missing, dir, file vfs.Target) map[string]error {
	p, ctx := c.Provider, c.Context()
	did := map[string]error{}
	_, did["stat missing"] = p.Stat(ctx, missing)
	_, did["open missing"] = content(ctx, p, missing)
	_, did["open directory"] = content(ctx, p, dir)
	_, did["list missing"] = vfs.ListDir(ctx, p, missing)
	_, did["list file"] = vfs.ListDir(ctx, p, file)
	_, did["put directory"] = c.putIf(dir, "x", vfs.Condition{})
	_, did["put existing"] = c.putIf(file, "x", vfs.IfAbsent())
	_, did["put stale"] = c.putIf(file, "x", vfs.IfVersion("other"))
	_, did["put gone"] = c.putIf(missing, "x", vfs.IfVersion(vfs.VersionOf(nil)))
	_, did["put unverifiable"] = c.putIf(file, "x", vfs.IfVersion(vfs.UnguardedVersion(1)))
	_, did["edit directory"] = vfs.EditText(ctx, p, dir, vfs.Edit{Old: "a", New: "b"}, vfs.EditOptions{})
	_, did["write directory"] = vfs.WriteText(ctx, p, dir, "x", vfs.WriteOptions{})
	return did
}

func errorsCoded(c *check) {
	c.seed("d/f", "x")
	did := c.failures(c.target("missing"), c.target("d"), c.seed("f", "x"))
	for _, name := range []string{"", "f/x", "f/", "a\x00b", strings.Repeat("x", 5000), strings.Repeat("x/", 5000) + "x"} {
		t, err := c.Provider.Resolve(c.Context(), c.Root, name)
		if err == nil {
			_, err = c.Provider.Stat(c.Context(), t)
		}
		did[fmt.Sprintf("resolve %.9q", name)] = err
	}
	for what, err := range did {
		e, ok := err.(*vfs.Error)
		if !ok {
			c.Errorf("%s: %T (%v) is no *vfs.Error", what, err, err)
		} else if !slices.Contains(codes(), e.Code) || e.Error() == "" {
			c.Errorf("%s: %q has the code %q", what, e, e.Code)
		}
	}
}

func errorsTexts(c *check) {
	missing, file := c.target("missing"), c.seed("f", "text")
	c.seed("d/f", "x")
	dir := c.target("d")
	m, f, d := vfs.QuotePath(missing.Path), vfs.QuotePath(file.Path), vfs.QuotePath(dir.Path)
	did := c.failures(missing, dir, file)
	for what, want := range map[string]string{
		"open missing":    "cannot read " + m + ": not found",
		"open directory":  "cannot read " + d + ": not a regular file",
		"list missing":    "cannot list " + m + ": not found",
		"list file":       "cannot list " + f + ": not a directory",
		"put directory":   "cannot write " + d + ": not a regular file",
		"put existing":    "cannot overwrite existing " + f + " without reading it first",
		"put stale":       "cannot write " + f + ": file changed since it was read",
		"put gone":        "cannot write " + m + ": file no longer exists",
		"edit directory":  "cannot edit " + d + ": not a regular file",
		"write directory": "cannot write " + d + ": not a regular file",
	} {
		if err := did[what]; err == nil || err.Error() != want {
			c.Errorf("%s: got %q, want %q", what, err, want)
		}
	}
}

func errorsInner(c *check) {
	c.seed("inner/f", "x")
	c.seed("inner/d/f", "x")
	c.link("inner", "alias")
	did := c.failures(c.target("alias/missing"), c.target("alias/d"), c.target("alias/f"))
	_, did["resolve"] = c.Provider.Resolve(c.Context(), c.Root, "alias/f/x")
	for what, err := range did {
		if err == nil {
			c.Errorf("%s went well", what)
		} else if text := err.Error(); strings.Contains(text, "inner") || !strings.Contains(text, "alias") {
			c.Errorf("%s: %q, of a path that was asked for as alias/", what, text)
		}
	}
}

func errorsForged(c *check) {
	const name = "a\n\x1b[2J\u202e\u2028b"
	c.seed(name+"/d/f", "x")
	did := c.failures(c.target(name+"/missing"), c.target(name+"/d"), c.target(name+"/d/f"))
	_, did["resolve"] = c.Provider.Resolve(c.Context(), c.Root, name+"/d/f/x")
	for what, err := range did {
		e, ok := errors.AsType[*vfs.Error](err)
		if !ok {
			c.Errorf("%s: %v", what, err)
			continue
		}
		if i := strings.IndexFunc(e.Error(), func(r rune) bool { return !unicode.IsGraphic(r) }); i >= 0 {
			c.Errorf("%s: %q lets the name through as it is", what, e)
		}
	}
}
