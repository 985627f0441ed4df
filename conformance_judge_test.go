//go:build linux

package toolfs_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/conformance/ours.json anew")

const pinsFile = "testdata/conformance/ours.json"

// pins is what we give where a vector differs by decision: by vector, by place, the
// decision behind it and both values.
type pins map[string]map[string]pin

type pin struct {
	Decision string          `json:"decision"`
	Golden   json.RawMessage `json:"golden,omitempty"` // nothing: it is absent
	Ours     json.RawMessage `json:"ours,omitempty"`
}

func loadPins(t *testing.T) pins {
	data, err := os.ReadFile(pinsFile)
	if *update || errors.Is(err, fs.ErrNotExist) {
		return pins{}
	}
	if err != nil {
		t.Fatal(err)
	}
	var p pins
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// save writes one difference a line, so that a change is easy to review.
func (p pins) save() error {
	var b strings.Builder
	b.WriteString("{")
	for i, id := range slices.Sorted(maps.Keys(p)) {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n%s: {", stringify(id))
		for j, at := range slices.Sorted(maps.Keys(p[id])) {
			if j > 0 {
				b.WriteString(",")
			}
			d := p[id][at]
			line := object{{"decision", d.Decision}}
			for _, m := range []struct {
				name string
				raw  json.RawMessage
			}{{"golden", d.Golden}, {"ours", d.Ours}} {
				if m.raw == nil {
					continue
				}
				v, err := parseJSON(m.raw)
				if err != nil {
					return err
				}
				line = append(line, member{m.name, v})
			}
			fmt.Fprintf(&b, "\n %s: %s", stringify(at), stringify(line))
		}
		b.WriteString("\n}")
	}
	b.WriteString("\n}\n")
	return os.WriteFile(pinsFile, []byte(b.String()), 0o644)
}

// rule says that a difference is meant. vectors is a pattern of ids, or "#tag" for all
// with a tag; golden and ours, where they are given, are patterns of the JSON texts.
type rule struct {
	decision     string
	vectors, at  string
	golden, ours string
}

// decide gives the first rule that fits.
func decide(v *vector, d difference) *rule {
	at := d.at
	if rest, ok := strings.CutPrefix(at, "steps."); ok {
		_, at, _ = strings.Cut(rest, ".")
	}
	golden, ours := stringify(d.golden), stringify(d.ours)
	for i := range decisionTable {
		r := &decisionTable[i]
		if r.covers(v) && fits(r.at, at) && fits(r.golden, golden) && fits(r.ours, ours) &&
			(r.decision != "C-19" && r.decision != "V-21" || reordered(d.golden, d.ours)) {
			return r
		}
	}
	return nil
}

func (r *rule) covers(v *vector) bool {
	if tag, ok := strings.CutPrefix(r.vectors, "#"); ok {
		return slices.Contains(v.Tags, tag)
	}
	return fits(r.vectors, v.ID)
}

// reordered reports whether two values hold the same in another order: lines of a
// text, elements of a list, or as many of a long list that only its ends are known of.
func reordered(golden, ours any) bool {
	switch g := golden.(type) {
	case string:
		o, ok := ours.(string)
		return ok && strings.Count(g, "\n") == strings.Count(o, "\n")
	case []any:
		o, ok := ours.([]any)
		return ok && slices.Equal(sortedTexts(g), sortedTexts(o))
	case object:
		o, ok := ours.(object)
		if !ok || !isShortened(g) || !isShortened(o) {
			return false
		}
		a, _ := g[0].value.(object).get("count")
		b, _ := o[0].value.(object).get("count")
		return a == b
	}
	return false
}

func sortedTexts(list []any) []string {
	var texts []string
	for _, e := range list {
		texts = append(texts, stringify(e))
	}
	slices.Sort(texts)
	return texts
}

var patterns = map[string]*regexp.Regexp{}

func fits(pattern, s string) bool {
	if pattern == "" {
		return true
	}
	re := patterns[pattern]
	if re == nil {
		re = regexp.MustCompile("^(?s:" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + ")$")
		patterns[pattern] = re
	}
	return re.MatchString(s)
}

func text(v any) json.RawMessage {
	if v == (absent{}) {
		return nil
	}
	return json.RawMessage(stringify(v))
}

// judge says how a vector came out, and fails it for every difference that no rule
// covers or that is not the one pinned.
func (r *run) judge(t *testing.T, v *vector, found []difference) string {
	r.judged[v.ID] = true
	ours := map[string]pin{}
	decisions := map[string]bool{}
	for _, d := range found {
		rule := decide(v, d)
		if rule == nil {
			t.Errorf("%s\n  golden %s\n  ours   %s", d.at, stringify(d.golden), stringify(d.ours))
			continue
		}
		r.used[rule] = true
		decisions[rule.decision] = true
		ours[d.at] = pin{rule.decision, text(d.golden), text(d.ours)}
	}
	if t.Failed() {
		return "failing"
	}
	if *update {
		if len(ours) > 0 {
			r.pins[v.ID] = ours
		}
	} else if !samePins(t, r.pins[v.ID], ours) {
		return "failing"
	}
	if len(ours) == 0 {
		return "equal"
	}
	return "by decision: " + strings.Join(slices.Sorted(maps.Keys(decisions)), " ")
}

func samePins(t *testing.T, want, got map[string]pin) bool {
	for at, g := range got {
		w, ok := want[at]
		if !ok {
			t.Errorf("%s: %s is not pinned, by %s", at, g.Ours, g.Decision)
		} else if w.Decision != g.Decision || compact(w.Ours) != compact(g.Ours) || compact(w.Golden) != compact(g.Golden) {
			t.Errorf("%s: %s by %s, pinned is %s by %s", at, g.Ours, g.Decision, w.Ours, w.Decision)
		}
	}
	for at, w := range want {
		if _, ok := got[at]; !ok {
			t.Errorf("%s: pinned is %s by %s, and now it is as recorded", at, w.Ours, w.Decision)
		}
	}
	return !t.Failed()
}

func compact(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	v, err := parseJSON(data)
	if err != nil {
		return err.Error()
	}
	return stringify(v)
}

// whole reports whether every vector was run, none filtered out by -run.
func (r *run) whole() bool {
	n := 0
	for _, count := range r.tally["total"] {
		n += count
	}
	return n == vectorCount
}

// finish fails what no vector needed, and writes the pins if that was asked for.
func (r *run) finish(t *testing.T) {
	for id := range r.pins {
		if !r.judged[id] {
			t.Errorf("%s is pinned, and was not compared", id)
		}
	}
	for i := range decisionTable {
		if rule := &decisionTable[i]; !r.used[rule] && os.Geteuid() == 0 {
			t.Errorf("no vector needs the rule %q %q by %s", rule.vectors, rule.at, rule.decision)
		}
	}
	if *update {
		if err := r.pins.save(); err != nil {
			t.Error(err)
		}
	}
}

// vectorCount is how many vectors the areas hold together.
const vectorCount = 1052

// tally counts outcomes: by area, by outcome.
type tally map[string]map[string]int

func (c tally) add(area, outcome string) {
	for _, a := range []string{area, "total"} {
		if c[a] == nil {
			c[a] = map[string]int{}
		}
		c[a][outcome]++
	}
}

func (c tally) print(t *testing.T) {
	var b strings.Builder
	for _, area := range []string{"list", "read", "write", "edit", "policy", "sandbox", "schema", "glob_grep", "total"} {
		all := 0
		for _, n := range c[area] {
			all += n
		}
		fmt.Fprintf(&b, "conformance %-9s %3d vectors: %d equal, failing %d\n", area, all, c[area]["equal"], c[area]["failing"])
		for _, outcome := range slices.Sorted(maps.Keys(c[area])) {
			if outcome != "equal" && outcome != "failing" {
				fmt.Fprintf(&b, "  %3d %s\n", c[area][outcome], outcome)
			}
		}
	}
	t.Log("\n" + b.String())
	fmt.Print(b.String())
}
