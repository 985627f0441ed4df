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

	ResultsDir    string `placeholder:"DIR" type:"path" help:"Keep the complete results of searches that found more than they show below DIR. Default: toolfs/results in your state directory."`
	NoResults     bool   `help:"Keep no results of searches."`
	NoSampledGlob bool   `help:"Of more files than fit, let glob show the newest instead of some of every top-level entry."`

	Engine string `enum:"auto,native,rg" default:"auto" help:"What looks through files for grep, with the same results: native, rg (ripgrep, which must be on PATH, names files that need not be read) or auto, which is the faster one: native."`

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

	GlobMaxResults     *json.Number `group:"Limits" placeholder:"N" help:"Paths that glob shows (100)."`
	GrepMaxMatches     *json.Number `group:"Limits" placeholder:"N" help:"Lines that grep shows (250)."`
	GrepMaxLineBytes   *json.Number `group:"Limits" placeholder:"N" help:"Bytes shown of one such line (2000)."`
	SearchMetaMaxBytes *json.Number `group:"Limits" placeholder:"N" help:"Bytes stored of a search for its card (65536)."`
	RawOutputMaxBytes  *json.Number `group:"Limits" placeholder:"N" help:"Bytes of results at which a search ends (20000000)."`
	SearchTimeoutMs    *json.Number `group:"Limits" placeholder:"N" help:"Milliseconds that a search may take (30000)."`
}

func (l limitFlags) parse() (toolfs.Limits, error) {
	data, err := json.Marshal(map[string]*json.Number{
		"listMaxEntries":    l.ListMaxEntries,
		"readLimit":         l.ReadLimit,
		"readMaxLineLength": l.ReadMaxLineLength,
		"readMaxBytes":      l.ReadMaxBytes,
		"readStreamMinSize": l.ReadStreamMinSize,
		"diffBasisMaxBytes": l.DiffBasisMaxBytes,

		"globMaxResults":     l.GlobMaxResults,
		"grepMaxMatches":     l.GrepMaxMatches,
		"grepMaxLineBytes":   l.GrepMaxLineBytes,
		"searchMetaMaxBytes": l.SearchMetaMaxBytes,
		"rawOutputMaxBytes":  l.RawOutputMaxBytes,
		"timeoutMs":          l.SearchTimeoutMs,
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
	return toolfs.New(toolfs.Options{Provider: provider, Limits: limits, Unguarded: w.Unguarded, Search: w.search(), Sandbox: standing, Approval: approvals})
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
	if err := w.engine(&options, roots); err != nil {
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
