package card_test

import (
	"encoding/json"
	"testing"

	"github.com/toolfs/toolfs/card"
)

func TestSearchMeta(t *testing.T) {
	for data, ok := range map[string]bool{
		`{"shape":"paths","paths":[],"truncated":false,"total":0}`:                                                       true,
		`{"shape":"paths","paths":["a"],"truncated":true,"total":2}`:                                                     true,
		`{"shape":"matches","files":[],"truncated":false,"total":0}`:                                                     true,
		`{"shape":"matches","files":[{"path":"a","matches":[{"lineNumber":1,"line":"x"}]}],"truncated":false,"total":1}`: true,
		`{"shape":"matches","files":[{"path":"a","matches":[{"lineNumber":0,"line":"x"}]}],"truncated":false,"total":1}`: false,
		`{"shape":"matches","files":[{"path":"a"}],"truncated":false,"total":1}`:                                         false,
		`{"shape":"matches","paths":[],"truncated":false,"total":0}`:                                                     false,
		`{"shape":"paths","paths":[null],"truncated":false,"total":1}`:                                                   false,
		`{"shape":"paths","paths":[],"total":0}`:                                                                         false,
		`{"shape":"paths","paths":[],"truncated":false,"total":-1}`:                                                      false,
		`{"shape":"other","paths":[],"truncated":false,"total":0}`:                                                       false,
		`null`: false, ``: false,
	} {
		m, got := card.ParseSearchMeta([]byte(data))
		if got != ok {
			t.Errorf("%s: %v", data, got)
			continue
		}
		if again, err := json.Marshal(&m); ok && (err != nil || string(again) != data) {
			t.Errorf("%s comes back as %s, %v", data, again, err)
		}
	}
}
