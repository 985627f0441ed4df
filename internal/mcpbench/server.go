package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// server is a running contestant.
type server struct {
	dialect dialect
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	dir     string
	id      int
	line    []byte
}

// start runs a server until it has answered initialize and tools/list.
func start(c contestant) (*server, time.Duration, error) {
	dir, err := workspace()
	if err != nil {
		return nil, 0, err
	}
	words := strings.Fields(strings.ReplaceAll(c.command, "{dir}", dir))
	s := &server{dialect: c.dialect, dir: dir, cmd: exec.Command(words[0], words[1:]...)}
	s.cmd.Dir = dir
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, 0, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	hello := s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18",
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "mcpbench", "version": "1"},
	})
	hello = append(hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"...)
	list := s.request("tools/list", map[string]any{})

	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, 0, err
	}
	if _, err := s.exchange(hello, s.id-1); err != nil {
		return nil, 0, err
	}
	if _, err := s.exchange(list, s.id); err != nil {
		return nil, 0, err
	}
	return s, time.Since(began), nil
}

// stop ends the server the way that a client does: it closes its input.
func (s *server) stop() error {
	s.in.Close()
	io.Copy(io.Discard, s.out)
	err := s.cmd.Wait()
	os.RemoveAll(s.dir)
	return err
}

// round makes each of the timed calls once.
func (s *server) round(report func(kind string, took time.Duration)) error {
	d := s.dialect
	small := fill("a line of a small file\n", 1<<10)
	large := fill("\tfmt.Fprintf(w, \"a line of %d bytes\\n\", n) // and a comment\n", 1<<20)
	steps := []struct {
		kind, tool string
		args       map[string]any
	}{
		{"read 2000 lines", d.read, map[string]any{d.readPath: filepath.Join(s.dir, "source.go"), d.readLimit: 2000}},
		{"write 1 KiB", d.write, map[string]any{d.writePath: filepath.Join(s.dir, "small.txt"), "content": small + fmt.Sprint(s.id)}},
		{"write 1 MiB", d.write, map[string]any{d.writePath: filepath.Join(s.dir, "large.txt"), "content": large + fmt.Sprint(s.id)}},
	}
	for _, step := range steps {
		line := s.request("tools/call", map[string]any{"name": step.tool, "arguments": step.args})
		took, err := s.exchange(line, s.id)
		if err == nil && (bytes.Contains(s.line, []byte(`"isError":true`)) || bytes.Contains(s.line, []byte(`"error":`))) {
			err = fmt.Errorf("%s failed: %.300s", step.kind, s.line)
		}
		if err != nil {
			return err
		}
		report(step.kind, took)
	}
	return nil
}

// fill is a text of a size, made of one line.
func fill(line string, size int) string {
	return strings.Repeat(line, size/len(line)+1)[:size]
}

// request gives the line of a call, and its id in s.id.
func (s *server) request(method string, params any) []byte {
	s.id++
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		panic(err) // strings and maps always encode
	}
	return line.Bytes()
}

// exchange sends a line and reads up to the answer with the id, which is left in s.line;
// took is the time from the first byte to the last.
func (s *server) exchange(line []byte, id int) (took time.Duration, err error) {
	want := regexp.MustCompile(fmt.Sprintf(`"id":%d[,}]`, id))
	sent := make(chan error, 1)
	began := time.Now()
	go func() { _, err := s.in.Write(line); sent <- err }()
	for {
		if err := s.receive(); err != nil {
			return 0, fmt.Errorf("no answer to %d: %w", id, err)
		}
		took = time.Since(began)
		head, tail := s.line[:min(len(s.line), 64)], s.line[max(0, len(s.line)-64):]
		if want.Match(head) || want.Match(tail) {
			return took, <-sent
		}
	}
}

// receive reads a line into s.line.
func (s *server) receive() error {
	s.line = s.line[:0]
	for {
		part, err := s.out.ReadSlice('\n')
		s.line = append(s.line, part...)
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}
