package search

import (
	"bytes"
	"slices"

	"github.com/toolfs/toolfs/vfs"
)

// listing is the names in one directory. A million of them take some twenty bytes each
// beside their own.
type listing struct {
	names []byte
	refs  []nameRef
}

type nameRef struct {
	start  uint32
	length uint16
	kind   kind
}

type kind uint8

const (
	isOther kind = iota
	isFile
	isDir
)

// add keeps a name; links and all else that is neither a file nor a directory are
// passed over, and so is what could not be the name of one.
func (l *listing) add(name []byte, t vfs.Type) {
	k := isOther
	switch t {
	case vfs.TypeFile:
		k = isFile
	case vfs.TypeDirectory:
		k = isDir
	}
	if k == isOther || len(name) == 0 || len(name) > 1<<16-1 || len(l.names) > 1<<32-1<<17 || bytes.IndexByte(name, '/') >= 0 {
		return
	}
	l.refs = append(l.refs, nameRef{uint32(len(l.names)), uint16(len(name)), k})
	l.names = append(l.names, name...)
}

func (l *listing) bytes(r nameRef) []byte { return l.names[r.start:][:r.length] }

func (l *listing) name(i int) string { return string(l.bytes(l.refs[i])) }

func (l *listing) sort() {
	slices.SortFunc(l.refs, func(a, b nameRef) int { return bytes.Compare(l.bytes(a), l.bytes(b)) })
}

// has reports an entry of a name.
func (l *listing) has(name string) bool {
	_, ok := slices.BinarySearchFunc(l.refs, name, func(r nameRef, s string) int {
		return bytes.Compare(l.bytes(r), []byte(s))
	})
	return ok
}
