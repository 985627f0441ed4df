package mcpserver

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the server says into the transcripts")

// A transcript is a txtar archive: the files of the workspace, and "transcript" with a
// line for each message, after "> " what the client says and after "< " what the server
// answers, in which $WORK stands for the workspace and $STATE for the last request state.
// The client waits for the answers before it says more. Where a transcript is about
// approval nothing may be changed in the workspace without.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no transcripts: ", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			files := map[string]string{}
			for _, f := range archive.Files[:last] {
				files[f.Name] = string(f.Data)
			}
			want := string(archive.Files[last].Data)
			got := replay(t, files, strings.HasPrefix(filepath.Base(path), "approval"), want)
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// replay says what the client says in a transcript and gives what both said. Where it
// shows no answer yet, one is waited for if the message asks for it.
func replay(t *testing.T, files map[string]string, approval bool, transcript string) string {
	var dir, state string
	var c *client
	if approval {
		s := confine(t, files, Options{Version: "1.2.3"}, AskerOptions{})
		dir, c = s.dir, dial(t, s.Server)
	} else {
		dir = workspace(t, files)
		c = dial(t, fileServer(t, dir, Options{Version: "1.2.3"}))
	}
	made := regexp.MustCompile(`"requestState":"([^"]*)"`)
	var said strings.Builder
	for line := range strings.Lines(transcript) {
		message, mine := strings.CutPrefix(line, "> ")
		if !mine {
			if line != "\n" && !strings.HasPrefix(line, "#") {
				continue
			}
			said.WriteString(line)
			continue
		}
		said.WriteString(line)
		c.send(strings.NewReplacer("$WORK", dir, "$STATE", state).Replace(strings.TrimSuffix(message, "\n")))
		if strings.Contains(message, `"id"`) || !strings.Contains(message, `"notifications/`) {
			line := c.line()
			if m := made.FindStringSubmatch(line); m != nil {
				state = m[1]
				line = strings.Replace(line, state, "$STATE", 1)
			}
			said.WriteString("< " + strings.ReplaceAll(line, dir, "$WORK") + "\n")
		}
	}
	c.in.Close()
	if err := c.end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	return said.String()
}
