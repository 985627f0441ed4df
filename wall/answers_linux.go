package wall

import "os"

func (w *remote) alive() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.dead
}

func (w *remote) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending) == 0
}

// outdated reports that a directory is writable now which the worker does not know.
func (w *remote) outdated(dirs []string) bool {
	for _, dir := range dirs {
		now, err := os.Lstat(dir)
		if err == nil && now.IsDir() && !w.knows(now) {
			return true
		}
	}
	return false
}

func (w *remote) knows(dir os.FileInfo) bool {
	for _, known := range w.written {
		if os.SameFile(known, dir) {
			return true
		}
	}
	return false
}

// settle ends a call, unless it is over already.
func (w *remote) settle(id uint64, out outcome) {
	w.mu.Lock()
	call := w.pending[id]
	delete(w.pending, id)
	w.mu.Unlock()
	if call != nil {
		call.over()
		call.done <- out
	}
}

// listen hands the answers on until the worker is gone.
func (w *remote) listen() {
	defer close(w.reading)
	for {
		var a reply
		if w.receive(&a) != nil {
			break
		}
		out := outcome{info: a.Info}
		if a.Failed != nil {
			out.err = a.Failed.err()
		}
		w.settle(a.ID, out)
	}
	w.mu.Lock()
	w.dead = true
	orphans := w.pending
	w.pending = map[uint64]*pendingCall{}
	w.mu.Unlock()
	for _, call := range orphans {
		call.over()
		call.done <- outcome{err: lost(call.target)}
	}
}

// end has the worker finish and waits for it.
func (w *remote) end() {
	w.conn.Close()
	w.process.end()
	<-w.reading
}
