package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of a build that carries none of its own.
const release = "0.1.0-dev"

type versionCommand struct{}

// Run prints the version, the revision it was built from, and the compiler.
func (versionCommand) Run(_ context.Context, s streams) error {
	_, err := fmt.Fprintf(s.out, "toolfs %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return release + "+" + setting.Value[:min(12, len(setting.Value))]
		}
	}
	return release
}
