package memfs

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

// node is one thing in the tree. Files, links and special files never change once they
// are in it: new content is a new node, so that an open file keeps its own.
type node struct {
	kind     vfs.Type
	content  string           // of a file; where a link leads
	version  vfs.Version      // of a file
	children map[string]*node // of a directory

	// unsynced is set on what Put published and no Sync made durable yet; the disk
	// still holds before in its place, nil for nothing.
	unsynced bool
	before   *node
}

func newDir() *node { return &node{kind: vfs.TypeDirectory, children: map[string]*node{}} }

// makeDirs makes the directories named by parts where they are missing, and gives the
// last one; nil when something else is in the way.
func (n *node) makeDirs(parts []string, unsynced bool) *node {
	for _, name := range parts {
		child := n.children[name]
		if child == nil {
			child = newDir()
			child.unsynced = unsynced
			n.children[name] = child
		}
		child.unsynced = child.unsynced && unsynced
		if child.kind != vfs.TypeDirectory {
			return nil
		}
		n = child
	}
	return n
}

// sorted gives a directory's names in order.
func (n *node) sorted() []string { return slices.Sorted(maps.Keys(n.children)) }

// maxLinks is how many links a path may lead through, as in the kernel.
const maxLinks = 40

var (
	errMissing   = errors.New("not found")
	errNotDir    = errors.New("a parent path segment is not a directory")
	errManyLinks = errors.New("too many symbolic links, or one that is not followed")
	errIsLink    = errors.New("the path was changed while it was being opened; try again")
)

// walk finds the canonical path that an absolute path leads to, component by component
// and through every link, and what is there: nil when it is missing. On an error,
// canonical is how far it came.
func (n *node) walk(asked string) (canonical string, at *node, err error) {
	var names []string // of the directories in stack, below the root
	stack := []*node{n}
	rest := split(asked)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		dir := stack[len(stack)-1]
		if name == ".." {
			if len(names) > 0 {
				names, stack = names[:len(names)-1], stack[:len(stack)-1]
			}
			continue
		}
		child := dir.children[name]
		switch {
		case child == nil && slices.Contains(rest, ".."):
			return join(append(names, name)), nil, errMissing
		case child == nil:
			return join(append(append(names, name), rest...)), nil, nil
		case child.kind == vfs.TypeSymlink:
			if links++; links > maxLinks {
				return join(append(names, name)), nil, errManyLinks
			}
			if strings.HasPrefix(child.content, "/") {
				names, stack = nil, stack[:1]
			}
			rest = append(split(child.content), rest...)
			continue
		case child.kind != vfs.TypeDirectory && len(rest) > 0:
			return join(append(names, name)), nil, errNotDir
		}
		names, stack = append(names, name), append(stack, child)
	}
	return join(names), stack[len(stack)-1], nil
}

// lookUp gives what is at a canonical path, without following a link anywhere; a link
// in the way was put there after the path was found.
func (n *node) lookUp(key string) (*node, error) {
	for _, name := range split(key) {
		if n.kind != vfs.TypeDirectory {
			return nil, errNotDir
		}
		child := n.children[name]
		switch {
		case child == nil:
			return nil, errMissing
		case child.kind == vfs.TypeSymlink:
			return nil, errIsLink
		}
		n = child
	}
	return n, nil
}

// split gives the components of a path, without empty ones and ".".
func split(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(s string) bool { return s == "" || s == "." })
}

func join(names []string) string { return "/" + strings.Join(names, "/") }

// within reports whether a canonical path is dir or lies below it.
func within(dir, p string) bool {
	return dir == p || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// leaf splits a canonical path into its directory's components and its last name.
func leaf(key string) (dir []string, name string) { return split(path.Dir(key)), path.Base(key) }
