package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
)

// search is what the flags say of glob and grep, and the person's own ignore file.
func (w workspace) search() toolfs.SearchOptions {
	return toolfs.SearchOptions{HeadOverCap: w.NoSampledGlob, ResultsDir: w.resultsDir(), GlobalIgnore: globalIgnore()}
}

// resultsDir is where complete results are kept, "" for nowhere.
func (w workspace) resultsDir() string {
	state := localfs.StateDir("")
	switch {
	case w.NoResults:
		return ""
	case w.ResultsDir != "" || state == "":
		return w.ResultsDir
	}
	return filepath.Join(state, "results")
}

// ownPlaces is where the program itself writes, whatever the tools may change. What is not
// there yet is made, since behind the second wall nobody could.
func (w workspace) ownPlaces() []string {
	dir := w.resultsDir()
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return nil // without it, no results are kept
	}
	return []string{dir}
}

// below is a path below one of the directories of the XDG Base Directory Specification,
// or "" where there is none.
func below(variable, fallback, path string) string {
	dir := os.Getenv(variable)
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, fallback)
	}
	return filepath.Join(dir, path)
}

// maxGlobalIgnore is how many bytes of a person's own files are read.
const maxGlobalIgnore = 1 << 20

// globalIgnore reads the file that git calls core.excludesFile.
func globalIgnore() []byte {
	path := below("XDG_CONFIG_HOME", ".config", "git/ignore")
	home, err := os.UserHomeDir()
	if err == nil {
		// The later of git's two files counts, and the one in the home directory is it.
		for _, config := range []string{below("XDG_CONFIG_HOME", ".config", "git/config"), filepath.Join(home, ".gitconfig")} {
			if set, ok := excludesFile(readFile(config)); ok {
				path = set
			}
		}
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		return nil
	}
	return readFile(path)
}

// excludesFile finds core.excludesFile in a git configuration. Files that it includes
// are not looked at.
func excludesFile(config []byte) (path string, ok bool) {
	section := ""
	for line := range bytes.Lines(config) {
		text := strings.TrimSpace(string(line))
		if name, is := strings.CutPrefix(text, "["); is {
			section, _, _ = strings.Cut(name, "]")
			section = strings.ToLower(strings.TrimSpace(section))
			continue
		}
		key, value, is := strings.Cut(text, "=")
		if is && section == "core" && strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			path, ok = strings.Trim(strings.TrimSpace(value), `"`), true
		}
	}
	return path, ok
}

// readFile gives what a regular file holds, nil when there is none.
func readFile(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxGlobalIgnore))
	if err != nil {
		return nil
	}
	return data
}
