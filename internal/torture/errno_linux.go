//go:build !toolfs_portable

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/toolfs/toolfs/internal/atomicfile"
)

// errnos are what a call may fail with.
func errnos() []unix.Errno {
	return []unix.Errno{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EFBIG, unix.EROFS, unix.EPERM, unix.EACCES, unix.EBUSY}
}

// failCalls lets every call of every publication fail in every way, at each time that it
// is made, once and from then on for ever; and meets disks that are really full.
func failCalls(ctx context.Context, c config, r *report) error {
	p, err := newPlace(memory)
	if err != nil {
		return err
	}
	defer p.remove()
	for _, pub := range publications() {
		if !c.wants(pub.name) || pub.name == late {
			continue
		}
		m := matrix{pub: pub, p: p, r: r}
		for _, call := range calls() {
			for _, errno := range errnos() {
				for _, forever := range []bool{false, true} {
					if err := m.failEach(ctx, call, errno, forever); err != nil {
						return err
					}
				}
			}
		}
		m.report()
	}
	if !c.wants("disks") {
		return nil
	}
	return fillDisks(ctx, c, r)
}

// matrix is all failures of one publication.
type matrix struct {
	pub publication
	p   *place
	r   *report

	failures, kept, published, wrong int
	never                            []string // calls that it does not make
}

// failEach fails the n-th call, for every n that there is.
func (m *matrix) failEach(ctx context.Context, call string, errno unix.Errno, forever bool) error {
	for n := 1; ctx.Err() == nil; n++ {
		count := 0
		sys := &hooked{sys: atomicfile.Kernel{}, short: 16 << 10, leave: func(string) {},
			enter: func(c string) error {
				if c == call {
					count++
				}
				if c == call && (count == n || forever && count > n) {
					return errno
				}
				return nil
			}}
		if err := m.prepare(); err != nil {
			return err
		}
		outcome, err := m.pub.publish(sys, m.p)
		if count < n {
			if n == 1 && !slices.Contains(m.never, call) {
				m.never = append(m.never, call)
			}
			return nil
		}
		name := fmt.Sprintf("%s number %d: %s, for ever %t", call, n, unix.ErrnoName(errno), forever)
		if err := m.judge(ctx, name, call, outcome, err); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// prepare gives the directory what the publication finds: a file of another owner and
// with an attribute, where there is to be one, so that there is much to keep.
func (m *matrix) prepare() error {
	entries, err := os.ReadDir(m.p.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Remove(m.p.file(e.Name())); err != nil {
			return err
		}
	}
	err = errors.Join(os.RemoveAll(m.p.journal().Dir), os.RemoveAll(m.p.intrusion()))
	if err != nil || !m.pub.old {
		return err
	}
	if err := os.WriteFile(m.p.file(leaf), oldContent(), 0o640); err != nil {
		return err
	}
	unix.Setxattr(m.p.file(leaf), "user.torture", []byte("kept"), 0)
	if os.Geteuid() == 0 {
		return os.Chown(m.p.file(leaf), 1, 1)
	}
	return nil
}

// judge compares what the publication said with what the directory holds. A file beside it
// is in order only where it could not be removed, and a collection removes it.
func (m *matrix) judge(ctx context.Context, name, call string, o atomicfile.Outcome, failed error) error {
	m.failures++
	var f fate
	content, beside := f.name(m.p), residue(m.p.dir)
	left, err := m.p.restart(ctx)
	if err != nil {
		return err
	}
	after := f.name(m.p)
	want := m.wanted(failed)
	if want == "new" {
		m.published++
	} else {
		m.kept++
	}
	mayStay := call == "Unlink" || call == "Rename"
	var why string
	switch {
	case content != want && after != want:
		why = "the file is " + content + ", and should be " + want
	case content != after && content != "torn" && !mayStay:
		why = "the file was " + content + ", and is " + after + " after a collection"
	case failed == nil && call == "Sync" && !o.NotDurable:
		why = "it claims to be durable"
	case beside > 0 && !mayStay:
		why = "there is residue"
	case left > 0:
		why = "there is residue after a collection"
	default:
		return nil
	}
	m.wrong++
	if m.wrong <= 12 {
		m.r.say(m.pub.name+": "+name, fmt.Sprintf("%s; the answer was %v", why, failed))
	}
	return nil
}

// wanted is what the file must hold after a publication that ended so.
func (m *matrix) wanted(failed error) string {
	_, err := os.Stat(m.p.intrusion())
	switch {
	case err == nil:
		return "theirs"
	case failed == nil:
		return "new"
	case m.pub.old:
		return "old"
	}
	return "absent"
}

func (m *matrix) report() {
	name := m.pub.name
	m.r.atLeast(name+": failures", m.failures, 100)
	m.r.say(name+": kept, published", fmt.Sprintf("%d, %d", m.kept, m.published))
	m.r.none(name+": wrong", m.wrong)
	m.r.say(name+": calls that it does not make", strings.Join(m.never, " "))
}
