//go:build !toolfs_portable

package localfs

import (
	"context"
	"io"
	"strings"

	"github.com/toolfs/toolfs/internal/textedit"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/vfs"
)

// bigChunk is how much of a large file is in memory while it is searched.
const bigChunk = 256 << 10

// utf8Name is the provider's encoding when nothing else was asked for.
const utf8Name = "utf-8"

// marked stands for a file whose mark says that it is not UTF-8: the helper edits it, or
// knows why not.
const marked = "marked"

// search is one pass over a large file.
type search struct {
	scanners []*textedit.Scanner // the first that finds anything counts
	hash     *vfs.Hasher
	begun    bool
}

// newSearch looks for old as textedit.Apply does: a CR in front of a line's ending counts
// only where the text is not found without.
func newSearch(old string, limit int64) *search {
	s := &search{scanners: []*textedit.Scanner{textedit.NewScanner(old)}, hash: vfs.NewHasher(limit)}
	if strings.Contains(old, "\r\n") {
		s.scanners = append(s.scanners, textedit.NewVerbatimScanner(old))
	}
	return s
}

func (s *search) found() *textedit.Scanner {
	for _, x := range s.scanners {
		if x.Count() > 0 {
			return x
		}
	}
	return s.scanners[0]
}

// run gives why the file is no text that can be edited here, or "".
func (s *search) run(ctx context.Context, r io.Reader) (why string, err error) {
	buf := make([]byte, bigChunk)
	rest := 0
	for {
		if ctx.Err() != nil {
			return "", vfs.Aborted("edit", context.Cause(ctx))
		}
		n, err := io.ReadFull(r, buf[rest:])
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return "", err
		}
		piece := buf[rest : rest+n]
		s.hash.Write(piece)
		if why == "" {
			why = s.check(buf[:rest+n], last)
			for _, x := range s.scanners {
				x.Write(piece)
			}
		}
		if why == marked {
			return why, nil
		}
		if last {
			for _, x := range s.scanners {
				x.Close()
			}
			return why, nil
		}
		rest = copy(buf, buf[len(buf)-textenc.Unfinished(buf):])
	}
}

// check gives why data, which ends the file or not, is no text that can be edited here.
func (s *search) check(data []byte, last bool) string {
	if !s.begun {
		s.begun = true
		if !textenc.Of(data, textenc.UTF8).Plain() {
			return marked
		}
	}
	if !last {
		data = data[:len(data)-textenc.Unfinished(data)]
	}
	return textenc.Invalid(data)
}
