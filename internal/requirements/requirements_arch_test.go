package requirements_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/policy"
	"github.com/toolfs/toolfs/vfs"
)

var family = []string{"list", "read", "write", "edit"}

var archTests = tests{
	// The package supplies the four tools and executes them.
	"R-ARCH-01": func(t *testing.T) {
		w := newWorld(t)
		declared := map[string]bool{}
		for _, d := range w.set.Registry().Schemas(nil) {
			declared[d.Name] = true
		}
		for _, name := range family {
			if !declared[name] {
				t.Errorf("%s is not declared", name)
			}
		}
		w.ok("write", args{"file_path": "f", "content": "old\n"})
		w.ok("edit", args{"file_path": "f", "old_string": "old", "new_string": "new"})
		w.holds(w.path("f"), "new\n")
		w.gives("read", args{"file_path": "f"},
			"<path>"+w.path("f")+"</path>\n<type>file</type>\n<content>\n1: new\n\n(End of file - total 1 lines)\n</content>")
		w.gives("list", args{},
			"<path>"+w.ws+"</path>\n<type>directory</type>\n<content>\nf\n\n(1 entry: 0 directories, 1 file)\n</content>")
	},

	// Names, schemas, argument validation, guidance, windows, order and formatting are
	// the package's own: a provider that knows nothing of them gets the same.
	"R-ARCH-02": func(t *testing.T) {
		w := newDisk(t)
		s := &scripted{text: "one\r\ntwo\r\nthree\n", size: -1, entries: []vfs.Entry{
			{Name: "b", Type: vfs.TypeOther}, {Name: "B", Type: vfs.TypeFile}, {Name: "a", Type: vfs.TypeFile}, {Name: "z", Type: vfs.TypeDirectory}}}
		w.open(unguarded, func(o *toolfs.Options) { o.Provider = s })
		w.gives("read", args{"file_path": "f", "offset": 2, "limit": 1},
			"<path>/f</path>\n<type>file</type>\n<content>\n2: two\n\n(Showing lines 2-2 of 3. Use offset=3 to continue.)\n</content>")
		w.gives("list", args{"path": "d"},
			"<path>/d</path>\n<type>directory</type>\n<content>\nz/\na\nB\nb@\n\n(4 entries: 1 directory, 2 files, 1 other)\n</content>")
		w.fails("read", args{}, "INVALID_ARGS", `invalid arguments: missing required property "file_path"`)
		equal(t, "sections", 4, len(w.set.Sections()))
	},

	// Whatever is read, written or edited goes through the seam, and nowhere else:
	// this file exists in the provider alone.
	"R-ARCH-03": func(t *testing.T) {
		w := newDisk(t)
		s := &scripted{size: -1}
		w.open(unguarded, func(o *toolfs.Options) { o.Provider = s })
		w.ok("write", args{"file_path": "f", "content": "made"})
		w.ok("read", args{"file_path": "f"})
		w.ok("edit", args{"file_path": "f", "old_string": "made", "new_string": "changed"})
		equal(t, "what the provider holds", "changed", s.text)
		w.lacks(w.path("f"))
	},

	// The executors get a provider and a gate; none of them knows a policy. (The file
	// that composes the set may make the default one.)
	"R-ARCH-04": func(t *testing.T) {
		code, _ := sources(t, ".")
		for name, file := range code {
			if name == "toolset.go" {
				continue
			}
			if slices.Contains(fileImports(t, file), module+"/policy") {
				t.Errorf("%s imports the policy", name)
			}
		}
		if slices.Contains(imports(t, "/tool"), "/policy") {
			t.Error("package tool depends on the policy")
		}
	},

	// Read-before-change comes from a listener of the gate that can be put to any set
	// of tools and taken off again; it knows the gate and the seam only.
	"R-ARCH-05": func(t *testing.T) {
		w := newWorld(t, unguarded)
		w.file("f", "a")
		edit := func(old, new string) args { return args{"file_path": "f", "old_string": old, "new_string": new} }
		w.ok("edit", edit("a", "b"))
		detach := policy.NewObserve(policy.Options{}).Attach(w.gate)
		w.fails("edit", edit("b", "c"), "FS_NOT_OBSERVED", `edit requires reading "`+w.path("f")+`" first — read the file, then retry`)
		detach()
		w.ok("edit", edit("b", "c"))
		for _, dep := range imports(t, "/policy") {
			// The seam's policies are words of package sandbox.
			if dep != "/gate" && dep != "/vfs" && dep != "/sandbox" && !strings.HasPrefix(dep, "/internal/") {
				t.Errorf("the policy depends on %s", dep)
			}
		}
	},

	// A provider is enough: policy and tools come over it, in whatever order the
	// policy joins.
	"R-ARCH-08": func(t *testing.T) {
		w := newDisk(t)
		set, err := toolfs.New(toolfs.Options{Provider: w.disk})
		w.must(err)
		w.set = set
		t.Cleanup(func() { w.must(set.Close()) })
		for _, name := range family {
			if _, ok := set.Registry().Get(name, nil); !ok {
				t.Errorf("%s is not registered", name)
			}
		}
		if set.Observe() == nil {
			t.Error("there is no policy")
		}
		late := newWorld(t, unguarded)
		late.file("f", "a")
		t.Cleanup(policy.NewObserve(policy.Options{}).Attach(late.gate))
		late.fails("write", args{"file_path": "f", "content": "b"}, "FS_NOT_OBSERVED",
			`cannot overwrite existing "`+late.path("f")+`" without reading it first — read the file, then retry`)
	},

	// Without the policy every change is unconditional and nothing is remembered.
	"R-ARCH-09": func(t *testing.T) {
		w := newWorld(t, unguarded)
		w.file("f", "a")
		w.ok("write", args{"file_path": "new", "content": "n"})
		w.ok("write", args{"file_path": "f", "content": "b"})
		w.file("f", "changed behind the back")
		w.ok("write", args{"file_path": "f", "content": "c"})
		w.file("f", "d")
		w.ok("edit", args{"file_path": "f", "old_string": "d", "new_string": "e"})
		w.holds(w.path("f"), "e")
		if w.set.Observe() != nil {
			t.Error("an unguarded set has a ledger")
		}
	},

	// What a deployment gets when it says nothing is read-before-write.
	"R-ARCH-10": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a")
		w.fails("write", args{"file_path": "f", "content": "b"}, "FS_NOT_OBSERVED",
			`cannot overwrite existing "`+p+`" without reading it first — read the file, then retry`)
		w.ok("read", args{"file_path": "f"})
		w.ok("write", args{"file_path": "f", "content": "b"})
		w.holds(p, "b")
	},
}

