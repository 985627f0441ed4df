package localfs

import "sync"

// lateCloser closes something once it is asked to and no call uses it any more: a call
// that was left behind on a file system that does not answer still does.
type lateCloser struct {
	mu     sync.Mutex
	using  int
	closed bool
	close  func() error
}

// use keeps it open while call runs.
func (l *lateCloser) use(call func()) {
	l.mu.Lock()
	l.using++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.using--
		last := l.closed && l.using == 0
		l.mu.Unlock()
		if last {
			l.close()
		}
	}()
	call()
}

// Close implements io.Closer.
func (l *lateCloser) Close() error {
	l.mu.Lock()
	already, busy := l.closed, l.using > 0
	l.closed = true
	l.mu.Unlock()
	if already || busy {
		return nil
	}
	return l.close()
}
