package requirements_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/tool"
)

var schTests = tests{
	"R-SCH-01": func(t *testing.T) {
		snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
		for name, want := range map[string][]string{
			"list": {"offset", "path"}, "read": {"file_path", "limit", "offset"},
			"write": {"content", "file_path"}, "edit": {"file_path", "new_string", "old_string", "replace_all"},
		} {
			got := propertyNames(t, newWorld(t), name)
			equal(t, "the fields of "+name, want, got)
			for _, field := range got {
				if !snake.MatchString(field) {
					t.Errorf("%s is not in snake case", field)
				}
			}
		}
	},

	// The model gets name, description and parameters of each tool. A restriction
	// takes one away from one agent alone, which then cannot call it either.
	"R-SCH-02": func(t *testing.T) {
		w := newWorld(t)
		registry := w.set.Registry()
		for _, d := range registry.Schemas(nil) {
			def, _ := registry.Get(d.Name, nil)
			equal(t, d.Name, tool.Declaration{Name: def.Name, Description: def.Description, Parameters: def.Parameters.JSON()}, d)
		}
		scope := registry.Scope(nil)
		lift, err := scope.Restrict(tool.Restriction{Deny: []string{"edit"}})
		w.must(err)
		equal(t, "the tools of the restricted agent", []string{"list", "read", "write"}, names(registry.Schemas(scope)))
		equal(t, "the tools of the others", []string{"edit", "list", "read", "write"}, names(registry.Schemas(nil)))
		call := w.call("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"})
		call.Scope = scope
		failure(t, w.set.Execute(t.Context(), call), "UNKNOWN_TOOL", `unknown tool "edit"`)
		lift()
		equal(t, "the tools once it is lifted", []string{"edit", "list", "read", "write"}, names(registry.Schemas(scope)))
	},

	// What is declared is the same bytes for every request, whoever's it is and
	// whatever happened before.
	"R-SCH-03": func(t *testing.T) {
		w := newWorld(t)
		before := encoded(t, w.set.Registry().Schemas(nil))
		w.file("f", "a")
		w.ok("list", args{})
		w.run("read", args{"file_path": "f", "offset": 99})
		w.ok("read", args{"file_path": "f"})
		w.ok("write", args{"file_path": "f", "content": "b"})
		equal(t, "after calls", before, encoded(t, w.set.Registry().Schemas(nil)))
		equal(t, "in another place", before, encoded(t, newWorld(t).set.Registry().Schemas(nil)))
		equal(t, "without a policy", before, encoded(t, newWorld(t, unguarded).set.Registry().Schemas(nil)))
		list := w.set.Registry().Schemas(nil)
		list[0].Parameters[0] = 'X' // what one caller does to its copy is its own matter
		equal(t, "after a caller changed its copy", before, encoded(t, w.set.Registry().Schemas(nil)))
	},

	"R-SCH-04": func(t *testing.T) {
		w := newWorld(t)
		registry := w.set.Registry()
		scope := registry.Scope(nil)
		before := encoded(t, registry.Schemas(scope))
		changes := 0
		t.Cleanup(registry.OnChange(func() error { changes++; return nil }))
		lift, err := scope.Restrict(tool.Restriction{Allow: []string{"list", "read"}})
		w.must(err)
		if encoded(t, registry.Schemas(scope)) == before {
			t.Error("a restriction changes nothing")
		}
		equal(t, "the order of what is left", []string{"list", "read"}, inOrder(registry.Schemas(scope)))
		lift()
		equal(t, "once it is lifted", before, encoded(t, registry.Schemas(scope)))
		equal(t, "changes told", 2, changes)
		w.must(w.set.Close())
		equal(t, "after the set was closed", 0, len(registry.Schemas(nil)))
		other, err := toolfs.New(toolfs.Options{Provider: w.disk, Search: noSearch()})
		w.must(err)
		defer other.Close()
		equal(t, "a set made anew", before, encoded(t, other.Registry().Schemas(nil)))
	},
}

func propertyNames(t *testing.T, w *world, name string) []string {
	t.Helper()
	def, _ := w.set.Registry().Get(name, nil)
	var schema struct{ Properties map[string]any }
	w.must(json.Unmarshal(def.Parameters.JSON(), &schema))
	var fields []string
	for field := range schema.Properties {
		fields = append(fields, field)
	}
	slices.Sort(fields)
	return fields
}

func inOrder(list []tool.Declaration) []string {
	var all []string
	for _, d := range list {
		all = append(all, d.Name)
	}
	return all
}

func names(list []tool.Declaration) []string {
	all := inOrder(list)
	slices.Sort(all)
	return all
}

func encoded(t *testing.T, list []tool.Declaration) string {
	t.Helper()
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
