package search

import (
	"bytes"
	"slices"

	"github.com/toolfs/toolfs/vfs"
)

// listing is the names in one directory. They lie in blocks, and take six bytes each
// beside their own, since a directory may have millions of them.
type listing struct {
	blocks [][]byte // of names, each after two bytes for its length and one for its kind
	refs   []nameRef
}

// nameRef is the number of a block and, in its last bits, where in it a name is.
type nameRef uint32

const (
	blockBits = 15
	blockSize = 1 << blockBits
	header    = 3
	// maxName is how many bytes a name has at most. Disks allow 255.
	maxName = 2 << 10
)

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
	if k == isOther || len(name) == 0 || len(name) > maxName || bytes.IndexByte(name, '/') >= 0 {
		return
	}
	last := len(l.blocks) - 1
	if last < 0 || cap(l.blocks[last])-len(l.blocks[last]) < header+len(name) {
		// The first block is small: so are most directories.
		size := blockSize
		if last++; last == 0 {
			size = header + maxName
		}
		if last >= 1<<(32-blockBits) {
			return // four gigabytes of names in one directory
		}
		l.blocks = append(l.blocks, make([]byte, 0, size))
	}
	b := l.blocks[last]
	l.refs = append(l.refs, nameRef(last<<blockBits|len(b)))
	l.blocks[last] = append(append(b, byte(len(name)), byte(len(name)>>8), byte(k)), name...)
}

func (l *listing) entry(r nameRef) (name []byte, k kind) {
	b := l.blocks[r>>blockBits][r&(blockSize-1):]
	return b[header:][:int(b[0])|int(b[1])<<8], kind(b[2])
}

// at gives the entry with a number, once the listing is sorted.
func (l *listing) at(i int) (name string, k kind) {
	b, k := l.entry(l.refs[i])
	return string(b), k
}

func (l *listing) bytes(r nameRef) []byte {
	name, _ := l.entry(r)
	return name
}

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
