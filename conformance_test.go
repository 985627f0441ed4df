//go:build linux

package toolfs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestConformance runs every vector of testdata/conformance: calls with the results
// that another implementation of the contract gave. The rule is that ours are equal.
// Where they differ on purpose, the table of decisions says so, and
// testdata/conformance/ours.json holds what we give instead; any other difference
// fails. After a change that is meant, -update writes that file anew.
func TestConformance(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	run := newRun(t)
	for _, area := range []string{"list", "read", "write", "edit", "policy", "sandbox", "schema", "glob_grep"} {
		t.Run(area, func(t *testing.T) {
			for _, v := range loadVectors(t, area) {
				t.Run(v.ID, func(t *testing.T) { run.vector(t, area, &v) })
			}
		})
	}
	if run.whole() {
		run.finish(t)
	}
	run.tally.print(t)
}

// run is one pass over the vectors.
type run struct {
	base   string // where workspaces are made; not below /tmp, whose rules are special
	binary string // what users without privileges run
	pins   pins
	used   map[*rule]bool
	judged map[string]bool
	tally  tally
}

func newRun(t *testing.T) *run {
	base, err := os.MkdirTemp("/var/tmp", "toolfs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	r := &run{base: base, pins: loadPins(t), used: map[*rule]bool{}, judged: map[string]bool{}, tally: tally{}}
	if os.Geteuid() == 0 {
		if r.binary, err = publicBinary(base); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// vector runs one vector and judges it.
func (r *run) vector(t *testing.T, area string, v *vector) {
	if why := cannotRun(v); why != "" {
		if os.Getenv("TOOLFS_NO_SKIP") != "" {
			t.Fatal(why)
		}
		r.tally.add(area, "skipped: "+why)
		r.judged[v.ID] = true
		t.Skip(why)
	}
	outcome := "failing"
	defer func() { r.tally.add(area, outcome) }()
	found, err := r.play(v)
	if err != nil {
		t.Fatal(err)
	}
	outcome = r.judge(t, v, found)
}

// cannotRun names what a vector needs and this process does not have: to be root, for
// acting as somebody else, or because it was recorded as root, whom no mode keeps out.
func cannotRun(v *vector) string {
	if os.Geteuid() == 0 {
		return ""
	}
	needs := v.User != "" || v.SetupRoot != nil
	for _, o := range v.Setup {
		mode, err := strconv.ParseUint(o.Mode, 8, 32)
		needs = needs || o.Owner != "" || err == nil && mode&0o600 != 0o600
	}
	if needs {
		return "it needs root"
	}
	return ""
}

// play runs a vector and gives where its outcome is not the recorded one.
func (r *run) play(v *vector) (found []difference, err error) {
	p, err := newPlaces(r.base)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	s, err := v.setting(p)
	if err != nil {
		return nil, err
	}
	if v.LoadError != nil || v.Composition != nil {
		return compose(v, s)
	}
	if err := p.do(v.Setup); err != nil {
		return nil, err
	}
	actor := fmt.Sprintf("%d:%d", os.Geteuid(), os.Getegid())
	var c caller
	if v.User == "" {
		if c, err = openToolset(s); err != nil {
			return nil, err
		}
	} else {
		actor = fmt.Sprintf("%d:%d", nobody, nobody)
		if err := errors.Join(p.giveAway(nobody, nobody), p.do(v.SetupRoot)); err != nil {
			return nil, err
		}
		if c, err = startChild(r.binary, s); err != nil {
			return nil, err
		}
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return p.steps(v, c, actor)
}

func (p *places) steps(v *vector, c caller, actor string) (found []difference, err error) {
	before, err := p.snapshot()
	if err != nil {
		return nil, err
	}
	for i, s := range v.Steps {
		if s.Mutate != nil {
			if err := p.do(s.Mutate); err != nil {
				return nil, err
			}
			if before, err = p.snapshot(); err != nil {
				return nil, err
			}
			continue
		}
		request, err := v.call(&s, p)
		if err != nil {
			return nil, err
		}
		outcome, err := c.call(request)
		if err != nil {
			return nil, err
		}
		after, err := p.snapshot()
		if err != nil {
			return nil, err
		}
		outcome = append(outcome, member{"disk", before.changes(after, actor)})
		before = after
		differ, err := p.compare(fmt.Sprintf("steps.%d", i), s.Expect, outcome)
		if err != nil {
			return nil, err
		}
		found = append(found, withoutRepeats(differ)...)
	}
	if v.FinalTree == nil {
		return found, nil
	}
	differ, err := p.compare("final_tree", v.FinalTree, before.tree(actor))
	return append(found, differ...), err
}

// compare compares what was recorded with what we got, whose real paths and long
// values are written as the vectors write them.
func (p *places) compare(at string, golden json.RawMessage, ours object) ([]difference, error) {
	parsed, err := parseJSON(golden)
	if err != nil {
		return nil, err
	}
	want, got := parsed.(object), shorten(mapStrings(ours, p.hide)).(object)
	if a, _ := want.get("isError"); a != nil {
		if b, _ := got.get("isError"); a != b {
			want, got = joinOutcome(want), joinOutcome(got)
		}
	}
	var found []difference
	for _, d := range compareObjects(at, want, got) {
		// Files have no order, and the parts of an outcome have none either.
		if !strings.HasSuffix(d.at, ".(order)") || !unordered(d.at) {
			found = append(found, d)
		}
	}
	return found, nil
}

// joinOutcome makes one value of all that says what a call came to: where a failure
// meets a success, there is nothing to compare part by part.
func joinOutcome(o object) object {
	var rest, all object
	for _, m := range o {
		switch m.name {
		case "isError", "content", "error", "value", "meta", "presentResult":
			all = append(all, m)
		default:
			rest = append(rest, m)
		}
	}
	return append(rest, member{"outcome", object{{"$whole", all}}})
}

// withoutRepeats drops the difference of a failure's content, which is its message
// once more, where the message differs too.
func withoutRepeats(found []difference) []difference {
	for _, d := range found {
		if !strings.HasSuffix(d.at, ".error.message") {
			continue
		}
		return slices.DeleteFunc(found, func(c difference) bool {
			return strings.HasSuffix(c.at, ".content.0.text") &&
				c.golden == fmt.Sprint("Error: ", d.golden) && c.ours == fmt.Sprint("Error: ", d.ours)
		})
	}
	return found
}

func unordered(at string) bool {
	ok, _ := filepath.Match("steps.*.(order)", at)
	return ok && strings.Count(at, ".") == 2 || strings.HasPrefix(at, "final_tree") || strings.Contains(at, ".disk.")
}
