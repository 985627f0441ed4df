//go:build !linux || toolfs_portable

// Command torture proves things about the provider for Linux, and has nothing to prove
// about the portable one.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "torture: the programs are about the provider for Linux")
	os.Exit(2)
}
