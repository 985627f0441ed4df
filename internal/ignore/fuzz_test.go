package ignore

import (
	"strings"
	"testing"
	"time"
)

// FuzzMatch: nothing panics, nothing takes long, folding case ignores no less, and the
// short cuts say what following all the ops says.
func FuzzMatch(f *testing.F) {
	f.Add([]byte("*.o\n!a/**/b\n[x"), "a/x/b", true)
	f.Add([]byte("*a*a*a*a*b\n**/a/**/a/**/b"), "aaaaaaaa/aaaaaaa/a", false)
	for _, r := range rows {
		for _, p := range []string{r.ignored, r.included, r.none} {
			name, isDir := strings.CutSuffix(strings.Split(p, "|")[0], "/")
			f.Add([]byte(r.file), name, isDir)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, path string, isDir bool) {
		if len(data) > 4096 || len(path) > 1024 {
			return
		}
		start := time.Now()
		exact, folding := Parse(data, Options{}), Parse(data, Options{FoldCase: true})
		e, _ := exact.Match(path, isDir)
		v, _ := folding.Match(path, isDir)
		if e == Ignored && v != Ignored {
			t.Errorf("%q ignores %q, but is %v in any case", data, path, v)
		}
		if len(exact.patterns) != len(folding.patterns) {
			t.Fatalf("%d patterns, %d in any case", len(exact.patterns), len(folding.patterns))
		}
		above := []Layer{{Rules: exact}, {Rules: folding, Dir: path[:len(path)/2]}}
		Decide(above, path, isDir)
		if took := time.Since(start); took > time.Minute { // without the bound it would be years
			t.Errorf("%q and %q took %v", data, path, took)
		}
		for i := range exact.patterns {
			checkShape(t, &exact.patterns[i], path)
			checkShape(t, &folding.patterns[i], path)
		}
	})
}

// checkShape compares what a pattern says with what all of its ops say.
func checkShape(t *testing.T, p *Pattern, path string) {
	t.Helper()
	rest := strings.TrimSuffix(strings.TrimPrefix(p.Text, "!"), "/")
	if !p.Negated {
		rest = strings.TrimSuffix(p.Text, "/")
	}
	ops, _ := compile(strings.TrimPrefix(rest, "/"), p.form&formBase == 0)
	got, want := false, false
	text := path
	if p.form&formBase != 0 {
		text = path[strings.LastIndexByte(path, '/')+1:]
	}
	if p.form&formFold != 0 {
		got, want = p.glob.matchFold(text, fold(text)), runFold(foldOps(ops), text)
	} else {
		got, want = p.glob.match(text), run(ops, text)
	}
	if got != want {
		t.Errorf("%q on %q: %v by shape, %v by its ops", p.Text, text, got, want)
	}
}

// Each of these takes for ever where a matcher goes back to try again.
func TestNoPatternTakesLong(t *testing.T) {
	as, dirs := strings.Repeat("a", 4000), strings.Repeat("a/", 2000)
	done := make(chan string)
	go func() {
		defer close(done)
		for _, tt := range []struct{ pattern, path string }{
			// The classes at the end are for getting past the check of literal ends.
			{strings.Repeat("*a", 1000) + "*[b]", as},
			{strings.Repeat("*?", 1000) + "[b]*", as},
			{strings.Repeat("**a", 1000) + "*[b]", as},
			{strings.Repeat("**/a/", 500) + "[b]", dirs + "a"},
			{strings.Repeat("**/*a*/", 500) + "[b]", dirs + "a"},
			{strings.Repeat("**/", 100000) + "[b]", dirs + "a"},
			{strings.Repeat("*/", 1000) + "**/*a*a*[b]", dirs + as},
			{strings.Repeat("*[a]", 1000000), as},
			{"[" + strings.Repeat("[:", 100000), as},
			{strings.Repeat("[a-", 100000), as},
		} {
			for _, o := range []Options{{}, {FoldCase: true}} {
				if v, _ := Parse([]byte(tt.pattern), o).Match(tt.path, false); v != None {
					done <- tt.pattern[:10] + "... matches"
				}
			}
		}
	}()
	late := time.After(time.Minute)
	for {
		select {
		case problem, open := <-done:
			if !open {
				return
			}
			t.Error(problem)
		case <-late:
			t.Fatal("a pattern takes too long")
		}
	}
}
