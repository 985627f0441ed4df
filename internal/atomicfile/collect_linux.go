package atomicfile

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/sys/unix"
)

// Collected counts what a collection found of publications whose process was killed.
type Collected struct {
	Removed   int // files that were never published, or that were replaced
	Restored  int // changes of others that a publication had taken out, and not put back
	Recovered int // such changes whose name has moved on: kept beside it
}

// Collect cleans a directory up after killed publications. Temporary names exist only
// under the directory's lock, so every one that is found under it is dead. Whatever
// does not look exactly like one is left alone. While another process publishes in the
// directory there is nothing to do.
func (p *Publisher) Collect(dir int) (c Collected, err error) {
	if p.Sys.Lock(dir) != nil {
		return c, nil
	}
	defer p.Sys.Unlock(dir)
	names, err := p.Sys.Names(dir)
	if err != nil {
		return c, err
	}
	for _, name := range names {
		if t, ok := parseTemp(name); ok && p.regular(dir, name) {
			p.collect(dir, t, names, &c)
		}
	}
	return c, nil
}

// temp is what a temporary name says: the beginnings of digests of the leaf, of the
// content that was wanted and of the new content.
type temp struct {
	name            string
	staged          bool
	leaf, want, new string
}

const (
	stagePrefix = TempPrefix + "stage-"
	tempLength  = len(TempPrefix) + 8 + 1 + 8 + 1 + 16 + 1 + 16
)

func parseTemp(name string) (t temp, ok bool) {
	if rest, ok := strings.CutPrefix(name, stagePrefix); ok {
		return temp{name: name, staged: true}, len(rest) == 8 && isHex(rest)
	}
	rest, ok := strings.CutPrefix(name, TempPrefix)
	parts := strings.Split(rest, "-")
	if !ok || len(name) != tempLength || len(parts) != 4 || len(parts[0]) != 8 || len(parts[1]) != 8 || len(parts[2]) != 16 {
		return t, false
	}
	return temp{name: name, leaf: parts[1], want: parts[2], new: parts[3]}, isHex(strings.Join(parts, ""))
}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && s == strings.ToLower(s)
}

func (p *Publisher) regular(dir int, name string) bool {
	var st unix.Stat_t
	return p.Sys.StatAt(dir, name, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
}

// collect decides about one file by its content: the new content was never published,
// the wanted one was replaced; anything else was taken out by an exchange that nobody
// verified, and is somebody's.
func (p *Publisher) collect(dir int, t temp, names []string, c *Collected) {
	sum, err := p.sumOf(dir, t.name)
	if err != nil && !t.staged {
		return // what cannot be judged is not ours to delete
	}
	if t.staged || sum == t.new || sum == t.want || t.want == unguarded {
		if p.Sys.Unlink(dir, t.name) == nil {
			c.Removed++
		}
		return
	}
	for _, leaf := range names {
		if nameSum(leaf) != t.leaf {
			continue
		}
		if now, err := p.sumOf(dir, leaf); err == nil && now == t.new {
			if p.Sys.Rename(dir, t.name, leaf, unix.RENAME_EXCHANGE) == nil && p.Sys.Unlink(dir, t.name) == nil {
				c.Restored++
			}
			return
		}
		if p.keep(dir, t.name, leaf) {
			c.Recovered++
		}
		return
	}
	// The name itself is gone: the file has no other place than this.
}

// keep gives a file that is somebody's a name that people will find.
func (p *Publisher) keep(dir int, name, leaf string) bool {
	var random [4]byte
	rand.Read(random[:])
	return p.Sys.Rename(dir, name, conflictName(leaf, "recovered-"+hex.EncodeToString(random[:])), unix.RENAME_NOREPLACE) == nil
}

// sumOf is the beginning of the digest of a file's content, as temporary names have it.
func (p *Publisher) sumOf(dir int, name string) (string, error) {
	handle, err := p.Sys.OpenPath(dir, name)
	if err != nil {
		return "", err
	}
	defer p.Sys.Close(handle)
	fd, err := p.Sys.OpenRead(handle)
	if err != nil {
		return "", err
	}
	defer p.Sys.Close(fd)
	d, err := p.digest(fd)
	return hex.EncodeToString(d.Sum[:8]), err
}

func nameSum(leaf string) string {
	sum := sha256.Sum256([]byte(leaf))
	return hex.EncodeToString(sum[:4])
}

// unguarded stands in a temporary name for a wanted content when any was.
var unguarded = hex.EncodeToString(bytes.Repeat([]byte{0xff}, 8))
