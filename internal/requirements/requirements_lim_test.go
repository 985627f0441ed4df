package requirements_test

import (
	"context"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// failingDir is a directory that cannot be read for the oddest of reasons.
type failingDir struct{ *scripted }

func (failingDir) ReadDir(_ context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	return func(yield func(vfs.Entry, error) bool) { yield(vfs.Entry{}, vfs.Stale("list", t)) }
}

var limTests = tests{
	// One level, whatever lies below, and nothing about what lies below.
	"R-LIM-01": func(t *testing.T) {
		w := newWorld(t)
		w.file("d/e/f/g", "")
		w.file("d/h", "")
		w.file("i", "")
		w.gives("list", args{}, "<path>"+w.ws+"</path>\n<type>directory</type>\n<content>\nd/\ni\n\n(2 entries: 1 directory, 1 file)\n</content>")
		w.gives("list", args{"path": "d"}, "<path>"+w.path("d")+"</path>\n<type>directory</type>\n<content>\ne/\nh\n\n(2 entries: 1 directory, 1 file)\n</content>")
	},

	"R-LIM-02": func(t *testing.T) {
		w := newWorld(t)
		for name, content := range map[string]string{
			"picture.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "document.pdf": "%PDF-1.7\n\x00\x01", "early": "\x00", "late": strings.Repeat("x", 8191) + "\x00",
		} {
			w.fails("read", args{"file_path": w.file(name, content)}, "FS_NOT_TEXT", `cannot read "`+w.path(name)+`": binary file`)
		}
		for name, content := range map[string]string{
			"latin1": "caf\xe9\n", "overlong": "\xc0\xaf", "surrogate": "\xed\xa0\x80", "above": "\xf4\x90\x80\x80", "cut off": strings.Repeat("x", 9000) + "\xe2\x82", "far away": strings.Repeat("x", 600_000) + "\xff\n",
		} {
			w.fails("read", args{"file_path": w.file(name, content)}, "FS_NOT_TEXT", `cannot read "`+w.path(name)+`": invalid UTF-8 text`)
		}
		w.fails("read", args{"file_path": "."}, "FS_NOT_REGULAR_FILE", `cannot read "`+w.ws+`": not a regular file`)
	},

	// There is no timeout to be set, by the model or by anybody, and none that runs:
	// a provider sees a deadline only if the caller has one.
	"R-LIM-03": func(t *testing.T) {
		w := newDisk(t)
		r := &resolving{FS: w.disk}
		w.open(unguarded, func(o *toolfs.Options) { o.Provider = r })
		for _, name := range family {
			for _, field := range propertyNames(t, w, name) {
				if strings.Contains(field, "time") {
					t.Errorf("%s has a field %s", name, field)
				}
			}
			w.set.Execute(context.Background(), w.call(name, onPath(name, "f")))
			if def, _ := w.set.Registry().Get(name, nil); def.Timeout != 0 {
				t.Errorf("%s has a time limit", name)
			}
			if _, limited := r.ctx.Deadline(); limited {
				t.Errorf("%s has a deadline of its own", name)
			}
		}
		for _, kind := range []reflect.Type{reflect.TypeFor[toolfs.Limits](), reflect.TypeFor[toolfs.Options](), reflect.TypeFor[tool.Definition](), reflect.TypeFor[tool.Call]()} {
			for field := range kind.Fields() {
				// Searches have a limit, and say so in their definitions.
				if strings.Contains(strings.ToLower(field.Name), "timeout") && field.Name != "SearchTimeoutMS" && kind != reflect.TypeFor[tool.Definition]() {
					t.Errorf("%s has a field %s", kind, field.Name)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		t.Cleanup(w.set.Registry().OnPreExecute(func(ctx context.Context, e *tool.Exec, next func() (tool.Decision, error)) (tool.Decision, error) {
			if ctx.Err() != nil {
				t.Errorf("%s is decided on though it is cancelled", e.Name)
			}
			return next()
		}))
		for _, name := range family {
			failure(t, w.set.Execute(ctx, w.call(name, onPath(name, "f"))), "ABORTED_BEFORE_DISPATCH", "tool call aborted before dispatch")
		}

		// Cancelled when all is done: a read is void, a change is what it is (decision
		// V-16).
		w.file("f", "x")
		for _, name := range []string{"read", "edit", "write"} {
			ctx, cancel := context.WithCancel(t.Context())
			remove := w.gate.Observed.Add(func(gate.Observed) error { cancel(); return nil })
			r := w.set.Execute(ctx, w.call(name, onPath(name, "f")))
			remove()
			if name == "read" {
				failure(t, r, "ABORTED", "tool call aborted")
				continue
			}
			text(t, r)
		}
		w.holds(w.path("f"), "x")
	},

	// Listing a directory is there for other code as well; searching is no part of
	// the seam.
	"R-LIM-04": func(t *testing.T) {
		w := newDisk(t)
		w.file("f", "")
		target, err := w.disk.Resolve(t.Context(), w.ws, ".")
		w.must(err)
		entries, err := vfs.ListDir(t.Context(), w.disk, target)
		w.must(err)
		equal(t, "the entries", []vfs.Entry{{Name: "f", Type: vfs.TypeFile}}, entries)
		var methods []string
		for m := range reflect.TypeFor[vfs.Provider]().Methods() {
			methods = append(methods, m.Name)
		}
		slices.Sort(methods)
		equal(t, "the seam", []string{"Open", "Put", "ReadDir", "Resolve", "Stat"}, methods)
	},
}
