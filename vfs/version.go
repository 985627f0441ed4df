package vfs

import (
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strconv"
	"strings"
)

// Version names one content of a file. It is opaque: compare for equality only.
// A local file's version is the size and the SHA-256 of the very bytes that were
// read, so it never describes something that nobody saw, and nothing but a
// different content changes it.
type Version string

// DefaultMaxGuardedBytes is the size in bytes up to which content is hashed into a
// version that can authorise a change. Reading has no such limit.
const DefaultMaxGuardedBytes int64 = 64 << 20

const (
	contentPrefix   = "1."
	unguardedPrefix = "0."
)

// VersionOf is the version of exactly these bytes.
func VersionOf(data []byte) Version {
	sum := sha256.Sum256(data)
	return ContentVersion(int64(len(data)), sum)
}

// ContentVersion is the version of content whose size in bytes and SHA-256 are known.
func ContentVersion(size int64, sum [sha256.Size]byte) Version { return contentVersion(size, sum[:]) }

// UnguardedVersion says that a file of size bytes was seen without a hash of its
// content. No content ever matches it: a change that depends on it is refused
// with FS_TOO_LARGE.
func UnguardedVersion(size int64) Version {
	return Version(unguardedPrefix + strconv.FormatInt(size, 10))
}

// UnstableVersion says that a file was seen while it was being written, and perhaps never
// held what was seen. No content ever matches it.
const UnstableVersion Version = unguardedPrefix + "unstable"

// Unguarded reports whether v came from UnguardedVersion, and for what size.
func (v Version) Unguarded() (size int64, ok bool) {
	rest, ok := strings.CutPrefix(string(v), unguardedPrefix)
	if !ok {
		return 0, false
	}
	size, err := strconv.ParseInt(rest, 10, 64)
	return size, err == nil
}

// Hasher computes the version of content that arrives in pieces, up to a limit.
type Hasher struct {
	sum   hash.Hash
	size  int64
	limit int64
}

// NewHasher makes a Hasher. Content longer than limit bytes has an
// UnguardedVersion, and costs no hashing beyond the limit.
func NewHasher(limit int64) *Hasher { return &Hasher{sum: sha256.New(), limit: limit} }

// Write adds a piece; it never fails.
func (h *Hasher) Write(p []byte) (int, error) {
	h.size += int64(len(p))
	if h.sum != nil && h.size > h.limit {
		h.sum = nil
	}
	if h.sum != nil {
		h.sum.Write(p)
	}
	return len(p), nil
}

// Size is the number of bytes written so far.
func (h *Hasher) Size() int64 { return h.size }

// Version is the version of everything written so far.
func (h *Hasher) Version() Version {
	if h.sum == nil {
		return UnguardedVersion(h.size)
	}
	return contentVersion(h.size, h.sum.Sum(nil))
}

func contentVersion(size int64, sum []byte) Version {
	b := make([]byte, 0, 64)
	b = append(b, contentPrefix...)
	b = strconv.AppendInt(b, size, 10)
	b = append(b, '.')
	b = base64.RawURLEncoding.AppendEncode(b, sum)
	return Version(b)
}

// Digest is the size in bytes and the SHA-256 that v names; ok is false when v is not
// a content version.
func (v Version) Digest() (size int64, sum [sha256.Size]byte, ok bool) {
	rest, ok := strings.CutPrefix(string(v), contentPrefix)
	if !ok {
		return 0, sum, false
	}
	digits, encoded, _ := strings.Cut(rest, ".")
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, sum, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || copy(sum[:], raw) != len(sum) || len(raw) != len(sum) {
		return 0, sum, false
	}
	return size, sum, true
}
