//go:build linux

package cases_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/vfs"
)

var listCases = cases{
	// A listing that was stopped half way is no listing.
	"82": func(t *testing.T) {
		w := newWorld(t)
		for i := range 20 {
			w.file(fmt.Sprint(i), "")
		}
		ctx, cancel := context.WithCancel(t.Context())
		disk := w.disk
		w.open(over(&double{Provider: disk, readDir: func(c context.Context, target vfs.Target) iter.Seq2[vfs.Entry, error] {
			return func(yield func(vfs.Entry, error) bool) {
				for e, err := range disk.ReadDir(c, target) {
					cancel()
					if !yield(e, err) {
						return
					}
				}
			}
		}}))
		r := w.set.Execute(ctx, w.call("list", args{}))
		if !r.IsError || r.Value != nil || strings.Contains(r.Content[0].Text, "<content>") {
			t.Errorf("it gives %v", r.Content)
		}
		t.Run("search", searchIsStopped)
	},

	// What is left out is said, with what there is and how to go on.
	"83": func(t *testing.T) {
		w := newWorld(t)
		w.open(func(o *toolfs.Options) { o.Limits = toolfs.Limits{ListMaxEntries: 100} })
		for i := range 75 {
			w.file(fmt.Sprintf("en%03d", i), "")
			w.must(os.Mkdir(w.path(fmt.Sprintf("zz%03d", i)), 0o755))
		}
		text := w.ok("list", args{})
		if !strings.HasSuffix(text, "\n(Showing entries 1-100 of 150: 75 directories, 75 files. Use offset=101 to continue.)\n</content>") {
			t.Errorf("it ends with %q", text[max(0, len(text)-150):])
		}
		if text = w.ok("list", args{"offset": 101}); !strings.Contains(text, "\nen074\n") {
			t.Errorf("the second page is %q", text)
		}
		t.Run("search", searchIsCut)
	},

	// However much lies in or below a directory, a listing is one bounded page.
	"88": func(t *testing.T) {
		w := newWorld(t)
		w.open(over(&double{Provider: w.disk, readDir: func(context.Context, vfs.Target) iter.Seq2[vfs.Entry, error] {
			return func(yield func(vfs.Entry, error) bool) {
				for i := range 100_000 {
					if !yield(vfs.Entry{Name: fmt.Sprintf("%06d", 99_999-i), Type: vfs.TypeDirectory}, nil) {
						return
					}
				}
			}
		}}))
		text := w.ok("list", args{})
		if !strings.HasSuffix(text, "\n000199/\n\n(Showing entries 1-200 of 100000: 100000 directories, 0 files. Use offset=201 to continue.)\n</content>") || len(text) > 4096 {
			t.Errorf("%d bytes that end with %q", len(text), text[max(0, len(text)-150):])
		}
		t.Run("search", searchIsBounded)
	},

	// A name that begins with a dot is a name.
	"89": func(t *testing.T) {
		w := newWorld(t)
		w.file(".github/workflows/ci.yml", "on: push\n")
		w.file(".env", "")
		w.file("visible", "")
		w.says(w.ok("list", args{}), "<path>"+w.ws+"</path>\n<type>directory</type>\n<content>\n.github/\n.env\nvisible\n\n(3 entries: 1 directory, 2 files)\n</content>")
		w.wantLines(".github/workflows/ci.yml", "on: push")
		w.says(w.ok("glob", glob("{*.yml,.env}")), ".env\n.github/workflows/ci.yml")
	},
}
