package requirements_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/vfs"
)

// sameError runs calls that must all fail, uncoded, with this text, before anything
// is looked at.
func sameError(t *testing.T, message string, calls map[string][]args) {
	t.Helper()
	w := newDisk(t)
	j := w.count(seam)
	for name, list := range calls {
		for _, a := range list {
			w.fails(name, a, "", message)
			equal(t, "what happened meanwhile", "", j.take())
		}
	}
}

var errTests = tests{
	// Whatever fails, wherever, reads the same.
	"R-ERR-01": func(t *testing.T) {
		w := newWorld(t)
		w.fails("read", args{"file_path": 5, "limit": "x"}, "INVALID_ARGS", `invalid arguments: "file_path" must be a string; "limit" must be a number`)
		w.fails("read", args{"file_path": "nope"}, "FS_NOT_FOUND", `cannot read "`+w.path("nope")+`": not found`)
		w.fails("read", args{"file_path": " "}, "", "file_path must be a non-empty string")
		w.fails("nothing", args{}, "UNKNOWN_TOOL", `unknown tool "nothing"`)
		call := w.call("read", args{})
		call.Arguments = []byte("{bad")
		failure(t, w.set.Execute(t.Context(), call), "INVALID_ARGS", `invalid arguments: "arguments" must be an object`)
		aborted, cancel := context.WithCancel(t.Context())
		cancel()
		failure(t, w.set.Execute(aborted, w.call("list", args{})), "ABORTED_BEFORE_DISPATCH", "tool call aborted before dispatch")
	},

	"R-ERR-02": func(t *testing.T) {
		var all = map[string][]args{}
		for _, name := range []string{"read", "write", "edit"} {
			all[name] = []args{onPath(name, ""), onPath(name, " "), onPath(name, "\t\n \u00a0")}
		}
		sameError(t, "file_path must be a non-empty string", all)
	},
	"R-ERR-03": func(t *testing.T) {
		sameError(t, "path must be a non-empty string when given", map[string][]args{
			"list": {{"path": ""}, {"path": "  "}, {"path": "\n", "offset": 0}}})
	},
	"R-ERR-04": func(t *testing.T) {
		sameError(t, "offset must be a positive integer", map[string][]args{
			"list": {{"offset": 0}, {"offset": -1}, {"offset": 1.5}},
			"read": {{"file_path": "f", "offset": 0}, {"file_path": "f", "offset": -3}, {"file_path": "f", "offset": 0.5, "limit": 0}}})
	},
	"R-ERR-05": func(t *testing.T) {
		sameError(t, "limit must be less than or equal to 2000", map[string][]args{
			"read": {{"file_path": "f", "limit": 2001}, {"file_path": "f", "limit": 1e300}}})
		sameError(t, "limit must be a positive integer", map[string][]args{
			"read": {{"file_path": "f", "limit": 0}, {"file_path": "f", "limit": -3}, {"file_path": "f", "limit": 2000.5}}})
	},
	"R-ERR-06": func(t *testing.T) {
		sameError(t, "old_string must be a non-empty string", map[string][]args{
			"edit": {{"file_path": "f", "old_string": "", "new_string": "a"}, {"file_path": "f", "old_string": "", "new_string": ""}}})
	},
	"R-ERR-07": func(t *testing.T) {
		sameError(t, "old_string and new_string must differ", map[string][]args{
			"edit": {
				{"file_path": "f", "old_string": "a", "new_string": "a"},
				{"file_path": "f", "old_string": " ", "new_string": " ", "replace_all": true},
				// Line endings make no difference (decision V-03).
				{"file_path": "f", "old_string": "a\r\n", "new_string": "a\n"},
			}})
	},
	"R-ERR-08": func(t *testing.T) {
		w := newWorld(t)
		for path, shown := range map[string]string{"nope": w.path("nope"), "./d/nope": w.path("d/nope"), w.path("x/y/z"): w.path("x/y/z")} {
			w.fails("read", args{"file_path": path}, "FS_NOT_FOUND", `cannot read "`+shown+`": not found`)
		}
		// A path cannot forge the message (decision V-14).
		w.fails("read", args{"file_path": "a\"\nb"}, "FS_NOT_FOUND", `cannot read "`+w.ws+`/a\"\nb": not found`)
	},
	"R-ERR-09": func(t *testing.T) {
		w := newWorld(t)
		w.must(os.Mkdir(w.path("d"), 0o755), os.Symlink("d", w.path("link")), os.Symlink("/dev/null", w.path("device")))
		for _, name := range []string{"d", "link", "device"} {
			w.fails("read", args{"file_path": name}, "FS_NOT_REGULAR_FILE", `cannot read "`+w.path(name)+`": not a regular file`)
		}
	},
	"R-ERR-10": func(t *testing.T) {
		w := newWorld(t)
		w.must(os.Mkdir(w.path("empty"), 0o755))
		w.file("one/f", "")
		for path, total := range map[string]string{"empty": "0", "one": "1", ".": "2"} {
			w.fails("list", args{"path": path, "offset": 7}, "FS_NOT_FOUND", `offset 7 is out of range for "`+w.path(path)+`" (`+total+` entries)`)
		}
		w.fails("list", args{"path": "empty", "offset": 2}, "FS_NOT_FOUND", `offset 2 is out of range for "`+w.path("empty")+`" (0 entries)`)
	},
	"R-ERR-11": func(t *testing.T) {
		w := newWorld(t)
		for content, total := range map[string]string{"": "0", "a": "1", "a\n": "1", "a\nb": "2"} {
			p := w.file("f", content)
			w.fails("read", args{"file_path": "f", "offset": 7}, "FS_NOT_FOUND", `offset 7 is out of range for "`+p+`" (`+total+` lines)`)
		}
		w.file("f", "a\nb")
		w.fails("read", args{"file_path": "f", "offset": 3}, "FS_NOT_FOUND", `offset 3 is out of range for "`+w.path("f")+`" (2 lines)`)
	},

	// Whoever embeds a package finds in its documentation what its failures say; how
	// the path is written there is free.
	"R-ERR-12": func(t *testing.T) {
		for dir, templates := range map[string][]string{
			"policy": {`edit requires reading "<p>" first`, `cannot edit "<p>": not found`},
			"vfs": {
				`cannot read "<p>": not found`, `cannot list "<p>": not found`, `cannot list "<p>": not a directory`,
				`cannot read "<p>": not a regular file`, `cannot write "<p>": not a regular file`, `cannot edit "<p>": not a regular file`,
				`cannot read "<p>": binary file`, `cannot read "<p>": invalid UTF-8 text`,
				`cannot edit "<p>": binary file`, `cannot edit "<p>": invalid UTF-8 text`,
				`cannot overwrite existing "<p>" without reading it first`, `cannot write "<p>": file no longer exists`,
				`cannot write "<p>": file changed since it was read`, `cannot edit "<p>": file changed since it was read`,
				`old_string was not found in "<p>"`,
				`old_string matched <n> times in "<p>"; provide a more specific old_string or set replace_all to true`,
			},
		} {
			documented := documentation(t, dir)
			for _, template := range templates {
				pattern := regexp.QuoteMeta(template)
				pattern = strings.NewReplacer(`<p>`, `[^"]+`, `<n>`, `\S+`).Replace(pattern)
				if !regexp.MustCompile(pattern).MatchString(documented) {
					t.Errorf("package %s does not document: %s", dir, template)
				}
			}
		}
	},

	// The two failures that reading mends say so, once, and keep code and cause; no
	// other failure does.
	"R-ERR-13": func(t *testing.T) {
		cause := errors.New("the cause")
		for code, remedy := range map[vfs.Code]string{
			"FS_STALE_VERSION": " — re-read the file, then retry", "FS_NOT_OBSERVED": " — read the file, then retry",
			"FS_NOT_FOUND": "", "FS_PERMISSION_DENIED": "", "FS_IO_ERROR": "", "FS_BUSY": "", "FS_TOO_LARGE": "", "FS_ABORTED": "",
		} {
			w := newWorld(t, unguarded)
			failing := &vfs.Error{Code: code, Msg: "said by another", Err: cause}
			t.Cleanup(w.gate.WriteIntent.Add(func(context.Context, gate.WriteIntent, func() (vfs.Condition, error)) (vfs.Condition, error) {
				return vfs.Condition{}, failing
			}))
			t.Cleanup(w.gate.EditIntent.Add(func(context.Context, gate.EditIntent, func() (vfs.Version, error)) (vfs.Version, error) {
				return "", failing
			}))
			for _, name := range []string{"write", "edit"} {
				w.fails(name, onPath(name, "f"), string(code), "said by another"+remedy)
			}
			t.Cleanup(w.gate.Observed.Add(func(gate.Observed) error { return failing }))
			w.file("f", "")
			w.fails("read", args{"file_path": "f"}, string(code), "said by another")
		}
		w := newWorld(t, unguarded, func(o *toolfs.Options) { o.Provider = failingDir{&scripted{}} })
		w.fails("list", args{"path": "d"}, "FS_STALE_VERSION", `cannot list "/d": file changed since it was read`)
	},

	// After a read that found nothing, an edit says that there is nothing, not that
	// it is stale; a write makes the file, unless somebody else has.
	"R-ERR-14": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a")
		w.ok("read", args{"file_path": "f"})
		w.must(os.Remove(p))
		edit := args{"file_path": "f", "old_string": "a", "new_string": "b"}
		w.fails("edit", edit, "FS_STALE_VERSION", `cannot edit "`+p+`": file changed since it was read — re-read the file, then retry`)
		w.fails("read", args{"file_path": "f"}, "FS_NOT_FOUND", `cannot read "`+p+`": not found`)
		w.fails("edit", edit, "FS_NOT_FOUND", `cannot edit "`+p+`": not found`)
		w.fails("edit", edit, "FS_NOT_FOUND", `cannot edit "`+p+`": not found`)
		w.lacks(p)
		w.ok("write", args{"file_path": "f", "content": "a"})
		w.ok("edit", edit)
		w.holds(p, "b")
	},
}
