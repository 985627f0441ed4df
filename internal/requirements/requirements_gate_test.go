package requirements_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/policy"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

var gateTests = tests{
	// The call itself is the actor of all that is dispatched on its behalf.
	"R-GATE-01": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a")
		var actors []any
		t.Cleanup(w.gate.WriteIntent.Prepend(func(_ context.Context, e gate.WriteIntent, next func() (vfs.Condition, error)) (vfs.Condition, error) {
			actors = append(actors, e.Actor)
			return next()
		}))
		t.Cleanup(w.gate.EditIntent.Prepend(func(_ context.Context, e gate.EditIntent, next func() (vfs.Version, error)) (vfs.Version, error) {
			actors = append(actors, e.Actor)
			return next()
		}))
		t.Cleanup(w.gate.Observed.Add(func(e gate.Observed) error {
			actors = append(actors, e.Actor)
			return nil
		}))
		for _, c := range []struct {
			name       string
			args       args
			dispatches int
		}{
			{"list", args{}, 0},
			{"read", args{"file_path": "f"}, 1},
			{"read", args{"file_path": "missing"}, 1},
			{"write", args{"file_path": "f", "content": "b"}, 2},
			{"edit", args{"file_path": "f", "old_string": "b", "new_string": "c"}, 2},
			{"edit", args{"file_path": "f", "old_string": "nowhere", "new_string": "c"}, 1},
		} {
			actors = nil
			call := w.call(c.name, c.args)
			call.ID = "the call " + c.name
			w.set.Execute(t.Context(), call)
			equal(t, "dispatches of "+c.name, c.dispatches, len(actors))
			for _, actor := range actors {
				exec, ok := actor.(*tool.Exec)
				if !ok || exec.CallID != call.ID || exec.Name != c.name || exec.Session != call.Session || actor != actors[0] {
					t.Errorf("the actor of %s is %v", c.name, actor)
				}
			}
		}
	},

	// Without a listener, and below the last that calls next, everything is allowed.
	"R-GATE-02": func(t *testing.T) {
		var g gate.Gate
		decide := func() (vfs.Condition, vfs.Version) {
			condition, err := g.WriteIntent.Decide(t.Context(), gate.WriteIntent{})
			version, err2 := g.EditIntent.Decide(t.Context(), gate.EditIntent{})
			if err := errors.Join(err, err2); err != nil {
				t.Error(err)
			}
			return condition, version
		}
		if condition, version := decide(); !condition.Always() || version != "" {
			t.Errorf("nobody decides %s and %q", condition, version)
		}
		reached := 0
		g.WriteIntent.Add(func(_ context.Context, _ gate.WriteIntent, next func() (vfs.Condition, error)) (vfs.Condition, error) {
			reached++
			return next()
		})
		g.EditIntent.Add(func(_ context.Context, _ gate.EditIntent, next func() (vfs.Version, error)) (vfs.Version, error) {
			reached++
			return next()
		})
		if condition, version := decide(); !condition.Always() || version != "" || reached != 2 {
			t.Errorf("whoever passes on decides %s and %q", condition, version)
		}
	},

	"R-GATE-03": func(t *testing.T) {
		var g gate.Gate
		observe := policy.NewObserve(policy.Options{})
		detach := observe.Attach(&g)
		later := 0
		g.WriteIntent.Add(func(context.Context, gate.WriteIntent, func() (vfs.Condition, error)) (vfs.Condition, error) {
			later++
			return vfs.Condition{}, nil
		})
		file := vfs.Target{Key: "/key", Path: "/shown"}
		state := func(session, write, edit, code string) {
			t.Helper()
			condition, err := g.WriteIntent.Decide(t.Context(), gate.WriteIntent{Target: file, Session: session})
			if err != nil || condition.String() != write {
				t.Errorf("a write may take place if %s (%v), not %s", condition, err, write)
			}
			version, err := g.EditIntent.Decide(t.Context(), gate.EditIntent{Target: file, Session: session})
			if string(vfs.CodeOf(err)) != code || string(version) != edit {
				t.Errorf("an edit needs %q (%v), not %q (%s)", version, err, edit, code)
			}
		}
		observed := func(o gate.Observed) {
			t.Helper()
			o.Target = file
			if err := g.Observed.Emit(o); err != nil {
				t.Error(err)
			}
		}
		state("A", "createIfAbsent", "", "FS_NOT_OBSERVED")
		observed(gate.Observed{Session: "A", Version: "1"})
		state("A", "replaceIfVersion 1", "1", "")
		observed(gate.Observed{Session: "A", Version: "2"})
		state("A", "replaceIfVersion 2", "2", "")
		observed(gate.Observed{Session: "A", Absent: true})
		state("A", "createIfAbsent", "", "FS_NOT_FOUND")
		observed(gate.Observed{Session: "A", Version: "3"})
		state("A", "replaceIfVersion 3", "3", "")
		state("B", "createIfAbsent", "", "FS_NOT_OBSERVED")
		observed(gate.Observed{Version: "4"}) // nobody's
		state("", "createIfAbsent", "", "FS_NOT_OBSERVED")
		equal(t, "decisions that reached a later listener", 0, later)

		detach()
		observe.Attach(&g)
		condition, err := g.WriteIntent.Decide(t.Context(), gate.WriteIntent{Target: file, Session: "A"})
		if err != nil || !condition.Always() || later != 1 {
			t.Errorf("the listener that is first now decides %s (%v)", condition, err)
		}
		_, err = g.EditIntent.Decide(t.Context(), gate.EditIntent{Target: file, Session: "A"})
		if vfs.CodeOf(err) != vfs.CodeNotObserved {
			t.Errorf("what was seen before survives detaching: %v", err)
		}
	},

	// An error of the provider's and one of the policy's come out alike.
	"R-REG-01": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a")
		w.must(os.Mkdir(w.path("d"), 0o755))
		fsError := func(name string, a args, code, message string) {
			t.Helper()
			r := w.run(name, a)
			failure(t, r, code, message)
			equal(t, "the info", &tool.ErrorInfo{Name: "FsError", Code: code}, r.Error.Info)
		}
		fsError("read", args{"file_path": "nope"}, "FS_NOT_FOUND", `cannot read "`+w.path("nope")+`": not found`)
		fsError("write", args{"file_path": "d", "content": ""}, "FS_NOT_REGULAR_FILE", `cannot write "`+w.path("d")+`": not a regular file`)
		fsError("list", args{"path": "f"}, "FS_NOT_DIRECTORY", `cannot list "`+p+`": not a directory`)
		fsError("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"}, "FS_NOT_OBSERVED",
			`edit requires reading "`+p+`" first — read the file, then retry`)
		fsError("write", args{"file_path": "f", "content": "b"}, "FS_NOT_OBSERVED",
			`cannot overwrite existing "`+p+`" without reading it first — read the file, then retry`)
	},
}

