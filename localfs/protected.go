package localfs

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

// protected says why a path is protected, or ""; root is the writable root that it lies
// in, or "".
func (f *fence) protected(root, path string) string {
	if f.state != "" && foldWithin(f.state, path) {
		return "it belongs to the state of toolfs itself"
	}
	rel := path
	if root != "" && within(root, path) {
		rel = strings.TrimPrefix(path[len(root):], string(os.PathSeparator))
	}
	for name := range strings.SplitSeq(rel, string(os.PathSeparator)) {
		if isGit(name) {
			return "git runs and trusts what is in .git"
		}
		if f.ignore != "" && strings.EqualFold(seenBySystem(name), f.ignore) {
			return "it says what is kept from the tools"
		}
	}
	if inGitDir(root, path) {
		return "git runs and trusts what is in its directory"
	}
	for _, p := range f.protect {
		at := p
		if !filepath.IsAbs(p) {
			at = filepath.Join(root, p)
		}
		if (root != "" || at == p) && (foldWithin(at, path) || foldWithin(futurePath(at), path)) {
			return "it is protected by " + vfs.QuotePath(p)
		}
	}
	return ""
}

// inGitDir reports a path in a directory that git takes for one of its own, under
// whatever name: .git may be a link or name another directory. The writable root itself
// does not count, since whoever chose it knew what it is.
func inGitDir(root, path string) bool {
	for dir := filepath.Dir(path); dir != root && !isTop(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
			continue
		}
		objects, err := os.Stat(filepath.Join(dir, "objects"))
		refs, err2 := os.Stat(filepath.Join(dir, "refs"))
		if err == nil && err2 == nil && objects.IsDir() && refs.IsDir() {
			return true
		}
	}
	return false
}
