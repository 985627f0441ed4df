package localfs

import (
	"os"
	"strings"
	"unicode"
)

// isGit reports a name under which some file system finds .git: in other letters, with
// characters that it does not see, as the short name that it makes up, or as a stream.
// Git itself refuses the same.
func isGit(name string) bool {
	name = seenBySystem(name)
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// seenBySystem is a name without what some file system leaves out of it.
func seenBySystem(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimRight(name, ". ")
}

// foldWithin is within, whatever the letters' case: where a place is to be kept from
// something, it is kept under every spelling.
func foldWithin(dir, path string) bool {
	parts, of := strings.Split(path, string(os.PathSeparator)), strings.Split(dir, string(os.PathSeparator))
	if len(of) > len(parts) {
		return false
	}
	for i, name := range of {
		if !strings.EqualFold(name, parts[i]) {
			return false
		}
	}
	return true
}
