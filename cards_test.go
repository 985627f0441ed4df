package toolfs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/tool"
)

// What is unusual about a change or a read is on its card, also when that is made from
// what was stored.
func TestCardsSayWhatIsUnusual(t *testing.T) {
	fs := memfs.New(memfs.Options{NoSync: true})
	if err := fs.WriteFile("/utf16", "\xff\xfea\x00\n\x00"); err != nil {
		t.Fatal(err)
	}
	tools, err := toolfs.New(toolfs.Options{Provider: fs, Unguarded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	tests := []struct{ name, args, want string }{
		{"write", `{"file_path":"/new","content":"a\n"}`, `"durable":false}`},
		{"write", `{"file_path":"/new","content":"b\n"}`, `"durable":false}`},
		{"edit", `{"file_path":"/utf16","old_string":"a","new_string":"b"}`, `"durable":false,"encoding":"utf-16le"}`},
		{"read", `{"file_path":"/utf16"}`, `"encoding":"utf-16le"}`},
	}
	for _, tt := range tests {
		call := tool.Call{Name: tt.name, Arguments: []byte(tt.args)}
		r := tools.Execute(t.Context(), call)
		_, done := tools.Cards(call, r)
		if got, err := json.Marshal(done); err != nil || !strings.HasSuffix(string(got), ","+tt.want) {
			t.Errorf("%s %s gives the card %s (%v), which does not end with %s", tt.name, tt.args, got, err, tt.want)
		}
	}
}
