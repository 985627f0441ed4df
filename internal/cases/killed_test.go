//go:build linux

package cases_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
)

// endlessWriter names the environment variable that makes this program write the file
// it names until it is killed, endlessState the one for where it may keep its state.
const (
	endlessWriter = "TOOLFS_TEST_ENDLESS_WRITER"
	endlessState  = "TOOLFS_TEST_ENDLESS_STATE"
)

const endlessSize = 200_000

// writeForEver writes whole versions of a file, and a line of output after each. It
// does not wait for the disk: a killed process loses nothing that it gave the kernel.
func writeForEver(path string) {
	disk, err := localfs.Host(localfs.Options{StateDir: os.Getenv(endlessState), NoSync: true})
	if err != nil {
		panic(err)
	}
	set, err := toolfs.New(toolfs.Options{Provider: disk, Unguarded: true})
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		raw, err := json.Marshal(write(path, strings.Repeat(string(rune('a'+i%26)), endlessSize)))
		if err != nil {
			panic(err)
		}
		if r := set.Execute(context.Background(), tool.Call{Name: "write", Arguments: raw}); r.IsError {
			panic(r.Error.Message)
		}
		fmt.Println("written")
	}
}

// killWriter starts a writer and kills it after so many writes.
func killWriter(w *world, path string, writes int) {
	w.Helper()
	self, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	writer := exec.Command(self)
	writer.Env = append(os.Environ(), endlessWriter+"="+path, endlessState+"="+w.state)
	writer.Stderr = os.Stderr
	out, err := writer.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		w.Fatal(err)
	}
	seen := 0
	for scan := bufio.NewScanner(out); seen < writes && scan.Scan(); seen++ {
	}
	if err := writer.Process.Kill(); err != nil {
		w.Fatal(err)
	}
	writer.Wait() // killed: the error says no more
	if seen < writes {
		w.Fatalf("the writer ended by itself after %d writes", seen)
	}
}
