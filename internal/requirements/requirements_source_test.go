package requirements_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/toolfs/toolfs"
	root   = "../.." // the module's directory
)

// imports gives the packages of this module that a package imports, itself and through
// others, without tests.
func imports(t *testing.T, name string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=Deps", module+name)
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var listed struct{ Deps []string }
	if err := json.Unmarshal(out, &listed); err != nil {
		t.Fatal(err)
	}
	ours := []string{}
	for _, path := range listed.Deps {
		if path == module || strings.HasPrefix(path, module+"/") {
			ours = append(ours, strings.TrimPrefix(path, module))
		}
	}
	return ours
}

// sources parses the Go files of one directory of the module, by file name.
func sources(t *testing.T, dir string) (code, tests map[string]*ast.File) {
	t.Helper()
	code, tests = map[string]*ast.File{}, map[string]*ast.File{}
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no Go files in %s (%v)", dir, err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(path); strings.HasSuffix(name, "_test.go") {
			tests[name] = file
		} else {
			code[name] = file
		}
	}
	return code, tests
}

// fileImports are the import paths of one file.
func fileImports(t *testing.T, f *ast.File) []string {
	t.Helper()
	var paths []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// mentions reports whether any of these names is used or declared in a file.
func mentions(f *ast.File, names ...string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && slices.Contains(names, id.Name) {
			found = true
		}
		return !found
	})
	return found
}

// functions are the names of the functions, not methods, that a file declares.
func functions(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// documentation is all that a package says of itself: its comments and its texts.
func documentation(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	code, _ := sources(t, dir)
	for _, file := range code {
		for _, group := range file.Comments {
			b.WriteString(group.Text())
			b.WriteByte('\n')
		}
	}
	texts, err := filepath.Glob(filepath.Join(root, dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range texts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
