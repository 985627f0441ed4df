package atomicfile

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// CannotReplace reports that a replacement failed because the name cannot be given to
// another file there: the file is a mount point, the directory may not be written, or
// its owner cannot be kept. InPlace may serve then.
func CannotReplace(err error) bool {
	return errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EXDEV)
}

// ErrLinked says that a file has more names than the one that was given, so that to
// write it in place could change a file elsewhere.
var ErrLinked = errors.New("the file has other names")

// InPlace writes data into the file itself. What it held is kept in the journal until
// the new content is on disk, so that a crash in between can be undone; a lease keeps
// others from opening it meanwhile, where leases are to be had. Errors: ErrGone,
// ErrChanged, ErrNotRegular, ErrInUse, ErrLinked.
func (p *Publisher) InPlace(ctx context.Context, j *Journal, dir int, leaf, path string, data []byte, want Digest) (Outcome, error) {
	unlock, err := p.lock(ctx, dir)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	handle, links, err := p.precheck(dir, leaf, &want)
	if err != nil {
		return Outcome{}, err
	}
	defer p.Sys.Close(handle)
	if links > 1 {
		return Outcome{}, ErrLinked
	}
	fd, err := p.Sys.OpenWrite(handle)
	if err != nil {
		return Outcome{}, err
	}
	defer p.Sys.Close(fd) // which drops the lease
	err = poll(ctx, 5*time.Millisecond, leasePatience, ErrInUse, func() bool {
		return p.Sys.SetLease(fd, unix.F_WRLCK) != unix.EAGAIN
	})
	if err != nil {
		return Outcome{}, err
	}
	old, err := p.content(fd, want)
	if err != nil {
		return Outcome{}, err
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	var st unix.Stat_t
	if err := p.Sys.Stat(fd, &st); err != nil {
		return Outcome{}, err
	}
	content := DigestOf(data)
	undo, err := j.begin(entry{Dev: st.Dev, Ino: st.Ino, Path: path, Old: hexSum(want), New: hexSum(content), OldSize: len(old)}, old, data)
	if err != nil {
		return Outcome{}, err
	}
	if err := p.rewrite(fd, data, int64(len(old))); err != nil {
		if back := p.rewrite(fd, old, int64(len(data))); back != nil {
			undo.leave() // the next start tries again
			return Outcome{}, err
		}
		undo.end()
		return Outcome{}, err
	}
	undo.end()
	return Outcome{Content: content, Guarantee: InPlace, Links: 1}, nil
}

// content reads the whole open file, which must be as wanted.
func (p *Publisher) content(fd int, want Digest) ([]byte, error) {
	data, err := p.readAll(fd, want.Size)
	if err == nil && DigestOf(data) != want {
		err = ErrChanged
	}
	return data, err
}

// rewrite makes data the whole content of the open file. Room for it is made first, so
// that a full disk changes nothing.
func (p *Publisher) rewrite(fd int, data []byte, oldSize int64) error {
	if int64(len(data)) > oldSize {
		if err := p.Sys.Reserve(fd, int64(len(data))); err != nil && ignoreUnsupported(err) != nil {
			return err
		}
	}
	for at := 0; at < len(data); {
		n, err := p.Sys.WriteAt(fd, data[at:], int64(at))
		if err != nil {
			return err
		}
		at += n
	}
	if int64(len(data)) < oldSize {
		if err := p.Sys.Truncate(fd, int64(len(data))); err != nil {
			return err
		}
	}
	return p.sync(fd)
}
