package linediff_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolfs/toolfs/internal/linediff"
)

// text is a JSON string, or something that stands for a long one.
type text struct {
	string
	known, null bool
}

func (t *text) UnmarshalJSON(data []byte) error {
	t.null = string(data) == "null"
	t.known = t.null || data[0] == '"'
	if data[0] != '"' {
		return nil
	}
	return json.Unmarshal(data, &t.string)
}

// The recorded cards of another implementation have the very hunks that we find.
func TestRecordedHunks(t *testing.T) {
	type step struct {
		Expect struct {
			Value struct{ Before, After text }
			Meta  struct {
				Diffs []struct{ OldText, NewText text }
			}
		}
	}
	compared := 0
	for _, area := range []string{"write", "edit", "policy"} {
		data, err := os.ReadFile("../../testdata/conformance/" + area + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Vectors []struct {
				ID    string
				Steps []step
			}
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		for _, v := range file.Vectors {
			for _, s := range v.Steps {
				e := s.Expect
				if e.Meta.Diffs == nil || e.Value.Before.null || !e.Value.Before.known || !e.Value.After.known {
					continue
				}
				var want []side
				known := true
				for _, d := range e.Meta.Diffs {
					known = known && d.OldText.known && d.NewText.known
					w := side{d.OldText.string, d.NewText.string}
					if d.OldText.null {
						w.Old = "-"
					}
					want = append(want, w)
				}
				if !known {
					continue
				}
				compared++
				got := sides(linediff.Hunks(e.Value.Before.string, e.Value.After.string))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", v.ID, diff)
				}
			}
		}
	}
	if compared < 150 {
		t.Errorf("compared only %d cards", compared)
	}
	t.Logf("compared %d cards", compared)
}
