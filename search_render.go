package toolfs

import (
	"fmt"
	"strings"

	"github.com/toolfs/toolfs/vfs"
)

// recovery says where the complete result is.
func (s *Search) recovery(stored, narrow string) string {
	if s.Stored == "" {
		return "The complete result could not be saved; " + narrow
	}
	return stored + " stored at: " + s.Stored + ". " + s.StoredHint
}

// notes says what a search did not look into, and how to go on; "" when there is
// nothing to say. Without any result, that hidden and ignored files were left out
// matters too.
func (s *Search) notes(none bool) string {
	r := &s.Report
	var missing []string
	switch r.Stopped {
	case vfs.StoppedByDeadline:
		missing = append(missing, fmt.Sprintf("the search was stopped by its time limit (%v at most); narrow pattern or path, and search again", s.Timeout))
	case vfs.StoppedByCaller:
		missing = append(missing, "the search was cancelled before it was through")
	case vfs.StoppedByBudget:
		missing = append(missing, "there are more results than can be held; narrow pattern or path, and search again")
	}
	if r.Unreadable > 0 {
		text := counted(r.Unreadable, "file or directory", "files or directories") + " could not be read: "
		for i, path := range r.UnreadablePath {
			if i > 0 {
				text += ", "
			}
			text += vfs.QuotePath(path)
		}
		if r.Unreadable > len(r.UnreadablePath) {
			text += ", …"
		}
		missing = append(missing, text)
	}
	if r.Withheld > 0 {
		missing = append(missing, counted(r.Withheld, "entry is", "entries are")+" withheld by the rules of this workspace")
	}
	var b strings.Builder
	if len(missing) > 0 {
		b.WriteString("\n\n(Incomplete: " + strings.Join(missing, "; ") + ".)")
	}
	if skipped := skipped(r, none); len(skipped) > 0 {
		b.WriteString("\n\n(Not searched: " + strings.Join(skipped, ", ") + ".")
		if none && r.Hidden+r.Ignored > 0 {
			b.WriteString(" Name one as path to search it.")
		}
		b.WriteString(")")
	}
	return b.String()
}

func skipped(r *vfs.SearchReport, none bool) (list []string) {
	if r.Binary > 0 {
		list = append(list, counted(r.Binary, "binary file", "binary files"))
	}
	if r.Undecodable > 0 {
		list = append(list, counted(r.Undecodable, "file in an unknown encoding", "files in unknown encodings"))
	}
	if none && r.Hidden > 0 {
		list = append(list, counted(r.Hidden, "hidden entry", "hidden entries"))
	}
	if none && r.Ignored > 0 {
		list = append(list, counted(r.Ignored, "ignored entry", "ignored entries"))
	}
	return list
}
