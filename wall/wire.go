package wall

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"io/fs"
	"net"
	"sync"
	"syscall"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// setup is the first message to a worker. The descriptors of directories follow that of
// the connection: first those that are served, then those that may be written.
type setup struct {
	Roots, Writable int
	Options         localfs.Options
}

// request asks for one change, whose content follows, or takes it back.
type request struct {
	ID      uint64
	Cancel  bool
	Target  vfs.Target
	Size    int
	Absent  bool
	Guarded bool
	Version vfs.Version
	Policy  sandbox.Policy
}

func (r *request) options() vfs.PutOptions {
	o := vfs.PutOptions{Sandbox: r.Policy}
	switch {
	case r.Absent:
		o.If = vfs.IfAbsent()
	case r.Guarded:
		o.If = vfs.IfVersion(r.Version)
	}
	return o
}

// reply answers one request.
type reply struct {
	ID     uint64
	Info   vfs.Info
	Failed *failure
}

// failure is an error on its way between processes.
type failure struct {
	Op, Path  string
	Code      vfs.Code
	Msg       string
	Missing   bool // the cause is fs.ErrNotExist
	Errno     syscall.Errno
	Denied    *sandbox.DeniedError
	CauseText string
}

func failureOf(err error) *failure {
	e, ok := errors.AsType[*vfs.Error](err)
	if !ok {
		return &failure{Code: vfs.CodeIOError, Op: "write", Msg: "the operation failed", CauseText: err.Error()}
	}
	f := &failure{Op: e.Op, Path: e.Path, Code: e.Code, Msg: e.Msg}
	if e.Err != nil {
		f.CauseText = e.Err.Error()
		f.Missing = errors.Is(e.Err, fs.ErrNotExist)
		f.Errno, _ = errors.AsType[syscall.Errno](e.Err)
		f.Denied, _ = errors.AsType[*sandbox.DeniedError](e.Err)
	}
	return f
}

func (f *failure) err() *vfs.Error {
	e := &vfs.Error{Op: f.Op, Path: f.Path, Code: f.Code, Msg: f.Msg}
	switch {
	case f.Denied != nil:
		e.Err = f.Denied
	case f.Errno != 0:
		e.Err = f.Errno
	case f.Missing:
		e.Err = fs.ErrNotExist
	case f.CauseText != "":
		e.Err = errors.New(f.CauseText)
	}
	return e
}

// link is one end of the connection between the two processes.
type link struct {
	conn net.Conn
	r    *bufio.Reader
	dec  *gob.Decoder

	mu  sync.Mutex
	buf bytes.Buffer
	enc *gob.Encoder
}

func newLink(c net.Conn) *link {
	l := &link{conn: c, r: bufio.NewReaderSize(c, 64<<10)}
	l.dec = gob.NewDecoder(l.r)
	l.enc = gob.NewEncoder(&l.buf)
	return l
}

// send gives the other end a message, and data that belongs to it.
func (l *link) send(message any, data []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Reset()
	if err := l.enc.Encode(message); err != nil {
		return err
	}
	pieces := net.Buffers{l.buf.Bytes()}
	if len(data) > 0 {
		pieces = append(pieces, data)
	}
	_, err := pieces.WriteTo(l.conn)
	return err
}

// receive waits for a message of the kind that it is given.
func (l *link) receive(message any) error { return l.dec.Decode(message) }

// data is the bytes that belong to the last message.
func (l *link) data(size int) ([]byte, error) {
	data := make([]byte, size)
	_, err := io.ReadFull(l.r, data)
	return data, err
}
