package policy

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolfs/toolfs/vfs"
)

// exportFormat is the version of the exported form; another one is refused.
const exportFormat = 1

type export struct {
	Format int             `json:"format"`
	Files  []exportedEntry `json:"files"` // least recently used first
}

type exportedEntry struct {
	Key     string      `json:"key"`
	Absent  bool        `json:"absent,omitempty"`
	Version vfs.Version `json:"version,omitempty"`
}

// Export gives what a session has seen as JSON, for Restore in another process. It
// holds paths and hashes of contents, no contents.
func (o *Observe) Export(session string) ([]byte, error) {
	e := export{Format: exportFormat, Files: []exportedEntry{}}
	o.mu.Lock()
	if l, ok := o.sessions.get(session); ok {
		for key, seen := range l.oldestFirst() {
			e.Files = append(e.Files, exportedEntry{Key: key, Absent: seen.version == "", Version: seen.version})
		}
	}
	o.mu.Unlock()
	return json.Marshal(e)
}

// Restore makes a session know exactly what Export gave. A version names a content,
// so a restored entry authorises nothing that was not seen: a file that changed
// meanwhile is stale. Data that is damaged changes nothing.
func (o *Observe) Restore(session string, data []byte) error {
	var e export
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("the exported observations are damaged: %w", err)
	}
	if e.Format != exportFormat {
		return fmt.Errorf("the exported observations have format %d; this version reads format %d", e.Format, exportFormat)
	}
	if session == "" {
		return errors.New("observations belong to a session: its id is empty")
	}
	l := newRecent[string, observation](o.options.MaxFiles)
	for _, f := range e.Files {
		if f.Key == "" || f.Absent == (f.Version != "") {
			return fmt.Errorf("the exported observations are damaged: the entry for %q is neither present nor absent", f.Key)
		}
		l.put(f.Key, observation{version: f.Version})
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sessions.put(session, l)
	return nil
}
