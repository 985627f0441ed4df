package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/localfs"
)

// workspace is the flags that say which files are served, and how.
type workspace struct {
	Root      []string   `placeholder:"DIR" type:"path" help:"Directory to serve; nothing outside is read or written. Repeat for several; relative paths start from the first. Default: the current directory."`
	Host      bool       `help:"Let the whole machine be read instead of confining the tools to the roots, which then are what may be changed; without --root, everything is."`
	Unguarded bool       `help:"Let files be overwritten and edited that were not read before."`
	Encoding  string     `placeholder:"NAME" help:"Encoding of every text file without a byte order mark, and of new ones: a name such as windows-1252, shift_jis or gb18030. Default: UTF-8."`
	Limits    limitFlags `embed:""`

	sandboxFlags

	MaxGuardedBytes int64 `group:"Limits" placeholder:"N" default:"${maxGuardedBytes}" help:"Bytes up to which a file can be overwritten or edited once it was read (${default})."`
}

// limitFlags is the limits under their flags; nil leaves the default.
type limitFlags struct {
	ListMaxEntries    *json.Number `group:"Limits" placeholder:"N" help:"Entries on one page of a listing (200)."`
	ReadLimit         *json.Number `group:"Limits" placeholder:"N" help:"Lines of one read, as default and as maximum (2000)."`
	ReadMaxLineLength *json.Number `group:"Limits" placeholder:"N" help:"Characters shown of one line (2000)."`
	ReadMaxBytes      *json.Number `group:"Limits" placeholder:"N" help:"Bytes of the lines of one read (51200)."`
	ReadStreamMinSize *json.Number `group:"Limits" placeholder:"N" help:"Bytes from which on a file is streamed (10485760)."`
	DiffBasisMaxBytes *json.Number `group:"Limits" placeholder:"N" help:"Bytes below which an overwrite shows what it changed (10485760)."`
}

func (l limitFlags) parse() (toolfs.Limits, error) {
	data, err := json.Marshal(map[string]*json.Number{
		"listMaxEntries":    l.ListMaxEntries,
		"readLimit":         l.ReadLimit,
		"readMaxLineLength": l.ReadMaxLineLength,
		"readMaxBytes":      l.ReadMaxBytes,
		"readStreamMinSize": l.ReadStreamMinSize,
		"diffBasisMaxBytes": l.DiffBasisMaxBytes,
	})
	if err != nil {
		return toolfs.Limits{}, usageError{errors.New("a limit must be a number")}
	}
	limits, err := toolfs.ParseLimits(data)
	if err != nil {
		return limits, usageError{err}
	}
	return limits, nil
}

// tools makes the tools over a provider; approvals may be nil.
func (w workspace) tools(provider served, approvals *approval.Service) (*toolfs.Toolset, error) {
	limits, err := w.Limits.parse()
	if err != nil {
		return nil, err
	}
	standing, err := w.standing(provider)
	if err != nil {
		return nil, err
	}
	if standing == nil {
		approvals = nil // there is nothing to ask for
	}
	return toolfs.New(toolfs.Options{Provider: provider, Limits: limits, Unguarded: w.Unguarded, Sandbox: standing, Approval: approvals})
}

// provider opens the files that the flags name.
func (w workspace) provider() (*localfs.FS, error) {
	options := localfs.Options{Encoding: w.Encoding, MaxGuardedBytes: w.MaxGuardedBytes}
	roots := w.Root
	if !w.Host && len(roots) == 0 {
		cwd, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		if filepath.Dir(cwd) == cwd {
			return nil, usageError{fmt.Errorf("started in %s, which would serve the whole machine: say --root DIR, or --host if you mean it", cwd)}
		}
		roots = []string{cwd}
	}
	if err := w.confine(&options, roots); err != nil {
		return nil, err
	}
	if w.Host {
		if len(roots) > 0 {
			options.Cwd = roots[0]
		}
		provider, err := localfs.Host(options)
		return provider, misuse(err)
	}
	provider, err := localfs.Root(roots, options)
	return provider, misuse(err)
}

// misuse says that an error lies in the command line.
func misuse(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}