var pkgTests = tests{
	// In Go the root package is the embedder's vocabulary: one constructor, what it
	// takes and what it gives. Executors, windows and renderers stay inside, and
	// nothing global can be changed.
	"R-PKG-01": func(t *testing.T) {
		code, _ := sources(t, ".")
		var made []string
		for name, file := range code {
			for _, fn := range functions(file) {
				if ast.IsExported(fn) {
					made = append(made, fn)
				}
			}
			for _, d := range file.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok.String() == "var" && mentionsExported(g) {
					t.Errorf("%s exports a variable", name)
				}
			}
		}
		slices.Sort(made)
		equal(t, "the exported functions", []string{"New", "ParseLimits"}, made)
	},
	"R-PKG-02": func(t *testing.T) { pure(t, "read_window.go", "read_render.go") },
	"R-PKG-03": func(t *testing.T) { pure(t, "list_render.go") },

	// One file makes each tool, and one file puts them together.
	"R-PKG-04": func(t *testing.T) {
		code, _ := sources(t, ".")
		for _, name := range family {
			file := code[name+".go"]
			if file == nil || !slices.Contains(functions(file), name+"Tool") {
				t.Errorf("%s.go does not make the tool", name)
			}
			for other, file := range code {
				if other != name+".go" && other != "toolset.go" && mentions(file, name+"Tool") {
					t.Errorf("%s composes %s", other, name)
				}
			}
		}
	},
}

// pure fails unless files do no input and output, and unit tests call them directly.
func pure(t *testing.T, files ...string) {
	t.Helper()
	code, unit := sources(t, ".")
	effects := []string{"context", "io", "io/fs", "os", "net", "time", "sync", module + "/gate", module + "/policy", module + "/localfs"}
	for _, name := range files {
		if code[name] == nil {
			t.Errorf("%s does not exist", name)
			continue
		}
		for _, path := range fileImports(t, code[name]) {
			if slices.Contains(effects, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
		tested := false
		for _, file := range unit {
			tested = tested || mentions(file, functions(code[name])...)
		}
		if !tested {
			t.Errorf("no unit test calls a function of %s", name)
		}
	}
}

func mentionsExported(g *ast.GenDecl) bool {
	for _, spec := range g.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, (*ast.Ident).IsExported) {
			return true
		}
	}
	return false
}
