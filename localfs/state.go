package localfs

import (
	"os"
	"path/filepath"
)

// stateDir is where the provider keeps what must outlive it: the directory given, else
// toolfs in the user's state directory; "" when there is no place for it.
func stateDir(given string) string {
	if given != "" {
		return given
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "toolfs")
}
