package ignore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seen is a decision in words.
type seen struct{ Verdict, Pattern, Source, At string }

func inWords(d Decision) seen {
	s := seen{Verdict: d.Verdict.String(), Source: d.Source, At: d.At}
	if d.Pattern != nil {
		s.Pattern = d.Pattern.Text
	}
	return s
}

func layersOf(o Options, of ...string) []Layer {
	var layers []Layer
	for i := 0; i < len(of); i += 2 {
		layers = append(layers, Layer{Rules: Parse([]byte(of[i+1]), o), Dir: of[i], Source: of[i] + "/.gitignore"})
	}
	return layers
}

func TestDecide(t *testing.T) {
	layers := append([]Layer{{Rules: Parse([]byte("*.log\n*.tmp"), Options{}), Source: "global"}},
		layersOf(Options{}, "", "/out\n!keep.log\n*.o\n!/lib", "a", "!x.o\n/b\n*.log", "a/c", "*\n!*.o", "out", "!*")...)
	layers = append(layers, Layer{Dir: "a"}) // no rules say nothing
	for _, tt := range []struct {
		path string
		want seen
	}{
		{"x.tmp", seen{"ignored", "*.tmp", "global", "x.tmp"}},
		{"keep.log", seen{"included", "!keep.log", "/.gitignore", "keep.log"}},
		{"a/keep.log", seen{"ignored", "*.log", "a/.gitignore", "a/keep.log"}},
		{"a/x.o", seen{"included", "!x.o", "a/.gitignore", "a/x.o"}},
		{"a/y.o", seen{"ignored", "*.o", "/.gitignore", "a/y.o"}},
		{"x.o", seen{"ignored", "*.o", "/.gitignore", "x.o"}},
		{"ab/x.o", seen{"ignored", "*.o", "/.gitignore", "ab/x.o"}},
		{"b", seen{Verdict: "none"}},
		{"a/b/keep/x.o", seen{"ignored", "/b", "a/.gitignore", "a/b"}},
		{"a/c", seen{Verdict: "none"}},
		{"a/c/d/x.o", seen{"ignored", "*", "a/c/.gitignore", "a/c/d"}},
		{"out/x", seen{"ignored", "/out", "/.gitignore", "out"}},
		{"lib/x", seen{Verdict: "none"}},
		{"lib/x.tmp/y", seen{"ignored", "*.tmp", "global", "lib/x.tmp"}},
		{"", seen{Verdict: "none"}},
	} {
		if diff := cmp.Diff(tt.want, inWords(Decide(layers, tt.path, false))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.path, diff)
		}
	}
}

func TestDecideBelowDoesNotLookUp(t *testing.T) {
	layers := layersOf(Options{}, "", "/out\n!*.o")
	if d := DecideBelow(layers, "out/x", false); d.Verdict != None {
		t.Errorf("out/x: %+v", d)
	}
	if d := DecideBelow(layers, "out/x.o", false); d.Verdict != Included {
		t.Errorf("out/x.o: %+v", d)
	}
}

// A denial counts below its directory however that is written, an exception only as it is.
func TestDecideFoldsDirectories(t *testing.T) {
	layers := layersOf(Options{FoldCase: true}, "", "*.key", "Sub/É", "/x\n!ok.key\n/a/b")
	for path, want := range map[string]Verdict{
		"Sub/É/x": Ignored, "sub/é/X": Ignored, "SUB/É/A/B": Ignored, "sub/x": None, "sub/é": None, "x": None,
		"Sub/É/ok.key": Included, "sub/É/ok.key": Ignored, "sub/ea/x": None,
	} {
		if got := Decide(layers, path, false).Verdict; got != want {
			t.Errorf("%q is %v, want %v", path, got, want)
		}
	}
	if d := Decide(layersOf(Options{}, "Sub", "x"), "sub/x", false); d.Verdict != None {
		t.Errorf("without FoldCase: %+v", d)
	}
}
