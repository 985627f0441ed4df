package atomicfile

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tempNameOf(leaf, want, next string) string {
	w := unguarded
	if want != "" {
		d := DigestOf([]byte(want))
		w = hex.EncodeToString(d.Sum[:8])
	}
	n := DigestOf([]byte(next))
	return TempPrefix + "01234567-" + nameSum(leaf) + "-" + w + "-" + hex.EncodeToString(n.Sum[:8])
}

func TestCollect(t *testing.T) {
	const theirs = "somebody else's"
	tests := []struct {
		name      string
		f         string // what f holds; "" for none
		temp      string // what the temporary file holds
		want      Collected
		after     string // what f holds afterwards
		recovered string // what a file beside it holds afterwards
	}{
		{"never published", oldText, newText, Collected{Removed: 1}, oldText, ""},
		{"replaced", newText, oldText, Collected{Removed: 1}, newText, ""},
		{"replaced, and changed again since", theirs, oldText, Collected{Removed: 1}, theirs, ""},
		{"a stranger taken out", newText, theirs, Collected{Restored: 1}, theirs, ""},
		{"a stranger taken out, and the name moved on", "moved on", theirs, Collected{Recovered: 1}, "moved on", theirs},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, content string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write("f", tt.f)
			write(tempNameOf("f", oldText, newText), tt.temp)
			got, err := (&Publisher{Sys: Kernel{}}).Collect(openDir(t, dir))
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
			content, rest := state(t, dir)
			if content != tt.after || len(rest) > 1 || len(rest) == 1 != (tt.recovered != "") {
				t.Errorf("f holds %q, beside it %q", content, rest)
			}
			if len(rest) == 1 {
				data, err := os.ReadFile(filepath.Join(dir, rest[0]))
				if err != nil || string(data) != tt.recovered || !strings.HasPrefix(rest[0], "f.recovered-") {
					t.Errorf("%s holds %q, %v", rest[0], data, err)
				}
			}
		})
	}
}

func TestCollectRemovesWhatWasBeingStaged(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, stagePrefix+"0123abcd"), []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, tempNameOf("f", "", newText)), []byte("whatever it replaced"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := (&Publisher{Sys: Kernel{}}).Collect(openDir(t, dir))
	if _, rest := state(t, dir); err != nil || got.Removed != 2 || len(rest) > 0 {
		t.Errorf("got %+v, %v; left %q", got, err, rest)
	}
}

func TestCollectLeavesEverythingElseAlone(t *testing.T) {
	dir := t.TempDir()
	good := tempNameOf("f", oldText, newText)
	for _, name := range []string{TempPrefix + "x", good + "0", strings.ToUpper(good), "x" + good, stagePrefix + "xyz", "f"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(newText), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, good), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("f", filepath.Join(dir, tempNameOf("g", oldText, newText))); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&Publisher{Sys: Kernel{}}).Collect(openDir(t, dir))
	after, _ := os.ReadDir(dir)
	if err != nil || got != (Collected{}) || len(after) != len(before) {
		t.Errorf("got %+v, %v; %d names before, %d after", got, err, len(before), len(after))
	}
}
