//go:build !toolfs_portable

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// fields are the numbers in a file: one for each other program, and then ours. Each has
// its place, so that it can be written alone.
type fields [4]int

const (
	ourField   = 3
	fieldWidth = 16
	padding    = 4096
)

func newFields() fields { return fields{} }

func field(number int) []byte { return fmt.Appendf(nil, "%0*d\n", fieldWidth-1, number) }

func (f fields) bytes() []byte {
	var b []byte
	for _, n := range f {
		b = append(b, field(n)...)
	}
	return append(b, bytes.Repeat([]byte{'.'}, padding)...)
}

func parseFields(data []byte) (f fields, err error) {
	if len(data) != len(f)*fieldWidth+padding {
		return f, fmt.Errorf("the file has %d bytes", len(data))
	}
	for i := range f {
		text := string(data[i*fieldWidth : (i+1)*fieldWidth-1])
		if f[i], err = strconv.Atoi(strings.TrimLeft(text[:fieldWidth-2], "0") + text[fieldWidth-2:]); err != nil {
			return f, err
		}
	}
	return f, nil
}

func readFields(path string) (f fields, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	return parseFields(data)
}

// keptBeside reports whether a file beside f has the number in a field.
func keptBeside(p *place, i, number int) bool {
	paths, _ := filepath.Glob(p.file(leaf + ".*"))
	for _, path := range paths {
		if f, err := readFields(path); err == nil && f[i] == number {
			return true
		}
	}
	return false
}