// refusing adds a listener of what was observed that fails with err, or panics.
func (w *world) refusing(err error, panics any) {
	w.Cleanup(w.gate.Observed.Add(func(gate.Observed) error {
		if panics != nil {
			panic(panics)
		}
		return err
	}))
}

var obsTests = tests{
	// What was done is on the disk when the news of it arrives, and what failed makes
	// no news.
	"R-OBS-01": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a")
		w.must(os.Mkdir(w.path("d"), 0o755))
		var seen []string
		t.Cleanup(w.gate.Observed.Add(func(e gate.Observed) error {
			content, err := os.ReadFile(p)
			if err != nil || e.Version != vfs.VersionOf(content) {
				t.Errorf("observed %v, but the file holds %q (%v)", e.Version, content, err)
			}
			seen = append(seen, string(content))
			return nil
		}))
		w.run("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"}) // unread
		w.run("write", args{"file_path": "f", "content": "b"})                      // unread
		w.run("read", args{"file_path": "f", "offset": 2})
		w.run("read", args{"file_path": "d"})
		w.run("read", args{"file_path": "f/x"})
		w.run("list", args{})
		equal(t, "news of failures", 0, len(seen))
		w.ok("read", args{"file_path": "f"})
		w.ok("write", args{"file_path": "f", "content": "b"})
		w.run("edit", args{"file_path": "f", "old_string": "nowhere", "new_string": "c"})
		w.ok("edit", args{"file_path": "f", "old_string": "b", "new_string": "c"})
		equal(t, "the news", []string{"a", "b", "c"}, seen)
	},

	// A listener is done before the call is, on the call's own goroutine: what it
	// wrote down can be read without any synchronisation. The policy's does no I/O.
	"R-OBS-02": func(t *testing.T) {
		w := newWorld(t)
		w.file("f", "a")
		told := 0
		t.Cleanup(w.gate.Observed.Add(func(gate.Observed) error { told++; return nil }))
		for i := range 5 {
			w.ok("read", args{"file_path": "f"})
			equal(t, "told", i+1, told)
		}
		code, _ := sources(t, "policy")
		for name, file := range code {
			for _, path := range fileImports(t, file) {
				switch path {
				case "os", "io", "io/fs", "net", "time", "os/exec":
					t.Errorf("the policy's %s imports %s", name, path)
				}
			}
		}
	},

	// A listener that fails makes the call fail, with the change on the disk; the
	// policy has taken note by then, though it came later, so that the session is not
	// locked out.
	"R-OBS-03": func(t *testing.T) {
		coded := &vfs.Error{Code: vfs.CodeIOError, Msg: "the recorder is full"}
		for name, c := range map[string]struct {
			err           error
			panics        any
			code, message string
		}{
			"an error":          {err: errors.New("no more paper"), message: "no more paper"},
			"a coded error":     {err: coded, code: "FS_IO_ERROR", message: "the recorder is full"},
			"a panic":           {panics: "out of ink", message: "out of ink"},
			"a panic, an error": {panics: errors.New("out of ink"), message: "out of ink"},
		} {
			t.Run(name, func(t *testing.T) {
				w := newDisk(t)
				w.refusing(c.err, c.panics)
				w.open()
				w.fails("write", args{"file_path": "f", "content": "a"}, c.code, c.message)
				w.holds(w.path("f"), "a")
				w.fails("edit", args{"file_path": "f", "old_string": "a", "new_string": "b"}, c.code, c.message)
				w.holds(w.path("f"), "b")
				w.fails("read", args{"file_path": "f"}, c.code, c.message)
				w.fails("read", args{"file_path": "missing"}, c.code, c.message)
			})
		}
	},

	// The telling is synchronous, in order, to those who listened when it began, and
	// ends with the first who fails: nothing may be started here that matters later.
	"R-OBS-04": func(t *testing.T) {
		var g gate.Gate
		var told []string
		g.Observed.Add(func(gate.Observed) error {
			told = append(told, "first")
			g.Observed.Add(func(gate.Observed) error { told = append(told, "late"); return nil })
			return nil
		})
		remove := g.Observed.Add(func(gate.Observed) error { told = append(told, "failing"); return errors.New("failed") })
		g.Observed.Add(func(gate.Observed) error { told = append(told, "last"); return nil })
		if err := g.Observed.Emit(gate.Observed{}); err == nil || err.Error() != "failed" {
			t.Errorf("the emitter gets %v", err)
		}
		equal(t, "told", []string{"first", "failing"}, told)
		told = nil
		remove()
		if err := g.Observed.Emit(gate.Observed{}); err != nil {
			t.Error(err)
		}
		equal(t, "told", []string{"first", "last", "late"}, told)
		g.Observed.Prepend(func(gate.Observed) error { panic("a panic") })
		if err := g.Observed.Emit(gate.Observed{}); err == nil || err.Error() != "a panic" {
			t.Errorf("of a panic the emitter gets %v", err)
		}
	},

	"R-OBS-05": func(t *testing.T) {
		w := newDisk(t)
		j := w.count(seam)
		p := w.path("f")
		w.fails("read", args{"file_path": "f"}, "FS_NOT_FOUND", `cannot read "`+p+`": not found`)
		equal(t, "what happened", "resolve, stat, observed absent", j.take())
		edit := args{"file_path": "f", "old_string": "a", "new_string": "b"}
		w.fails("edit", edit, "FS_NOT_FOUND", `cannot edit "`+p+`": not found`)
		failure(t, w.set.Execute(t.Context(), w.callOf("B", "edit", edit)), "FS_NOT_OBSERVED",
			`edit requires reading "`+p+`" first — read the file, then retry`)
	},

	// Whoever saw that it is gone may make it anew, unless somebody else already has.
	"R-OBS-06": func(t *testing.T) {
		w := newWorld(t)
		p := w.file("f", "a")
		w.ok("read", args{"file_path": "f"})
		w.must(os.Remove(p))
		write := args{"file_path": "f", "content": "b"}
		w.fails("write", write, "FS_STALE_VERSION", `cannot write "`+p+`": file no longer exists — re-read the file, then retry`)
		w.lacks(p)
		w.fails("read", args{"file_path": "f"}, "FS_NOT_FOUND", `cannot read "`+p+`": not found`)
		w.file("f", "made by another")
		w.fails("write", write, "FS_NOT_OBSERVED", `cannot overwrite existing "`+p+`" without reading it first — read the file, then retry`)
		w.holds(p, "made by another")
		w.must(os.Remove(p))
		w.gives("write", write, "<path>"+p+"</path>\n<type>file</type>\n<content>\nCreated file\n</content>")
		w.holds(p, "b")
	},
}
